/* Delegates: other executors that take over part of a model. */
#ifndef MUNJA_DELEGATES_H_
#define MUNJA_DELEGATES_H_

#include "munja/operators.h"
#include "munja/runtime.h"
#include "munja/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* munja_delegate is declared in munja/runtime.h. Sessions keep the delegates
 * that they were made with: one may be freed before them. It serves one session
 * and its forks. */

/* The names of the delegates in this library; NULL beyond the last. */
MUNJA_API const char* munja_delegate_known(int32_t index);

/* One of them. keys and values: `count` options as texts, whose meaning the
 * delegate's documentation tells. MUNJA_NOT_FOUND: no delegate has this name;
 * MUNJA_INVALID_ARGUMENT: an option is not understood. */
MUNJA_API munja_status munja_delegate_create(const char* name,
                                             const char* const* keys,
                                             const char* const* values,
                                             int32_t count,
                                             munja_delegate** delegate);
MUNJA_API void munja_delegate_free(munja_delegate* delegate);

/* --- Who runs what --------------------------------------------------------*/

typedef struct munja_partition_report munja_partition_report;

/* One node of the model. Texts are valid as long as the report. */
typedef struct munja_node_owner {
  int32_t subgraph;
  int32_t node;       /* As the model numbers them. */
  const char* op;     /* "CONV_2D", or the name of a custom operator. */
  const char* name;   /* Of its first output. */
  const char* owner;  /* A delegate's name; "cpu"; "none": it never runs. */
  int32_t partition;  /* Of that delegate, from 0 on; -1: in none. */
  const char* reason; /* Why not elsewhere, or not as planned; may be "". */
} munja_node_owner;

/* Of a session that would be made with these options (may be NULL); no shape is
 * planned, and operators that are missing are no error. */
MUNJA_API munja_status munja_partition_report_create(
    const munja_model* model, const munja_session_options* options,
    munja_partition_report** report);
/* Of this session, with what failed since it was made. Without delegates: no
 * rows. */
MUNJA_API munja_status munja_session_partition_report(
    const munja_session* session, munja_partition_report** report);
MUNJA_API int32_t
munja_partition_report_count(const munja_partition_report* report);
MUNJA_API munja_status munja_partition_report_row(
    const munja_partition_report* report, int32_t index, munja_node_owner* row);
MUNJA_API void munja_partition_report_free(munja_partition_report* report);

/* --- Log -------------------------------------------------------------------
 */

typedef enum munja_severity {
  MUNJA_INFO = 0,
  MUNJA_WARNING = 1,
  MUNJA_ERROR = 2
} munja_severity;

/* What is no error but should be known, such as a delegate that failed and
 * whose nodes run on the CPU. NULL: silent, as at first. Any thread; calls of
 * `log` never overlap, and the one set before is not called any more after
 * this returns. `log` must not call this function. `line` has no line end and
 * is valid during the call. */
MUNJA_API void munja_set_log(void (*log)(void* user, munja_severity severity,
                                         const char* line),
                             void* user);

#ifdef __cplusplus
}
#endif

#endif /* MUNJA_DELEGATES_H_ */
