/* The same header under the shorter prefix. */
#ifndef MUNJA_TFLITE_SHORT_STRING_UTIL_H_
#define MUNJA_TFLITE_SHORT_STRING_UTIL_H_

#include "tensorflow/lite/string_util.h" /* IWYU pragma: export */

#endif /* MUNJA_TFLITE_SHORT_STRING_UTIL_H_ */
