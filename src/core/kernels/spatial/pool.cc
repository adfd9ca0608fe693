#include "kernels/spatial/pool.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/spatial/pool.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include "hwy/highway.h"
#include "kernels/cpu/tail-inl.h"

HWY_BEFORE_NAMESPACE();
namespace munja::kernels::HWY_NAMESPACE {

template <PoolKind kKind, class V>
HWY_INLINE V Accumulate(V sum, V x) {
  if constexpr (kKind == PoolKind::kMaximum) return hn::Max(sum, x);
  if constexpr (kKind == PoolKind::kAverage) return hn::Add(sum, x);
  if constexpr (kKind == PoolKind::kL2) return hn::MulAdd(x, x, sum);
}

// As a float, which has no room for all products of 32 bits either.
HWY_INLINE float Area(int32_t rows, int32_t cols) {
  return static_cast<float>(int64_t{rows} * cols);
}

// The pixels of one dimension that lie under a window and in the image.
struct Under {
  int32_t begin, end;
};
// In 64 bits: the last window of a long image may end beyond 2^31.
HWY_INLINE Under PixelsUnder(int32_t i, int32_t stride, int32_t pad,
                             int32_t kernel, int32_t size) {
  const int64_t first = int64_t{i} * stride - pad;
  return {static_cast<int32_t>(std::max<int64_t>(first, 0)),
          static_cast<int32_t>(std::min<int64_t>(first + kernel, size))};
}

// Output pixels from x on whose windows lie side by side in the image.
HWY_INLINE int32_t SideBySide(const PoolShape& s, int32_t x) {
  const int64_t left = int64_t{x} * s.stride_w - s.pad_left;
  if (s.stride_w != 1 || left < 0) return 0;
  const int64_t room = int64_t{s.in_w} - left - s.kernel_w + 1;
  return static_cast<int32_t>(
      std::clamp<int64_t>(room, 0, int64_t{s.out_w} - x));
}

// One output pixel: `in` is the window's first pixel inside the image, which
// has `rows` x `cols` pixels there.
template <PoolKind kKind>
HWY_INLINE void Pixel(const PoolShape& s, const float* in, int32_t rows,
                      int32_t cols, float* out) {
  const hn::ScalableTag<float> d;
  const size_t lanes = hn::Lanes(d);
  const size_t channels = static_cast<size_t>(s.channels);
  const size_t row_stride = static_cast<size_t>(s.in_w) * channels;
  const auto scale = hn::Set(d, 1.0f / Area(rows, cols));
  const auto start = kKind == PoolKind::kMaximum
                         ? hn::Set(d, -std::numeric_limits<float>::infinity())
                         : hn::Zero(d);
  const auto finish = [&](auto sum) HWY_ATTR {
    if constexpr (kKind != PoolKind::kMaximum) sum = hn::Mul(sum, scale);
    if constexpr (kKind == PoolKind::kL2) sum = hn::Sqrt(sum);
    return sum;
  };
  size_t c = 0;
  for (; c + lanes <= channels; c += lanes) {
    auto sum = start;
    const float* row = in + c;
    for (int32_t y = 0; y < rows; ++y, row += row_stride) {
      const float* p = row;
      for (int32_t x = 0; x < cols; ++x, p += channels)
        sum = Accumulate<kKind>(sum, hn::LoadU(d, p));
    }
    hn::StoreU(finish(sum), d, out + c);
  }
  if (c < channels) {
    const size_t rest = channels - c;
    auto sum = start;
    const float* row = in + c;
    for (int32_t y = 0; y < rows; ++y, row += row_stride) {
      const float* p = row;
      for (int32_t x = 0; x < cols; ++x, p += channels)
        sum = Accumulate<kKind>(sum, LoadTail(d, p, rest));
    }
    StoreTail(finish(sum), d, out + c, rest);
  }
}

// Output pixels next to each other whose windows of `rows` x `cols` lie side by
// side, too (stride 1): one long row of floats. kSide, if not 0, is both.
template <PoolKind kKind, int32_t kSide>
HWY_INLINE void RunOf(const PoolShape& s, const float* in, int32_t rows,
                      int32_t cols, size_t count, float* out) {
  const hn::ScalableTag<float> d;
  const size_t lanes = hn::Lanes(d);
  const size_t channels = static_cast<size_t>(s.channels);
  const size_t row_stride = static_cast<size_t>(s.in_w) * channels;
  if constexpr (kSide != 0) rows = cols = kSide;
  const auto scale = hn::Set(d, 1.0f / Area(rows, cols));
  for (size_t i = 0; i < count; i += lanes) {
    // The last vector begins earlier: there are that many floats.
    const size_t at = HWY_MIN(i, count - lanes);
    auto sum = kKind == PoolKind::kMaximum
                   ? hn::Set(d, -std::numeric_limits<float>::infinity())
                   : hn::Zero(d);
    for (int32_t y = 0; y < rows; ++y) {
      const float* p = in + static_cast<size_t>(y) * row_stride + at;
      for (int32_t x = 0; x < cols; ++x, p += channels)
        sum = Accumulate<kKind>(sum, hn::LoadU(d, p));
    }
    if constexpr (kKind != PoolKind::kMaximum) sum = hn::Mul(sum, scale);
    if constexpr (kKind == PoolKind::kL2) sum = hn::Sqrt(sum);
    hn::StoreU(sum, d, out + at);
  }
}

template <PoolKind kKind>
void Run(const PoolShape& s, const float* in, int32_t rows, int32_t cols,
         size_t count, float* out) {
  if (rows == 2 && cols == 2)
    RunOf<kKind, 2>(s, in, rows, cols, count, out);
  else if (rows == 3 && cols == 3)
    RunOf<kKind, 3>(s, in, rows, cols, count, out);
  else
    RunOf<kKind, 0>(s, in, rows, cols, count, out);
}

template <PoolKind kKind>
void Image(const PoolShape& s, const float* in, int32_t y_begin, int32_t y_end,
           float* out) {
  const size_t channels = static_cast<size_t>(s.channels);
  for (int32_t y = y_begin; y < y_end; ++y) {
    const auto [y0, y1] =
        PixelsUnder(y, s.stride_h, s.pad_top, s.kernel_h, s.in_h);
    float* out_row = out + static_cast<size_t>(y) * s.out_w * channels;
    for (int32_t x = 0; x < s.out_w; ++x) {
      const auto [x0, x1] =
          PixelsUnder(x, s.stride_w, s.pad_left, s.kernel_w, s.in_w);
      const int32_t side_by_side = SideBySide(s, x);
      const size_t floats = static_cast<size_t>(side_by_side) * channels;
      if (side_by_side > 1 && floats >= hn::Lanes(hn::ScalableTag<float>())) {
        Run<kKind>(s, in + (static_cast<size_t>(y0) * s.in_w + x0) * channels,
                   y1 - y0, s.kernel_w, floats,
                   out_row + static_cast<size_t>(x) * channels);
        x += side_by_side - 1;
        continue;
      }
      Pixel<kKind>(s, in + (static_cast<size_t>(y0) * s.in_w + x0) * channels,
                   y1 - y0, x1 - x0,
                   out_row + static_cast<size_t>(x) * channels);
    }
  }
}

void Pool(PoolKind kind, const PoolShape& shape, const float* in,
          int32_t y_begin, int32_t y_end, float* out) {
  switch (kind) {
    case PoolKind::kMaximum:
      return Image<PoolKind::kMaximum>(shape, in, y_begin, y_end, out);
    case PoolKind::kAverage:
      return Image<PoolKind::kAverage>(shape, in, y_begin, y_end, out);
    case PoolKind::kL2:
      return Image<PoolKind::kL2>(shape, in, y_begin, y_end, out);
  }
}

// Maxima of `count` numbers, as RunOf; a vector of floats has room for every
// other number, whose lower half is cut off or shifted in.
#if HWY_TARGET != HWY_SCALAR
template <class D16>
HWY_INLINE void MaximumRun(D16 d16, const uint16_t* in, size_t row_stride,
                           size_t column_stride, int32_t rows, int32_t cols,
                           size_t count, uint16_t* out) {
  const hn::Repartition<uint32_t, D16> d32;
  const hn::RebindToFloat<decltype(d32)> d;
  const size_t lanes = hn::Lanes(d16);
  const auto upper = hn::Set(d32, 0xffff0000u);
  for (size_t i = 0; i < count; i += lanes) {
    const size_t at = HWY_MIN(i, count - lanes);
    auto even = hn::Set(d, -std::numeric_limits<float>::infinity());
    auto odd = even;
    for (int32_t y = 0; y < rows; ++y) {
      const uint16_t* p = in + static_cast<size_t>(y) * row_stride + at;
      for (int32_t x = 0; x < cols; ++x, p += column_stride) {
        const auto both = hn::BitCast(d32, hn::LoadU(d16, p));
        even = hn::Max(even, hn::BitCast(d, hn::ShiftLeft<16>(both)));
        odd = hn::Max(odd, hn::BitCast(d, hn::And(both, upper)));
      }
    }
    const auto both = hn::Or(hn::ShiftRight<16>(hn::BitCast(d32, even)),
                             hn::BitCast(d32, odd));
    hn::StoreU(hn::BitCast(d16, both), d16, out + at);
  }
}

#endif

float WidenBFloat16(uint16_t x) {
  return std::bit_cast<float>(static_cast<uint32_t>(x) << 16);
}

// Pixels whose windows of `rows` x `cols` lie side by side, or one.
void MaximumRun(const PoolShape& s, const uint16_t* in, int32_t rows,
                int32_t cols, size_t count, uint16_t* out) {
  const size_t channels = static_cast<size_t>(s.channels);
  const size_t row_stride = static_cast<size_t>(s.in_w) * channels;
#if HWY_TARGET != HWY_SCALAR
  const hn::ScalableTag<uint16_t> wide;
  const hn::CappedTag<uint16_t, 8> narrow;
  if (count >= hn::Lanes(wide)) {
    if (rows == 2 && cols == 2)
      MaximumRun(wide, in, row_stride, channels, 2, 2, count, out);
    else
      MaximumRun(wide, in, row_stride, channels, rows, cols, count, out);
    return;
  }
  if (count >= hn::Lanes(narrow)) {
    MaximumRun(narrow, in, row_stride, channels, rows, cols, count, out);
    return;
  }
#endif
  for (size_t i = 0; i < count; ++i) {
    uint16_t most = 0xff80;  // -infinity.
    for (int32_t y = 0; y < rows; ++y) {
      for (int32_t x = 0; x < cols; ++x) {
        const uint16_t here = in[y * row_stride + x * channels + i];
        most = WidenBFloat16(most) > WidenBFloat16(here) ? most : here;
      }
    }
    out[i] = most;
  }
}

void MaximumOfBFloat16(const PoolShape& s, const uint16_t* in, int32_t y_begin,
                       int32_t y_end, uint16_t* out) {
  const size_t channels = static_cast<size_t>(s.channels);
  for (int32_t y = y_begin; y < y_end; ++y) {
    const auto [y0, y1] =
        PixelsUnder(y, s.stride_h, s.pad_top, s.kernel_h, s.in_h);
    uint16_t* const out_row = out + static_cast<size_t>(y) * s.out_w * channels;
    for (int32_t x = 0; x < s.out_w;) {
      const auto [x0, x1] =
          PixelsUnder(x, s.stride_w, s.pad_left, s.kernel_w, s.in_w);
      const int32_t pixels = HWY_MAX(SideBySide(s, x), 1);
      MaximumRun(s, in + (static_cast<size_t>(y0) * s.in_w + x0) * channels,
                 y1 - y0, x1 - x0, static_cast<size_t>(pixels) * channels,
                 out_row + static_cast<size_t>(x) * channels);
      x += pixels;
    }
  }
}

}  // namespace munja::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace munja::kernels {

