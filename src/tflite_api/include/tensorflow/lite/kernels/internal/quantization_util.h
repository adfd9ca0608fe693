// Scales as fixed-point multipliers.
#ifndef MUNJA_TFLITE_KERNELS_INTERNAL_QUANTIZATION_UTIL_H_
#define MUNJA_TFLITE_KERNELS_INTERNAL_QUANTIZATION_UTIL_H_

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "tensorflow/lite/kernels/internal/compatibility.h"
#include "tensorflow/lite/kernels/internal/cppmath.h"
#include "tensorflow/lite/kernels/internal/types.h"

namespace tflite {

// multiplier = quantized * 2^(shift - 31), quantized in [2^30, 2^31).
inline void QuantizeMultiplier(double double_multiplier,
                               int32_t* quantized_multiplier, int* shift) {
  *quantized_multiplier = 0;
  *shift = 0;
  if (double_multiplier == 0.) return;
  const double fraction = std::frexp(double_multiplier, shift);
  auto fixed = static_cast<int64_t>(
      TfLiteRound(fraction * static_cast<double>(int64_t{1} << 31)));
  if (fixed == (int64_t{1} << 31)) {
    fixed /= 2;
    ++*shift;
  }
  // Too small to tell from zero, or too large to hold.
  if (*shift < -31) {
    *shift = 0;
    fixed = 0;
  }
  if (*shift > 30) {
    *shift = 30;
    fixed = (int64_t{1} << 31) - 1;
  }
  *quantized_multiplier = static_cast<int32_t>(fixed);
}

inline void QuantizeMultiplierSmallerThanOneExp(double double_multiplier,
                                                int32_t* quantized_multiplier,
                                                int* left_shift) {
  TFLITE_CHECK_LT(double_multiplier, 1.);
  TFLITE_CHECK_GT(double_multiplier, 0.);
  QuantizeMultiplier(double_multiplier, quantized_multiplier, left_shift);
}

inline void QuantizeMultiplierGreaterThanOne(double double_multiplier,
                                             int32_t* quantized_multiplier,
                                             int* left_shift) {
  TFLITE_CHECK_GT(double_multiplier, 1.);
  QuantizeMultiplier(double_multiplier, quantized_multiplier, left_shift);
}

// Out of range: the nearest end of it.
template <class IntOut, class FloatIn>
IntOut SafeCast(FloatIn x, IntOut nan_result = 0) {
  using Limits = std::numeric_limits<IntOut>;
  if (x != x) return nan_result;
  if (x <= static_cast<FloatIn>(Limits::min())) return Limits::min();
  if (x >= static_cast<FloatIn>(Limits::max())) return Limits::max();
  return static_cast<IntOut>(x);
}

// The scale that spreads [rmin, rmax], which holds zero, over the integers T,
// and the integer that stands for zero. Of the two ends the one whose zero
// point has the smaller rounding error decides.
template <class T>
QuantizationParams ChooseQuantizationParams(double rmin, double rmax,
                                            bool narrow_range = false) {
  const double lowest = static_cast<double>(std::numeric_limits<T>::min()) +
                        (narrow_range ? 1 : 0);
  const double highest = static_cast<double>(std::numeric_limits<T>::max());
  TFLITE_CHECK_LE(rmin, 0.);
  TFLITE_CHECK_GE(rmax, 0.);
  QuantizationParams params;
  if (rmin == rmax) return params;
  params.scale = (rmax - rmin) / (highest - lowest);
  const double error_from_min =
      std::abs(lowest) + std::abs(rmin / params.scale);
  const double error_from_max =
      std::abs(highest) + std::abs(rmax / params.scale);
  const double zero_point = error_from_min < error_from_max
                                ? lowest - rmin / params.scale
                                : highest - rmax / params.scale;
  params.zero_point = static_cast<int32_t>(
      TfLiteRound(std::clamp(zero_point, lowest, highest)));
  return params;
}

// The multiplier by which softmax's differences become fixed-point numbers of
// `input_integer_bits` integer bits.
inline void PreprocessSoftmaxScaling(double beta, double input_scale,
                                     int input_integer_bits,
                                     int32_t* quantized_multiplier,
                                     int* left_shift) {
  const double largest = static_cast<double>((int64_t{1} << 31) - 1);
  QuantizeMultiplierGreaterThanOne(
      std::min(std::ldexp(beta * input_scale, 31 - input_integer_bits),
               largest),
      quantized_multiplier, left_shift);
}

// ... of log-softmax, with the way back.
inline void PreprocessLogSoftmaxScalingExp(double beta, double input_scale,
                                           int input_integer_bits,
                                           int32_t* quantized_multiplier,
                                           int* left_shift,
                                           int32_t* reverse_scaling_divisor,
                                           int* reverse_scaling_left_shift) {
  PreprocessSoftmaxScaling(beta, input_scale, input_integer_bits,
                           quantized_multiplier, left_shift);
  QuantizeMultiplierSmallerThanOneExp(
      std::ldexp(1.0, 31 - *left_shift) /
          static_cast<double>(*quantized_multiplier),
      reverse_scaling_divisor, reverse_scaling_left_shift);
}

// The largest input that does not saturate once it is shifted.
inline int CalculateInputRadius(int input_integer_bits, int input_left_shift,
                                int total_signed_bits = 31) {
  const double largest =
      std::ldexp(std::ldexp(1.0, input_integer_bits) - 1,
                 total_signed_bits - input_integer_bits - input_left_shift);
  return static_cast<int>(std::floor(largest));
}

// The range moved so that zero is one of its quant_max - quant_min + 1 steps.
inline void NudgeQuantizationRange(const float min, const float max,
                                   const int quant_min, const int quant_max,
                                   float* nudged_min, float* nudged_max,
                                   float* nudged_scale) {
  const auto lowest = static_cast<float>(quant_min);
  const auto highest = static_cast<float>(quant_max);
  *nudged_scale = (max - min) / (highest - lowest);
  const float zero_point = lowest - min / *nudged_scale;
  const float nudged = TfLiteRound(std::clamp(zero_point, lowest, highest));
  *nudged_min = (lowest - nudged) * *nudged_scale;
  *nudged_max = (highest - nudged) * *nudged_scale;
}

// Each value rounded to a step of the range.
inline void FakeQuantizeArray(const float nudged_scale, const float nudged_min,
                              const float nudged_max, const float* input_data,
                              float* output_data, const float size) {
  const float inverse = 1.0f / nudged_scale;
  for (int i = 0; i < static_cast<int>(size); ++i) {
    const float x = std::clamp(input_data[i], nudged_min, nudged_max);
    output_data[i] =
        TfLiteRound((x - nudged_min) * inverse) * nudged_scale + nudged_min;
  }
}

// Whether x is a power of two, to a thousandth of the exponent.
inline bool CheckedLog2(const float x, int* log2_result) {
  const float exact = std::log2(x);
  const float rounded = TfLiteRound(exact);
  *log2_result = static_cast<int>(rounded);
  return std::abs(exact - rounded) < 1e-3f;
}

inline void QuantizeMultiplierArray(const double* effective_scales, size_t size,
                                    int32_t* effective_scale_significand,
                                    int* effective_shift) {
  for (size_t i = 0; i < size; ++i)
    QuantizeMultiplier(effective_scales[i], &effective_scale_significand[i],
                       &effective_shift[i]);
}

// input = fraction * 2^(shift - 31).
inline int64_t IntegerFrExp(double input, int* shift) {
  const double fraction = std::frexp(input, shift);
  return static_cast<int64_t>(TfLiteRound(std::ldexp(fraction, 31)));
}
inline double DoubleFromFractionAndShift(int64_t fraction, int shift) {
  return std::ldexp(static_cast<double>(fraction), shift - 31);
}
inline double IntegerDoubleMultiply(double a, double b) { return a * b; }
inline int IntegerDoubleCompare(double a, double b) {
  return a < b ? -1 : a > b ? 1 : 0;
}

}  // namespace tflite

#endif  // MUNJA_TFLITE_KERNELS_INTERNAL_QUANTIZATION_UTIL_H_
