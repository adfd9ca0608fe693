/* The same header under the shorter prefix. */
#ifndef MUNJA_TFLITE_SHORT_STRING_TYPE_H_
#define MUNJA_TFLITE_SHORT_STRING_TYPE_H_

#include "tensorflow/lite/string_type.h" /* IWYU pragma: export */

#endif /* MUNJA_TFLITE_SHORT_STRING_TYPE_H_ */
