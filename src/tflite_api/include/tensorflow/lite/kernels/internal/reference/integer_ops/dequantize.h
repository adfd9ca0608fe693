// Where sources look for the conversion of integers to floats.
#ifndef MUNJA_TFLITE_KERNELS_INTERNAL_REFERENCE_INTEGER_OPS_DEQUANTIZE_H_
#define MUNJA_TFLITE_KERNELS_INTERNAL_REFERENCE_INTEGER_OPS_DEQUANTIZE_H_

#include "tensorflow/lite/kernels/internal/optimized/optimized_ops.h"  // IWYU pragma: export

namespace tflite {
namespace reference_ops {

using optimized_ops::Dequantize;

}  // namespace reference_ops
}  // namespace tflite

#endif  // MUNJA_TFLITE_KERNELS_INTERNAL_REFERENCE_INTEGER_OPS_DEQUANTIZE_H_
