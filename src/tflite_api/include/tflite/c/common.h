/* The same header under the shorter prefix. */
#ifndef MUNJA_TFLITE_SHORT_C_COMMON_H_
#define MUNJA_TFLITE_SHORT_C_COMMON_H_

#include "tensorflow/lite/c/common.h" /* IWYU pragma: export */

#endif /* MUNJA_TFLITE_SHORT_C_COMMON_H_ */
