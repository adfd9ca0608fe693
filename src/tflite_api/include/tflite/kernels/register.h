/* The same header under the shorter prefix. */
#ifndef MUNJA_TFLITE_SHORT_KERNELS_REGISTER_H_
#define MUNJA_TFLITE_SHORT_KERNELS_REGISTER_H_

#include "tensorflow/lite/kernels/register.h" /* IWYU pragma: export */

#endif /* MUNJA_TFLITE_SHORT_KERNELS_REGISTER_H_ */
