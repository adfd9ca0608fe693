/* The same header under the shorter prefix. */
#ifndef MUNJA_TFLITE_SHORT_KERNELS_CUSTOM_OPS_REGISTER_H_
#define MUNJA_TFLITE_SHORT_KERNELS_CUSTOM_OPS_REGISTER_H_

#include "tensorflow/lite/kernels/custom_ops_register.h" /* IWYU pragma: export */

#endif /* MUNJA_TFLITE_SHORT_KERNELS_CUSTOM_OPS_REGISTER_H_ */
