/* The place where older sources look for it. */
#ifndef MUNJA_TFLITE_C_COMMON_H_
#define MUNJA_TFLITE_C_COMMON_H_

#include "tensorflow/lite/core/c/common.h" /* IWYU pragma: export */

#endif /* MUNJA_TFLITE_C_COMMON_H_ */
