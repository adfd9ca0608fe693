/* The same header under the shorter prefix. */
#ifndef MUNJA_TFLITE_SHORT_C_C_API_EXPERIMENTAL_H_
#define MUNJA_TFLITE_SHORT_C_C_API_EXPERIMENTAL_H_

#include "tensorflow/lite/c/c_api_experimental.h" /* IWYU pragma: export */

#endif /* MUNJA_TFLITE_SHORT_C_C_API_EXPERIMENTAL_H_ */
