/* The same header under the shorter prefix. */
#ifndef MUNJA_TFLITE_SHORT_C_C_API_OPAQUE_H_
#define MUNJA_TFLITE_SHORT_C_C_API_OPAQUE_H_

#include "tensorflow/lite/c/c_api_opaque.h" /* IWYU pragma: export */

#endif /* MUNJA_TFLITE_SHORT_C_C_API_OPAQUE_H_ */
