/* The place where older sources look for it. */
#ifndef MUNJA_TFLITE_C_C_API_H_
#define MUNJA_TFLITE_C_C_API_H_

#include "tensorflow/lite/core/c/c_api.h" /* IWYU pragma: export */

#endif /* MUNJA_TFLITE_C_C_API_H_ */
