/* Log: messages that are no errors of a call. */
#ifndef MUNJA_LOG_H_
#define MUNJA_LOG_H_

#include "munja/types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum munja_log_severity MUNJA_ANY_INT {
  MUNJA_LOG_INFO = 0,
  MUNJA_LOG_WARNING = 1,
  MUNJA_LOG_ERROR = 2
} munja_log_severity;

/* `line` has no line end and is valid during the call. */
typedef void (*munja_log)(void* user, munja_log_severity severity,
                          const char* line);

/* Receives what the user should know although no call fails: lines that are
 * left out, a delegate that failed and whose nodes run on the CPU. NULL:
 * silent, which is the initial state. Called by any thread, but never by two at
 * once; the previous callback is not called any more after this returns. `log`
 * must not call this function. */
MUNJA_API void munja_set_log(munja_log log, void* user);

#ifdef __cplusplus
}
#endif

#endif /* MUNJA_LOG_H_ */
