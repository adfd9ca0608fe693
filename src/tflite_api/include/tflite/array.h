/* The same header under the shorter prefix. */
#ifndef MUNJA_TFLITE_SHORT_ARRAY_H_
#define MUNJA_TFLITE_SHORT_ARRAY_H_

#include "tensorflow/lite/array.h" /* IWYU pragma: export */

#endif /* MUNJA_TFLITE_SHORT_ARRAY_H_ */
