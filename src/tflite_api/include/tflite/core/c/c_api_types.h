/* The same header under the shorter prefix. */
#ifndef MUNJA_TFLITE_SHORT_CORE_C_C_API_TYPES_H_
#define MUNJA_TFLITE_SHORT_CORE_C_C_API_TYPES_H_

#include "tensorflow/lite/core/c/c_api_types.h" /* IWYU pragma: export */

#endif /* MUNJA_TFLITE_SHORT_CORE_C_C_API_TYPES_H_ */
