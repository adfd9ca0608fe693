/* The place where older sources look for it. */
#ifndef MUNJA_TFLITE_CORE_C_BUILTIN_OPS_H_
#define MUNJA_TFLITE_CORE_C_BUILTIN_OPS_H_

#include "tensorflow/lite/builtin_ops.h" /* IWYU pragma: export */

#endif /* MUNJA_TFLITE_CORE_C_BUILTIN_OPS_H_ */
