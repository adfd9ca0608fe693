// Arithmetic that kernels share.
#ifndef MUNJA_TFLITE_KERNELS_INTERNAL_COMMON_H_
#define MUNJA_TFLITE_KERNELS_INTERNAL_COMMON_H_

#include <algorithm>
#include <cstdint>
#include <limits>

#include "tensorflow/lite/core/c/builtin_op_data.h"
#include "tensorflow/lite/kernels/internal/cppmath.h"
#include "tensorflow/lite/kernels/internal/quantization_util.h"
#include "tensorflow/lite/kernels/internal/types.h"

namespace tflite {

inline void GetActivationMinMax(FusedActivationFunctionType activation,
                                float* output_activation_min,
                                float* output_activation_max) {
  *output_activation_min = std::numeric_limits<float>::lowest();
  *output_activation_max = std::numeric_limits<float>::max();
  switch (activation) {
    case FusedActivationFunctionType::kNone:
      break;
    case FusedActivationFunctionType::kRelu:
      *output_activation_min = 0.0f;
      break;
    case FusedActivationFunctionType::kRelu1:
      *output_activation_min = -1.0f;
      *output_activation_max = 1.0f;
      break;
    case FusedActivationFunctionType::kRelu6:
      *output_activation_min = 0.0f;
      *output_activation_max = 6.0f;
      break;
  }
}

template <class T>
inline T ActivationFunctionWithMinMax(T x, T output_activation_min,
                                      T output_activation_max) {
  return std::min(std::max(x, output_activation_min), output_activation_max);
}

inline float ActivationFunction(float x,
                                FusedActivationFunctionType activation) {
  float low = 0, high = 0;
  GetActivationMinMax(activation, &low, &high);
  return ActivationFunctionWithMinMax(x, low, high);
}

// The high half of 2ab, rounded to nearest; the one product that does not fit
// gives the largest value.
inline int32_t SaturatingRoundingDoublingHighMul(int32_t a, int32_t b) {
  if (a == b && a == std::numeric_limits<int32_t>::min())
    return std::numeric_limits<int32_t>::max();
  const int64_t product = int64_t{a} * int64_t{b};
  const int64_t nudge =
      product >= 0 ? int64_t{1} << 30 : 1 - (int64_t{1} << 30);
  return static_cast<int32_t>((product + nudge) / (int64_t{1} << 31));
}

// x / 2^exponent, halves away from zero.
inline int32_t RoundingDivideByPOT(int32_t x, int exponent) {
  const auto mask = static_cast<int32_t>((int64_t{1} << exponent) - 1);
  const int32_t remainder = x & mask;
  const int32_t threshold = (mask >> 1) + (x < 0 ? 1 : 0);
  return (x >> exponent) + (remainder > threshold ? 1 : 0);
}

// x * multiplier * 2^(shift - 31).
inline int32_t MultiplyByQuantizedMultiplier(int32_t x,
                                             int32_t quantized_multiplier,
                                             int shift) {
  const int left = shift > 0 ? shift : 0;
  const int right = shift > 0 ? 0 : -shift;
  const auto shifted = static_cast<int32_t>(static_cast<uint32_t>(x) << left);
  return RoundingDivideByPOT(
      SaturatingRoundingDoublingHighMul(shifted, quantized_multiplier), right);
}

inline int32_t MultiplyByQuantizedMultiplierSmallerThanOneExp(
    int32_t x, int32_t quantized_multiplier, int left_shift) {
  return RoundingDivideByPOT(
      SaturatingRoundingDoublingHighMul(x, quantized_multiplier), -left_shift);
}

inline int32_t MultiplyByQuantizedMultiplierGreaterThanOne(
    int32_t x, int32_t quantized_multiplier, int left_shift) {
  return MultiplyByQuantizedMultiplier(x, quantized_multiplier, left_shift);
}

// For sums of 48 bits, as those of int16 products are.
inline int32_t MultiplyByQuantizedMultiplier(int64_t x,
                                             int32_t quantized_multiplier,
                                             int shift) {
  const int32_t reduced =
      quantized_multiplier < 0x7FFF0000
          ? static_cast<int32_t>((quantized_multiplier + (1 << 15)) >> 16)
          : 0x7FFF;
  const int total_shift = 15 - shift;
  const int64_t sum = x * int64_t{reduced} + (int64_t{1} << (total_shift - 1));
  return static_cast<int32_t>(sum >> total_shift);
}

template <class T>
int CountLeadingZeros(T integer_input) {
  static_assert(std::numeric_limits<T>::is_integer &&
                !std::numeric_limits<T>::is_signed);
  int zeros = std::numeric_limits<T>::digits;
  while (integer_input != 0) {
    integer_input = static_cast<T>(integer_input >> 1);
    --zeros;
  }
  return zeros;
}

// Where the element lies in data of four dimensions that are broadcast.
template <int N>
struct NdArrayDesc {
  int extents[N];
  int strides[N];
};

inline int SubscriptToIndex(const NdArrayDesc<4>& desc, int i0, int i1, int i2,
                            int i3) {
  return i0 * desc.strides[0] + i1 * desc.strides[1] + i2 * desc.strides[2] +
         i3 * desc.strides[3];
}

// Strides of zero where one of the shapes is stretched over the other.
template <int N>
inline void NdArrayDescsForElementwiseBroadcast(
    const RuntimeShape& input0_shape, const RuntimeShape& input1_shape,
    NdArrayDesc<N>* desc0_out, NdArrayDesc<N>* desc1_out) {
  const auto describe = [](const RuntimeShape& shape, NdArrayDesc<N>* desc) {
    const RuntimeShape extended = RuntimeShape::ExtendedShape(N, shape);
    int stride = 1;
    for (int i = N - 1; i >= 0; --i) {
      desc->extents[i] = extended.Dims(i);
      desc->strides[i] = stride;
      stride *= extended.Dims(i);
    }
  };
  describe(input0_shape, desc0_out);
  describe(input1_shape, desc1_out);
  for (int i = 0; i < N; ++i) {
    const int extent0 = desc0_out->extents[i];
    const int extent1 = desc1_out->extents[i];
    if (extent0 == extent1) continue;
    NdArrayDesc<N>* stretched = extent0 == 1 ? desc0_out : desc1_out;
    stretched->strides[i] = 0;
    stretched->extents[i] = extent0 == 1 ? extent1 : extent0;
  }
}

}  // namespace tflite

#endif  // MUNJA_TFLITE_KERNELS_INTERNAL_COMMON_H_
