/* Control: limits of memory and time for calls of this library, a way to end
 * them from another thread, and a callback that says how far they are.
 *
 *   munja_control_options limits = {sizeof limits};
 *   limits.max_memory = 512 << 20;
 *   limits.seconds = 10;
 *   munja_control* control = NULL;
 *   munja_control_create(&limits, &control);
 *   options.control = control;    (of a call, a session, an engine; or)
 *   munja_control_bind(control);  (for all calls of this thread)
 *
 * Calls under no control of the caller have limits, too:
 * docs/reference/limits.md has the table. A call that ends early gives
 * MUNJA_CANCELLED, MUNJA_TIMED_OUT or MUNJA_OUT_OF_MEMORY, and what it worked
 * with (engine, session, model) may be used as before; only what variables of a
 * model hold is then anybody's guess (munja_session_reset_variables). */
#ifndef MUNJA_CONTROL_H_
#define MUNJA_CONTROL_H_

#include "munja/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One control may serve several calls and threads at once. It must outlive the
 * calls, sessions and bindings that it was given to; not the objects that were
 * made under it. */
typedef struct munja_control munja_control;

/* What is being done ("lines", a file's name), how many units of it are done,
 * and of how many; total is 0 where nobody knows. Called now and then, by the
 * thread that made the call and before it returns. A nonzero return cancels. */
typedef int (*munja_progress)(void* context, const char* what, uint64_t done,
                              uint64_t total);

typedef struct munja_control_options {
  size_t struct_size;
  /* Bytes that tensors, pictures and packed weights made under this control
   * may have together as long as they live. 0: 4 GiB (1 GiB where pointers
   * have 32 bits); negative: any number. */
  int64_t max_memory;
  /* From munja_control_create() or the last munja_control_restart() on; 0:
   * without end, as are negative numbers. */
  double seconds;
  munja_progress progress; /* NULL: none. */
  void* context;           /* For progress. */
  /* Of a picture that is decoded, where munja_decode_options does not say; 0:
   * 120 million. */
  int64_t max_pixels;
} munja_control_options;

/* options may be NULL. MUNJA_INVALID_ARGUMENT: seconds is not a number, or
 * max_pixels is negative. */
MUNJA_API munja_status munja_control_create(
    const munja_control_options* options, munja_control** control);
MUNJA_API void munja_control_free(munja_control* control);

/* What runs under it ends within a tenth of a second, and what is begun under
 * it at once, until munja_control_restart(). Any thread may call this, and a
 * signal handler. NULL does nothing. */
MUNJA_API void munja_control_cancel(munja_control* control);

/* The time begins anew, and nothing is cancelled any more. Not while a call
 * under this control runs. */
MUNJA_API munja_status munja_control_restart(munja_control* control);

/* All calls that this thread makes obey `control`, except those that are given
 * another one, until another is bound. NULL: none. Gives what was bound. */
MUNJA_API munja_control* munja_control_bind(munja_control* control);

/* MUNJA_OK, MUNJA_CANCELLED or MUNJA_TIMED_OUT: for loops of the caller's own,
 * and for operators. */
MUNJA_API munja_status munja_control_check(munja_control* control);

typedef struct munja_control_use {
  size_t struct_size;
  size_t max_memory; /* SIZE_MAX: any. */
  size_t memory;     /* Bytes in use. */
  size_t peak;       /* The most that were in use at once. */
} munja_control_use;

MUNJA_API munja_status munja_control_memory(const munja_control* control,
                                            munja_control_use* use);

#ifdef __cplusplus
}
#endif

#endif /* MUNJA_CONTROL_H_ */
