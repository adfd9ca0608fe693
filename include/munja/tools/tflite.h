/* Operators given as TensorFlow Lite registrations: libmunja-tflite and
 * libmunja-tools. */
#ifndef MUNJA_TOOLS_TFLITE_H_
#define MUNJA_TOOLS_TFLITE_H_

#include "munja/operators.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One operator written against the TensorFlow Lite C API: `registration` is a
 * const TfLiteRegistration* of src/tflite_api/include. It is copied; what it
 * points at must outlive all sessions. is_builtin as in munja_operator. */
MUNJA_API munja_status munja_resolver_add_tflite(munja_resolver* resolver,
                                                 const char* name,
                                                 int32_t is_builtin,
                                                 const void* registration);

#ifdef __cplusplus
}
#endif

#endif /* MUNJA_TOOLS_TFLITE_H_ */
