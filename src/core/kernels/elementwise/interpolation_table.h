// Functions of one int16 by 513 samples and straight lines between them, as
// TensorFlow Lite has them: the nine high bits choose the sample, the seven low
// ones lie between it and the next.
#ifndef MUNJA_KERNELS_ELEMENTWISE_INTERPOLATION_TABLE_H_
#define MUNJA_KERNELS_ELEMENTWISE_INTERPOLATION_TABLE_H_

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

namespace munja::kernels {

using InterpolationTable = std::array<int16_t, 513>;

// real input = in_scale * (stored - in_zero), real output = out_scale * stored.
// Each sample is moved against half the error in the middle of the line behind
// it. `Real` (float or double) is what the samples are computed in. NaN gives
// the lowest output.
template <class Real, class F>
InterpolationTable MakeInterpolationTable(Real in_scale, int32_t in_zero,
                                          Real out_scale, const F& f) {
  constexpr int kSteps = 512;
  const Real first = in_scale * static_cast<Real>(-32768 - in_zero);
  const Real last = in_scale * static_cast<Real>(32767 - in_zero);
  const Real step = (last - first) / kSteps;
  const Real to_stored =
      Real{65536} / (out_scale * Real{32767} - out_scale * Real{-32768});
  const auto clamp = [](Real v) {
    if (!(v > Real{-32768})) return int16_t{-32768};
    return static_cast<int16_t>(std::min(v, Real{32767}));
  };
  InterpolationTable table;
  for (int i = 0; i < kSteps; ++i) {
    const Real x = first + static_cast<Real>(i) * step;
    const Real next = f(first + static_cast<Real>(i + 1) * step);
    const Real sample = std::round(f(x) * to_stored);
    const Real line = std::round((next * to_stored + sample) / 2);
    const Real middle = std::round(f(x + step / 2) * to_stored);
    table[i] = clamp(sample - std::round((line - middle) / 2));
  }
  table[kSteps] = clamp(std::round(f(last) * to_stored));
  return table;
}

inline int16_t Interpolate(const InterpolationTable& table, int16_t stored) {
  const int index = 256 + (stored >> 7);
  const int offset = stored & 0x7f;
  const auto slope = static_cast<int16_t>(table[index + 1] - table[index]);
  return static_cast<int16_t>(table[index] + ((slope * offset + 64) >> 7));
}

}  // namespace munja::kernels

#endif  // MUNJA_KERNELS_ELEMENTWISE_INTERPOLATION_TABLE_H_
