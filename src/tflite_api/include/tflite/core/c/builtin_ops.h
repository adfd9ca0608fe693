/* The same header under the shorter prefix. */
#ifndef MUNJA_TFLITE_SHORT_CORE_C_BUILTIN_OPS_H_
#define MUNJA_TFLITE_SHORT_CORE_C_BUILTIN_OPS_H_

#include "tensorflow/lite/core/c/builtin_ops.h" /* IWYU pragma: export */

#endif /* MUNJA_TFLITE_SHORT_CORE_C_BUILTIN_OPS_H_ */
