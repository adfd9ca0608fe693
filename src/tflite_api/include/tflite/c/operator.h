/* The same header under the shorter prefix. */
#ifndef MUNJA_TFLITE_SHORT_C_OPERATOR_H_
#define MUNJA_TFLITE_SHORT_C_OPERATOR_H_

#include "tensorflow/lite/c/operator.h" /* IWYU pragma: export */

#endif /* MUNJA_TFLITE_SHORT_C_OPERATOR_H_ */
