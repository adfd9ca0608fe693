/* The same header under the shorter prefix. */
#ifndef MUNJA_TFLITE_SHORT_UTIL_H_
#define MUNJA_TFLITE_SHORT_UTIL_H_

#include "tensorflow/lite/util.h" /* IWYU pragma: export */

#endif /* MUNJA_TFLITE_SHORT_UTIL_H_ */
