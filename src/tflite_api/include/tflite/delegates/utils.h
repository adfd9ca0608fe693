/* The same header under the shorter prefix. */
#ifndef MUNJA_TFLITE_SHORT_DELEGATES_UTILS_H_
#define MUNJA_TFLITE_SHORT_DELEGATES_UTILS_H_

#include "tensorflow/lite/delegates/utils.h" /* IWYU pragma: export */

#endif /* MUNJA_TFLITE_SHORT_DELEGATES_UTILS_H_ */
