/* The same header under the shorter prefix. */
#ifndef MUNJA_TFLITE_SHORT_EXTERNAL_CPU_BACKEND_CONTEXT_H_
#define MUNJA_TFLITE_SHORT_EXTERNAL_CPU_BACKEND_CONTEXT_H_

#include "tensorflow/lite/external_cpu_backend_context.h" /* IWYU pragma: export */

#endif /* MUNJA_TFLITE_SHORT_EXTERNAL_CPU_BACKEND_CONTEXT_H_ */
