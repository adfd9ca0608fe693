#include "kernels/resize.h"

#include <algorithm>
#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/resize.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include "hwy/highway.h"
#include "kernels/tail-inl.h"

HWY_BEFORE_NAMESPACE();
namespace munja::kernels::HWY_NAMESPACE {

void ResizeBilinearRow(const float* upper_row, const float* lower_row,
                       float row_weight, const LinearTap* columns,
                       int32_t out_w, int32_t channels, float* out) {
  const hn::ScalableTag<float> d;
  const size_t lanes = hn::Lanes(d);
  const size_t count = static_cast<size_t>(channels);
  const auto wy = hn::Set(d, row_weight);
  for (int32_t x = 0; x < out_w; ++x, out += count) {
    const LinearTap& tap = columns[x];
    const float* a = upper_row + tap.lower * count;
    const float* b = upper_row + tap.upper * count;
    const float* c = lower_row + tap.lower * count;
    const float* e = lower_row + tap.upper * count;
    if (count < lanes) {
      for (size_t i = 0; i < count; ++i) {
        const float top = a[i] + (b[i] - a[i]) * tap.weight;
        const float bottom = c[i] + (e[i] - c[i]) * tap.weight;
        out[i] = top + (bottom - top) * row_weight;
      }
      continue;
    }
    const auto wx = hn::Set(d, tap.weight);
    // Not fused: the few channels above must round alike.
    const auto mix = [](auto p, auto q, auto w) HWY_ATTR {
      return hn::Add(p, hn::Mul(hn::Sub(q, p), w));
    };
    size_t i = 0;
    for (; i + lanes <= count; i += lanes) {
      const auto top = mix(hn::LoadU(d, a + i), hn::LoadU(d, b + i), wx);
      const auto bottom = mix(hn::LoadU(d, c + i), hn::LoadU(d, e + i), wx);
      hn::StoreU(mix(top, bottom, wy), d, out + i);
    }
    if (i < count) {
      const size_t n = count - i;
      const auto top = mix(LoadTail(d, a + i, n), LoadTail(d, b + i, n), wx);
      const auto bottom = mix(LoadTail(d, c + i, n), LoadTail(d, e + i, n), wx);
      StoreTail(mix(top, bottom, wy), d, out + i, n);
    }
  }
}

}  // namespace munja::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace munja::kernels {
namespace {

// Input units for each output unit.
float Scale(int32_t in, int32_t out, bool align_corners) {
  return align_corners && out > 1
             ? static_cast<float>(in - 1) / static_cast<float>(out - 1)
             : static_cast<float>(in) / static_cast<float>(out);
}

}  // namespace

std::vector<LinearTap> LinearTaps(int32_t in, int32_t out, bool align_corners,
                                  bool half_pixel) {
  const float scale = Scale(in, out, align_corners);
  std::vector<LinearTap> taps(static_cast<size_t>(out));
  for (int32_t i = 0; i < out; ++i) {
    const float source = half_pixel
                             ? (static_cast<float>(i) + 0.5f) * scale - 0.5f
                             : static_cast<float>(i) * scale;
    LinearTap& tap = taps[i];
    tap.lower = std::clamp(static_cast<int32_t>(std::floor(source)), 0, in - 1);
    tap.upper = std::clamp(static_cast<int32_t>(std::ceil(source)), 0, in - 1);
    // Where both are the same pixel the weight says nothing.
    tap.weight =
        tap.lower == tap.upper ? 0.0f : source - static_cast<float>(tap.lower);
  }
  return taps;
}

std::vector<int32_t> NearestIndices(int32_t in, int32_t out, bool align_corners,
                                    bool half_pixel) {
  const float scale = Scale(in, out, align_corners);
  const float offset = half_pixel ? 0.5f : 0.0f;
  std::vector<int32_t> indices(static_cast<size_t>(out));
  for (int32_t i = 0; i < out; ++i) {
    const float source = (static_cast<float>(i) + offset) * scale;
    const float index = align_corners ? std::round(source) : std::floor(source);
    indices[i] = std::clamp(static_cast<int32_t>(index), 0, in - 1);
  }
  return indices;
}

HWY_EXPORT(ResizeBilinearRow);
void ResizeBilinearRow(const float* upper_row, const float* lower_row,
                       float row_weight, const LinearTap* columns,
                       int32_t out_w, int32_t channels, float* out) {
  HWY_DYNAMIC_DISPATCH(ResizeBilinearRow)
  (upper_row, lower_row, row_weight, columns, out_w, channels, out);
}

namespace reference {

void ResizeBilinearRow(const float* upper_row, const float* lower_row,
                       float row_weight, const LinearTap* columns,
                       int32_t out_w, int32_t channels, float* out) {
  const double wy = row_weight;
  for (int32_t x = 0; x < out_w; ++x) {
    const double wx = columns[x].weight;
    for (int32_t c = 0; c < channels; ++c) {
      const size_t p = static_cast<size_t>(columns[x].lower) * channels + c;
      const size_t q = static_cast<size_t>(columns[x].upper) * channels + c;
      const double value =
          upper_row[p] * (1 - wy) * (1 - wx) + upper_row[q] * (1 - wy) * wx +
          lower_row[p] * wy * (1 - wx) + lower_row[q] * wy * wx;
      out[static_cast<size_t>(x) * channels + c] = static_cast<float>(value);
    }
  }
}

}  // namespace reference
}  // namespace munja::kernels
#endif  // HWY_ONCE
