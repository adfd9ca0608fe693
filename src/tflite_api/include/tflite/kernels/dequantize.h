/* The same header under the shorter prefix. */
#ifndef MUNJA_TFLITE_SHORT_KERNELS_DEQUANTIZE_H_
#define MUNJA_TFLITE_SHORT_KERNELS_DEQUANTIZE_H_

#include "tensorflow/lite/kernels/dequantize.h" /* IWYU pragma: export */

#endif /* MUNJA_TFLITE_SHORT_KERNELS_DEQUANTIZE_H_ */
