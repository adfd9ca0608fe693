/* The same header under the shorter prefix. */
#ifndef MUNJA_TFLITE_SHORT_KERNELS_OP_MACROS_H_
#define MUNJA_TFLITE_SHORT_KERNELS_OP_MACROS_H_

#include "tensorflow/lite/kernels/op_macros.h" /* IWYU pragma: export */

#endif /* MUNJA_TFLITE_SHORT_KERNELS_OP_MACROS_H_ */
