// Scales as fixed-point multipliers.
#ifndef MUNJA_TFLITE_KERNELS_INTERNAL_QUANTIZATION_UTIL_H_
#define MUNJA_TFLITE_KERNELS_INTERNAL_QUANTIZATION_UTIL_H_

#include <cmath>
#include <cstdint>
#include <limits>

#include "tensorflow/lite/kernels/internal/compatibility.h"
#include "tensorflow/lite/kernels/internal/cppmath.h"

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
IntOut SafeCast(FloatIn x) {
  using Limits = std::numeric_limits<IntOut>;
  if (x != x) return 0;
  if (x <= static_cast<FloatIn>(Limits::min())) return Limits::min();
  if (x >= static_cast<FloatIn>(Limits::max())) return Limits::max();
  return static_cast<IntOut>(x);
}

}  // namespace tflite

#endif  // MUNJA_TFLITE_KERNELS_INTERNAL_QUANTIZATION_UTIL_H_
