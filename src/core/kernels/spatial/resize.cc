#include "kernels/spatial/resize.h"

#include <algorithm>
#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/spatial/resize.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include "hwy/highway.h"
#include "kernels/cpu/tail-inl.h"

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

std::vector<IntegerTap> IntegerTaps(int32_t in, int32_t out, bool align_corners,
                                    bool half_pixel) {
  const bool is_aligned = align_corners && out > 1;
  const int64_t from = is_aligned ? in - 1 : in,
                to = is_aligned ? out - 1 : out;
  const int64_t scale = (1024 * from + to / 2) / to;
  std::vector<IntegerTap> taps(static_cast<size_t>(out));
  for (int32_t i = 0; i < out; ++i) {
    const int64_t source = half_pixel ? i * scale + scale / 2 - 512 : i * scale;
    IntegerTap& tap = taps[i];
    tap.lower =
        static_cast<int32_t>(std::clamp<int64_t>(source / 1024, 0, in - 1));
    tap.upper = static_cast<int32_t>(
        std::clamp<int64_t>((source + 1023) / 1024, 0, in - 1));
    tap.weight = tap.lower == tap.upper
                     ? 0
                     : static_cast<int32_t>(source - int64_t{1024} * tap.lower);
  }
  return taps;
}

template <class T>
void ResizeBilinearRow(const T* upper_row, const T* lower_row,
                       int32_t row_weight, const IntegerTap* columns,
                       int32_t out_w, int32_t channels, T* out) {
  const auto count = static_cast<size_t>(channels);
  for (int32_t x = 0; x < out_w; ++x, out += count) {
    const IntegerTap& tap = columns[x];
    const T* a = upper_row + tap.lower * count;
    const T* b = upper_row + tap.upper * count;
    const T* c = lower_row + tap.lower * count;
    const T* e = lower_row + tap.upper * count;
    const int64_t right = tap.weight, left = 1024 - right;
    const int64_t below = row_weight, above = 1024 - below;
    for (size_t i = 0; i < count; ++i) {
      const int64_t v = (a[i] * left + b[i] * right) * above +
                        (c[i] * left + e[i] * right) * below;
      constexpr int64_t kHalf = 1 << 19;
      out[i] = static_cast<T>((v + (v > 0 ? kHalf : -kHalf)) / (1 << 20));
    }
  }
}

template void ResizeBilinearRow(const int8_t*, const int8_t*, int32_t,
                                const IntegerTap*, int32_t, int32_t, int8_t*);
template void ResizeBilinearRow(const int16_t*, const int16_t*, int32_t,
                                const IntegerTap*, int32_t, int32_t, int16_t*);

void ResizeBilinearRow(const uint8_t* upper_row, const uint8_t* lower_row,
                       float row_weight, const LinearTap* columns,
                       int32_t out_w, int32_t channels, uint8_t* out) {
  const auto count = static_cast<size_t>(channels);
  for (int32_t x = 0; x < out_w; ++x, out += count) {
    const LinearTap& tap = columns[x];
    const uint8_t* a = upper_row + tap.lower * count;
    const uint8_t* b = upper_row + tap.upper * count;
    const uint8_t* c = lower_row + tap.lower * count;
    const uint8_t* e = lower_row + tap.upper * count;
    const float right = tap.weight, left = 1.0f - right;
    const float below = row_weight, above = 1.0f - below;
    for (size_t i = 0; i < count; ++i) {
      const float v = static_cast<float>(a[i]) * above * left +
                      static_cast<float>(c[i]) * below * left +
                      static_cast<float>(b[i]) * above * right +
                      static_cast<float>(e[i]) * below * right;
      out[i] = static_cast<uint8_t>(std::clamp(v + 0.5f, 0.0f, 255.0f));
    }
  }
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
