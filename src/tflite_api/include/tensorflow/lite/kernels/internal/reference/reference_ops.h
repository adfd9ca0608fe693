/* The arithmetic that the kernels here share; none of the kernels. */
#ifndef MUNJA_TFLITE_KERNELS_INTERNAL_REFERENCE_REFERENCE_OPS_H_
#define MUNJA_TFLITE_KERNELS_INTERNAL_REFERENCE_REFERENCE_OPS_H_

#include "tensorflow/lite/kernels/internal/common.h" /* IWYU pragma: export */

#endif /* MUNJA_TFLITE_KERNELS_INTERNAL_REFERENCE_REFERENCE_OPS_H_ */
