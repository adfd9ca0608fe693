// Arithmetic that kernels share.
#ifndef MUNJA_TFLITE_KERNELS_INTERNAL_COMMON_H_
#define MUNJA_TFLITE_KERNELS_INTERNAL_COMMON_H_

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>

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

// Tables of functions of quantized numbers: one entry for each value of 8 bits;
// of 16 bits every 128th value, between which LUTLookup interpolates, and one
// more at the end.
template <class T>
constexpr int LUTSize() {
  static_assert(std::is_same_v<T, uint8_t> || std::is_same_v<T, int8_t> ||
                std::is_same_v<T, int16_t>);
  return sizeof(T) == 1 ? 256 : 513;
}

namespace lut_internal {

// The entry of an int8_t is that of its bits as uint8_t.
template <class T, class Function>
void Populate8(float input_scale, int32_t input_zero_point, float output_scale,
               int32_t output_zero_point, const Function& function, T* lut) {
  const float inverse_scale = 1 / output_scale;
  constexpr int32_t kLow = std::numeric_limits<T>::min();
  constexpr int32_t kHigh = std::numeric_limits<T>::max();
  for (int32_t value = kLow; value <= kHigh; ++value) {
    const float y =
        function(input_scale * static_cast<float>(value - input_zero_point));
    const auto quantized = static_cast<int32_t>(
        TfLiteRound(y * inverse_scale) + static_cast<float>(output_zero_point));
    lut[static_cast<uint8_t>(value)] =
        static_cast<T>(std::clamp(quantized, kLow, kHigh));
  }
}

// Each entry is moved by half of the error that interpolation would have in the
// middle of its step.
template <class Float, class Function>
void Populate16(Float input_scale, int32_t input_zero_point, Float output_scale,
                int32_t output_zero_point, const Function& function,
                int16_t* lut) {
  constexpr int kSteps = 512;
  constexpr Float kLow = std::numeric_limits<int16_t>::min();
  constexpr Float kHigh = std::numeric_limits<int16_t>::max();
  const Float zero = static_cast<Float>(input_zero_point);
  const Float first = input_scale * (kLow - zero);
  const Float last = input_scale * (kHigh - zero);
  const Float step = (last - first) / kSteps;
  const Float out_zero = static_cast<Float>(output_zero_point);
  const Float out_range =
      output_scale * (kHigh - out_zero) - output_scale * (kLow - out_zero);
  const Float to_steps = (kHigh - kLow + 1) / out_range;
  const auto clamped = [&](Float x) {
    return static_cast<int16_t>(std::clamp(x, kLow, kHigh));
  };
  for (int i = 0; i < kSteps; ++i) {
    const Float x = first + static_cast<Float>(i) * step;
    const Float here = TfLiteRound(function(x) * to_steps);
    const Float next =
        function(first + static_cast<Float>(i + 1) * step) * to_steps;
    const Float middle = TfLiteRound(function(x + step / 2) * to_steps);
    const Float error = TfLiteRound((next + here) / 2) - middle;
    lut[i] = clamped(here - TfLiteRound(error / 2));
  }
  lut[kSteps] = clamped(TfLiteRound(function(last) * to_steps));
}

}  // namespace lut_internal

template <class T>
void LUTPopulate(float input_scale, int32_t input_zero_point,
                 float output_scale, int32_t output_zero_point,
                 float (*transform)(float), T* lut) {
  if constexpr (sizeof(T) == 1) {
    lut_internal::Populate8(input_scale, input_zero_point, output_scale,
                            output_zero_point, transform, lut);
  } else {
    lut_internal::Populate16<float>(input_scale, input_zero_point, output_scale,
                                    output_zero_point, transform, lut);
  }
}
template <class T>
void LUTPopulate(float input_scale, int32_t input_zero_point,
                 float output_scale, int32_t output_zero_point,
                 float (*transform)(float, const void*),
                 const void* transform_params, T* lut) {
  const auto function = [&](float x) { return transform(x, transform_params); };
  if constexpr (sizeof(T) == 1) {
    lut_internal::Populate8(input_scale, input_zero_point, output_scale,
                            output_zero_point, function, lut);
  } else {
    lut_internal::Populate16<float>(input_scale, input_zero_point, output_scale,
                                    output_zero_point, function, lut);
  }
}
// In doubles.
template <class T>
void LUTPopulate(double input_scale, int32_t input_zero_point,
                 double output_scale, int32_t output_zero_point,
                 double (*transform)(double), T* lut) {
  static_assert(std::is_same_v<T, int16_t>);
  lut_internal::Populate16<double>(input_scale, input_zero_point, output_scale,
                                   output_zero_point, transform, lut);
}

inline int16_t LUTLookup(int16_t value, const int16_t* lut) {
  const int index = 256 + (value >> 7);
  const int slope = lut[index + 1] - lut[index];
  return static_cast<int16_t>(lut[index] +
                              ((slope * (value & 0x7f) + 64) >> 7));
}
inline int8_t LUTLookup(int8_t value, const int8_t* lut) {
  return lut[static_cast<uint8_t>(value)];
}
inline uint8_t LUTLookup(uint8_t value, const uint8_t* lut) {
  return lut[value];
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
