/* Control: limits of memory and time for calls of this library, cancellation
 * from another thread, and progress.
 *
 *   munja_control_options limits = {sizeof limits};
 *   limits.max_memory = 512 << 20;
 *   limits.seconds = 10;
 *   munja_control* control = NULL;
 *   munja_control_create(&limits, &control);
 *   options.control = control;    (of a call, a session, an engine; or)
 *   munja_control_bind(control);  (for all calls of this thread)
 *
 * Calls without a control have limits, too: docs/reference/limits.md has the
 * table. A call that ends early returns MUNJA_CANCELLED, MUNJA_TIMED_OUT or
 * MUNJA_OUT_OF_MEMORY; the engine, session or network that it used remains
 * usable, but the variables of a network are then unspecified
 * (munja_session_reset_variables). */
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

/* The current activity ("lines", a file's name), the units done, and their
 * total; 0 if it is not known. Called by the thread that made the call, before
 * it returns. A nonzero return value cancels. */
typedef int (*munja_progress)(void* context, const char* what, uint64_t done,
                              uint64_t total);

typedef struct munja_control_options {
  size_t struct_size;
  /* Bytes that tensors, images and packed weights created under this control
   * may have together. 0: 4 GiB (1 GiB where pointers have 32 bits); negative:
   * unlimited. */
  int64_t max_memory;
  /* From munja_control_create() or the last munja_control_restart(); 0 or
   * negative: unlimited. */
  double seconds;
  munja_progress progress; /* NULL: none. */
  void* context;           /* For progress. */
  /* Pixels of an image that is decoded, unless munja_decode_options sets them;
   * 0: 120 million. */
  int64_t max_pixels;
} munja_control_options;

/* options may be NULL. MUNJA_INVALID_ARGUMENT: seconds is not a number, or
 * max_pixels is negative. */
MUNJA_API munja_status munja_control_create(
    const munja_control_options* options, munja_control** control);
MUNJA_API void munja_control_free(munja_control* control);

/* Calls under it end within a tenth of a second, and new ones at once, until
 * munja_control_restart(). May be called by any thread and by a signal handler.
 * NULL: no effect. */
MUNJA_API void munja_control_cancel(munja_control* control);

/* Restarts the time and withdraws a cancellation. Not while a call under this
 * control runs. */
MUNJA_API munja_status munja_control_restart(munja_control* control);

/* Applies `control` to all calls of this thread that are not given another one,
 * until another is bound. NULL: none. Returns the one that was bound. A control
 * in a call's options needs no binding and does not depend on threads. */
MUNJA_API munja_control* munja_control_bind(munja_control* control);

/* MUNJA_OK, MUNJA_CANCELLED or MUNJA_TIMED_OUT: for loops of the caller and for
 * custom operators. */
MUNJA_API munja_status munja_control_check(munja_control* control);

typedef struct munja_control_use {
  size_t struct_size;
  size_t max_memory; /* SIZE_MAX: any. */
  size_t memory;     /* Bytes in use. */
  size_t peak;       /* Maximum in use at once. */
} munja_control_use;

MUNJA_API munja_status munja_control_memory(const munja_control* control,
                                            munja_control_use* use);

#ifdef __cplusplus
}
#endif

#endif /* MUNJA_CONTROL_H_ */
