/* The place where older sources look for it. */
#ifndef MUNJA_TFLITE_C_OPERATOR_H_
#define MUNJA_TFLITE_C_OPERATOR_H_

#include "tensorflow/lite/core/c/operator.h" /* IWYU pragma: export */

#endif /* MUNJA_TFLITE_C_OPERATOR_H_ */
