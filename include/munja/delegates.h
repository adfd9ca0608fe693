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

/* One of them. "nn:NAME" is nn with the option device=NAME. keys and values:
 * `count` options as texts, whose meaning the delegate's documentation tells.
 * MUNJA_NOT_FOUND: no delegate has this name; MUNJA_INVALID_ARGUMENT: an option
 * is not understood. */
MUNJA_API munja_status munja_delegate_create(const char* name,
                                             const char* const* keys,
                                             const char* const* values,
                                             int32_t count,
                                             munja_delegate** delegate);
/* One in a shared library of its own, written against the TensorFlow Lite C API
 * (see docs/how-to/adding-a-delegate.md): its tflite_plugin_create_delegate()
 * gets the options. The library stays open. Loading it runs its code: only what
 * is trusted. MUNJA_UNAVAILABLE: it cannot be opened, or is no such library;
 * MUNJA_INVALID_ARGUMENT: it gave no delegate. */
MUNJA_API munja_status munja_delegate_load(const char* path,
                                           const char* const* keys,
                                           const char* const* values,
                                           int32_t count,
                                           munja_delegate** delegate);
MUNJA_API void munja_delegate_free(munja_delegate* delegate);

/* --- A delegate of your own ------------------------------------------------
 *
 * While a session is created, check_support is called once per node and compile
 * once per partition: a group of supported nodes that can run as one. What
 * compile gives is an operator whose inputs and outputs are those of the
 * partition; its callbacks follow the rules of munja/operators.h. When compile,
 * prepare or eval fails, the nodes run on the CPU with the same answer, and the
 * log says why. Forks compile again. */

/* Valid while compile runs. */
typedef struct munja_partition munja_partition;

typedef struct munja_delegate_callbacks {
  size_t struct_size;
  const char* name; /* For reports; copied. */
  void* user;
  int32_t max_partitions; /* The largest ones are kept. 0: any number. */
  int32_t min_nodes;      /* Smaller partitions stay on the CPU. 0: 1. */
  /* MUNJA_OK: the delegate takes this node. The context is as in an operator's
   * init; the reason of munja_op_fail goes to the report. */
  munja_status (*check_support)(void* user, munja_op_context* node);
  /* Sets prepare, eval, free and user of `kernel`; the rest is not looked at.
   * Its callbacks get that `user` as `node`, and free is called once. */
  munja_status (*compile)(void* user, munja_partition* partition,
                          munja_operator* kernel);
  /* When the delegate and all its sessions are gone; not when
   * munja_delegate_define failed. May be NULL. */
  void (*free)(void* user);
} munja_delegate_callbacks;

MUNJA_API munja_status munja_delegate_define(
    const munja_delegate_callbacks* callbacks, munja_delegate** delegate);

/* As munja_op_fail, for compile. */
MUNJA_API munja_status munja_partition_fail(munja_partition* partition,
                                            munja_status status,
                                            const char* reason);
MUNJA_API int32_t munja_partition_node_count(const munja_partition* partition);
/* Node `index` in an order in which they can run, as in check_support. NULL:
 * none. */
MUNJA_API munja_op_context* munja_partition_node(munja_partition* partition,
                                                 int32_t index);
/* The tensors that the partition reads and writes, constants not counted, by
 * the numbers of munja_op_input_id. -1 beyond the last. */
MUNJA_API int32_t munja_partition_input_count(const munja_partition* partition);
MUNJA_API int32_t munja_partition_input(const munja_partition* partition,
                                        int32_t index);
MUNJA_API int32_t
munja_partition_output_count(const munja_partition* partition);
MUNJA_API int32_t munja_partition_output(const munja_partition* partition,
                                         int32_t index);

/* --- Who runs what --------------------------------------------------------*/

typedef struct munja_partition_report munja_partition_report;

/* One node of the model. Texts are valid as long as the report. */
typedef struct munja_node_owner {
  size_t struct_size;
  int32_t subgraph;
  int32_t node;       /* As the model numbers them. */
  const char* op;     /* "CONV_2D", or the name of a custom operator. */
  const char* name;   /* The name of its first output. */
  const char* owner;  /* A delegate's name; "cpu"; "none": it never runs. */
  int32_t partition;  /* Index among that delegate's, or -1: in none. */
  const char* reason; /* Why not elsewhere, or not as planned; may be "". */
} munja_node_owner;

/* Reports on a session that would be made with these options (may be NULL); no
 * shape is planned, and operators that are missing are no error. */
MUNJA_API munja_status munja_partition_report_create(
    const munja_network* model, const munja_session_options* options,
    munja_partition_report** report);
/* Reports on this session, with what failed since it was made. Without
 * delegates: no rows. */
MUNJA_API munja_status munja_session_partition_report(
    const munja_session* session, munja_partition_report** report);
MUNJA_API int32_t
munja_partition_report_count(const munja_partition_report* report);
MUNJA_API munja_status munja_partition_report_row(
    const munja_partition_report* report, int32_t index, munja_node_owner* row);
MUNJA_API void munja_partition_report_free(munja_partition_report* report);

#ifdef __cplusplus
}
#endif

#endif /* MUNJA_DELEGATES_H_ */
