/* The same header under the shorter prefix. */
#ifndef MUNJA_TFLITE_SHORT_TYPE_TO_TFLITETYPE_H_
#define MUNJA_TFLITE_SHORT_TYPE_TO_TFLITETYPE_H_

#include "tensorflow/lite/type_to_tflitetype.h" /* IWYU pragma: export */

#endif /* MUNJA_TFLITE_SHORT_TYPE_TO_TFLITETYPE_H_ */
