/* The same header under the shorter prefix. */
#ifndef MUNJA_TFLITE_SHORT_CORE_C_INT_ARRAY_H_
#define MUNJA_TFLITE_SHORT_CORE_C_INT_ARRAY_H_

#include "tensorflow/lite/core/c/int_array.h" /* IWYU pragma: export */

#endif /* MUNJA_TFLITE_SHORT_CORE_C_INT_ARRAY_H_ */
