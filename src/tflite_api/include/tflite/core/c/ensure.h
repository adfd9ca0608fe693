/* The same header under the shorter prefix. */
#ifndef MUNJA_TFLITE_SHORT_CORE_C_ENSURE_H_
#define MUNJA_TFLITE_SHORT_CORE_C_ENSURE_H_

#include "tensorflow/lite/core/c/ensure.h" /* IWYU pragma: export */

#endif /* MUNJA_TFLITE_SHORT_CORE_C_ENSURE_H_ */