HWY_EXPORT(MaximumOfBFloat16);
void MaximumOfBFloat16(const PoolShape& shape, const uint16_t* in,
                       int32_t y_begin, int32_t y_end, uint16_t* out) {
  HWY_DYNAMIC_DISPATCH(MaximumOfBFloat16)(shape, in, y_begin, y_end, out);
}

HWY_EXPORT(Pool);
void Pool(PoolKind kind, const PoolShape& shape, const Activation& activation,
          const float* in, int32_t y_begin, int32_t y_end, float* out) {
  if (activation.kind == ActivationKind::kNone) {
    HWY_DYNAMIC_DISPATCH(Pool)(kind, shape, in, y_begin, y_end, out);
    return;
  }
  // Row by row, while what was made is in the cache.
  const size_t row =
      static_cast<size_t>(shape.out_w) * static_cast<size_t>(shape.channels);
  for (int32_t y = y_begin; y < y_end; ++y) {
    HWY_DYNAMIC_DISPATCH(Pool)(kind, shape, in, y, y + 1, out);
    float* const made = out + static_cast<size_t>(y) * row;
    Activate(activation, made, row, made);
  }
}

namespace reference {

void Pool(PoolKind kind, const PoolShape& s, const Activation& activation,
          const float* in, int32_t y_begin, int32_t y_end, float* out) {
  for (int32_t y = y_begin; y < y_end; ++y) {
    for (int32_t x = 0; x < s.out_w; ++x) {
      for (int32_t c = 0; c < s.channels; ++c) {
        double maximum = -HUGE_VAL, sum = 0.0, squares = 0.0;
        int count = 0;
        // A window may be far larger than the image.
        const int64_t top = int64_t{y} * s.stride_h - s.pad_top;
        const int64_t left = int64_t{x} * s.stride_w - s.pad_left;
        const int64_t bottom = std::min<int64_t>(top + s.kernel_h, s.in_h);
        const int64_t right = std::min<int64_t>(left + s.kernel_w, s.in_w);
        for (int64_t iy = std::max<int64_t>(top, 0); iy < bottom; ++iy) {
          for (int64_t ix = std::max<int64_t>(left, 0); ix < right; ++ix) {
            const double v =
                in[(static_cast<size_t>(iy) * s.in_w + ix) * s.channels + c];
            maximum = std::max(maximum, v);
            sum += v;
            squares += v * v;
            ++count;
          }
        }
        const double result = kind == PoolKind::kMaximum ? maximum
                              : kind == PoolKind::kAverage
                                  ? sum / count
                                  : std::sqrt(squares / count);
        out[(static_cast<size_t>(y) * s.out_w + x) * s.channels + c] =
            Activate(activation, static_cast<float>(result));
      }
    }
  }
}

}  // namespace reference
}  // namespace munja::kernels
#endif  // HWY_ONCE
