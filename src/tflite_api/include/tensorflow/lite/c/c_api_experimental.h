/* The place where older sources look for it. */
#ifndef MUNJA_TFLITE_C_C_API_EXPERIMENTAL_H_
#define MUNJA_TFLITE_C_C_API_EXPERIMENTAL_H_

#include "tensorflow/lite/core/c/c_api_experimental.h" /* IWYU pragma: export */

#endif /* MUNJA_TFLITE_C_C_API_EXPERIMENTAL_H_ */
