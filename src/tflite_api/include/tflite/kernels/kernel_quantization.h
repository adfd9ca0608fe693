/* The same header under the shorter prefix. */
#ifndef MUNJA_TFLITE_SHORT_KERNELS_KERNEL_QUANTIZATION_H_
#define MUNJA_TFLITE_SHORT_KERNELS_KERNEL_QUANTIZATION_H_

#include "tensorflow/lite/kernels/kernel_quantization.h" /* IWYU pragma: export */

#endif /* MUNJA_TFLITE_SHORT_KERNELS_KERNEL_QUANTIZATION_H_ */
