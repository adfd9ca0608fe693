/* The same header under the shorter prefix. */
#ifndef MUNJA_TFLITE_SHORT_C_C_API_H_
#define MUNJA_TFLITE_SHORT_C_C_API_H_

#include "tensorflow/lite/c/c_api.h" /* IWYU pragma: export */

#endif /* MUNJA_TFLITE_SHORT_C_C_API_H_ */
