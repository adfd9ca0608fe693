// A function of two elements, over whole tensors.
#ifndef MUNJA_TFLITE_KERNELS_INTERNAL_REFERENCE_BINARY_FUNCTION_H_
#define MUNJA_TFLITE_KERNELS_INTERNAL_REFERENCE_BINARY_FUNCTION_H_

#include <vector>

#include "tensorflow/lite/kernels/internal/common.h"
#include "tensorflow/lite/kernels/internal/compatibility.h"
#include "tensorflow/lite/kernels/internal/types.h"

namespace tflite {
namespace reference_ops {
namespace binary_internal {

// How far an input moves where the output's dimension goes on by one: nothing
// where it is stretched.
inline std::vector<int> StridesUnder(const RuntimeShape& shape,
                                     const RuntimeShape& output) {
  const int rank = output.DimensionsCount();
  const int added = rank - shape.DimensionsCount();
  std::vector<int> strides(static_cast<size_t>(rank), 0);
  int stride = 1;
  for (int i = rank - 1; i >= added; --i) {
    const int size = shape.Dims(i - added);
    if (size != 1) strides[static_cast<size_t>(i)] = stride;
    stride *= size;
  }
  return strides;
}

}  // namespace binary_internal

// Shapes that broadcast to that of the output, of any rank.
template <class A, class B, class R, class Function>
void BroadcastBinaryOpSimple(const RuntimeShape& input1_shape,
                             const A* input1_data,
                             const RuntimeShape& input2_shape,
                             const B* input2_data,
                             const RuntimeShape& output_shape, R* output_data,
                             Function function) {
  const int rank = output_shape.DimensionsCount();
  const std::vector<int> move1 =
      binary_internal::StridesUnder(input1_shape, output_shape);
  const std::vector<int> move2 =
      binary_internal::StridesUnder(input2_shape, output_shape);
  std::vector<int> at(static_cast<size_t>(rank), 0);
  int i1 = 0, i2 = 0;
  const int count = output_shape.FlatSize();
  for (int i = 0; i < count; ++i) {
    output_data[i] = function(input1_data[i1], input2_data[i2]);
    for (int d = rank - 1; d >= 0; --d) {
      const auto k = static_cast<size_t>(d);
      i1 += move1[k];
      i2 += move2[k];
      if (++at[k] < output_shape.Dims(d)) break;
      i1 -= move1[k] * at[k];
      i2 -= move2[k] * at[k];
      at[k] = 0;
    }
  }
}

template <class R, class T1, class T2>
void BroadcastBinaryFunction4DSlow(const RuntimeShape& unextended_input1_shape,
                                   const T1* input1_data,
                                   const RuntimeShape& unextended_input2_shape,
                                   const T2* input2_data,
                                   const RuntimeShape& unextended_output_shape,
                                   R* output_data, R (*func)(T1, T2)) {
  BroadcastBinaryOpSimple(unextended_input1_shape, input1_data,
                          unextended_input2_shape, input2_data,
                          unextended_output_shape, output_data, func);
}

// For equal shapes.
template <class R, class T1, class T2>
void BinaryFunction(const RuntimeShape& input1_shape, const T1* input1_data,
                    const RuntimeShape& input2_shape, const T2* input2_data,
                    const RuntimeShape& output_shape, R* output_data,
                    R (*func)(T1, T2)) {
  const int count = MatchingFlatSize(input1_shape, input2_shape, output_shape);
  for (int i = 0; i < count; ++i)
    output_data[i] = func(input1_data[i], input2_data[i]);
}

}  // namespace reference_ops
}  // namespace tflite

#endif  // MUNJA_TFLITE_KERNELS_INTERNAL_REFERENCE_BINARY_FUNCTION_H_
