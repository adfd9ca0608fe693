/* The same header under the shorter prefix. */
#ifndef MUNJA_TFLITE_SHORT_KERNELS_PADDING_H_
#define MUNJA_TFLITE_SHORT_KERNELS_PADDING_H_

#include "tensorflow/lite/kernels/padding.h" /* IWYU pragma: export */

#endif /* MUNJA_TFLITE_SHORT_KERNELS_PADDING_H_ */
