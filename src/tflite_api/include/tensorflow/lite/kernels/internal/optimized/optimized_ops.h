/* The arithmetic that operators share, and what public ones take of the
 * kernels: the largest entry, and numbers from bytes. */
#ifndef MUNJA_TFLITE_KERNELS_INTERNAL_OPTIMIZED_OPTIMIZED_OPS_H_
#define MUNJA_TFLITE_KERNELS_INTERNAL_OPTIMIZED_OPTIMIZED_OPS_H_

#include <cstdint>

#include "tensorflow/lite/kernels/cpu_backend_context.h" /* IWYU pragma: export */
#include "tensorflow/lite/kernels/cpu_backend_threadpool.h" /* IWYU pragma: export */
#include "tensorflow/lite/kernels/internal/common.h" /* IWYU pragma: export */
#include "tensorflow/lite/kernels/internal/runtime_shape.h"

namespace tflite {
namespace optimized_ops {

// The first of the largest; `size` is at least 1.
template <class T>
int ArgMaxVector(const T* input_data, int size) {
  int best = 0;
  for (int i = 1; i < size; ++i)
    if (input_data[i] > input_data[best]) best = i;
  return best;
}

// Both shapes have the same number of elements.
template <class T>
void Dequantize(const DequantizationParams& op_params,
                const RuntimeShape& input_shape, const T* input_data,
                const RuntimeShape& output_shape, float* output_data) {
  (void)input_shape;
  const int count = output_shape.FlatSize();
  for (int i = 0; i < count; ++i)
    output_data[i] = static_cast<float>(
        op_params.scale *
        (static_cast<int32_t>(input_data[i]) - op_params.zero_point));
}

}  // namespace optimized_ops
}  // namespace tflite

#endif /* MUNJA_TFLITE_KERNELS_INTERNAL_OPTIMIZED_OPTIMIZED_OPS_H_ */
