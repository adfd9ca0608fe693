#include "kernels/gemm/half_weights.h"

#include <cmath>
#include <cstdint>

namespace munja::kernels {
namespace {

// Larger windows are not adjusted: their errors cancel anyway, and the time
// grows with the square.
constexpr size_t kMostTaps = 128;

// A weight and what it becomes.
struct Rounding {
  float exact;
  uint16_t half, other;  // The nearest number, and that on the other side.
  bool is_other = false;
};

Rounding RoundingOf(ElementType format, float exact) {
  const uint16_t half = reference::RoundToHalf(format, exact);
  const float near = reference::WidenHalf(format, half);
  // Magnitudes are in the order of their bits.
  const bool is_larger = std::fabs(exact) > std::fabs(near);
  const bool has_other = std::isfinite(near) && exact != near;
  const auto other = static_cast<uint16_t>(!has_other  ? half
                                           : is_larger ? half + 1
                                                       : half - 1);
  return {exact, half, other};
}

// Each step turns the weight that leaves the least error of the sum.
void RoundKeepingSum(ElementType format, std::vector<Rounding>& weights) {
  double error = 0;
  const auto value = [&](uint16_t half) {
    return double{reference::WidenHalf(format, half)};
  };
  for (const Rounding& w : weights) error += w.exact - value(w.half);
  for (;;) {
    Rounding* best = nullptr;
    double least = std::fabs(error);
    for (Rounding& w : weights) {
      if (w.is_other) continue;
      const double left = std::fabs(error - value(w.other) + value(w.half));
      if (left < least) {
        best = &w;
        least = left;
      }
    }
    if (best == nullptr) return;
    best->is_other = true;
    error -= value(best->other) - value(best->half);
  }
}

}  // namespace

std::vector<float> RoundKeepingSums(ElementType format, const float* weights,
                                    size_t outer, size_t taps, size_t inner) {
  std::vector<float> rounded(outer * taps * inner);
  std::vector<Rounding> of_taps(taps);
  for (size_t o = 0; o < outer; ++o) {
    for (size_t i = 0; i < inner; ++i) {
      const auto at = [&](size_t tap) { return (o * taps + tap) * inner + i; };
      for (size_t tap = 0; tap < taps; ++tap)
        of_taps[tap] = RoundingOf(format, weights[at(tap)]);
      if (taps <= kMostTaps) RoundKeepingSum(format, of_taps);
      for (size_t tap = 0; tap < taps; ++tap) {
        const Rounding& w = of_taps[tap];
        rounded[at(tap)] =
            reference::WidenHalf(format, w.is_other ? w.other : w.half);
      }
    }
  }
  return rounded;
}

}  // namespace munja::kernels
