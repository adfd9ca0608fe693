#include "kernels/spatial/int_pool.h"

#include <algorithm>
#include <cstddef>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/spatial/int_pool.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include "hwy/highway.h"
#include "kernels/cpu/tail-inl.h"

HWY_BEFORE_NAMESPACE();
namespace munja::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// As many whole vectors of d as fit the values from `c` on; gives the next.
template <class D, class T>
HWY_INLINE size_t MaximaBy(D d, const T* in, size_t rows, size_t columns,
                           size_t row_step, size_t column_step, size_t c,
                           size_t count, int32_t low, int32_t high, T* out) {
  const size_t lanes = hn::Lanes(d);
  const auto least = hn::Set(d, static_cast<T>(low)),
             most = hn::Set(d, static_cast<T>(high));
  for (; c + lanes <= count; c += lanes) {
    auto maximum = least;
    for (size_t y = 0; y < rows; ++y) {
      const T* pixel = in + y * row_step + c;
      for (size_t x = 0; x < columns; ++x, pixel += column_step)
        maximum = hn::Max(maximum, hn::LoadU(d, pixel));
    }
    hn::StoreU(hn::Min(maximum, most), d, out + c);
  }
  return c;
}

// Maxima over the rows x columns pixels from `in` on, of `count` values: the
// channels of one pixel, or of pixels that follow each other.
template <class T>
void Maxima(const T* in, size_t rows, size_t columns, size_t row_step,
            size_t column_step, size_t count, int32_t low, int32_t high,
            T* out) {
  size_t c = MaximaBy(hn::ScalableTag<T>(), in, rows, columns, row_step,
                      column_step, 0, count, low, high, out);
  c = MaximaBy(hn::CappedTag<T, 16 / sizeof(T)>(), in, rows, columns, row_step,
               column_step, c, count, low, high, out);
  for (; c < count; ++c) {
    int32_t maximum = low;
    for (size_t y = 0; y < rows; ++y)
      for (size_t x = 0; x < columns; ++x)
        maximum =
            std::max<int32_t>(maximum, in[y * row_step + x * column_step + c]);
    out[c] = static_cast<T>(std::min(maximum, high));
  }
}

// Averages of the same, rounded half away from 0, where sums are so small that
// quotients of floats, cut off, are those of integers.
template <class T>
void Averages(const T* in, size_t rows, size_t columns, size_t row_step,
              size_t column_step, size_t count, int32_t low, int32_t high,
              T* out) {
  const hn::ScalableTag<int32_t> d;
  const hn::RebindToFloat<decltype(d)> df;
  const hn::Rebind<T, decltype(d)> narrow;
  const size_t lanes = hn::Lanes(d);
  const auto area = static_cast<int32_t>(rows * columns);
  const auto half = hn::Set(d, area / 2), zero = hn::Zero(d);
  const auto divisor = hn::Set(df, static_cast<float>(area));
  const auto least = hn::Set(d, low), most = hn::Set(d, high);
  for (size_t c = 0; c < count; c += lanes) {
    const bool is_full = c + lanes <= count;
    auto sum = zero;
    for (size_t y = 0; y < rows; ++y) {
      const T* pixel = in + y * row_step + c;
      for (size_t x = 0; x < columns; ++x, pixel += column_step) {
        const auto v = is_full ? hn::LoadU(narrow, pixel)
                               : LoadTail(narrow, pixel, count - c);
        sum = hn::Add(sum, hn::PromoteTo(d, v));
      }
    }
    const auto nudge =
        hn::IfThenElse(hn::Gt(sum, zero), half, hn::Sub(zero, half));
    const auto quotient =
        hn::Div(hn::ConvertTo(df, hn::Add(sum, nudge)), divisor);
    const auto average =
        hn::Min(hn::Max(hn::ConvertTo(d, quotient), least), most);
    const auto stored = hn::DemoteTo(narrow, average);
    if (is_full)
      hn::StoreU(stored, narrow, out + c);
    else
      StoreTail(stored, narrow, out + c, count - c);
  }
}

#define MUNJA_POOL(function, name, T)                                          \
  void name(const T* in, size_t rows, size_t columns, size_t row_step,         \
            size_t column_step, size_t count, int32_t low, int32_t high,       \
            T* out) {                                                          \
    function(in, rows, columns, row_step, column_step, count, low, high, out); \
  }
MUNJA_POOL(Maxima, MaximaInt8, int8_t)
MUNJA_POOL(Maxima, MaximaUInt8, uint8_t)
MUNJA_POOL(Maxima, MaximaInt16, int16_t)
MUNJA_POOL(Averages, AveragesInt8, int8_t)
MUNJA_POOL(Averages, AveragesUInt8, uint8_t)
MUNJA_POOL(Averages, AveragesInt16, int16_t)
#undef MUNJA_POOL

}  // namespace munja::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace munja::kernels {

HWY_EXPORT(MaximaInt8);
HWY_EXPORT(MaximaUInt8);
HWY_EXPORT(MaximaInt16);
HWY_EXPORT(AveragesInt8);
HWY_EXPORT(AveragesUInt8);
HWY_EXPORT(AveragesInt16);

namespace {

#define MUNJA_POOL(function, name, T)                                        \
  void function(const T* in, size_t rows, size_t columns, size_t row_step,   \
                size_t column_step, size_t count, int32_t low, int32_t high, \
                T* out) {                                                    \
    HWY_DYNAMIC_DISPATCH(name)                                               \
    (in, rows, columns, row_step, column_step, count, low, high, out);       \
  }
MUNJA_POOL(Maxima, MaximaInt8, int8_t)
MUNJA_POOL(Maxima, MaximaUInt8, uint8_t)
MUNJA_POOL(Maxima, MaximaInt16, int16_t)
MUNJA_POOL(Averages, AveragesInt8, int8_t)
MUNJA_POOL(Averages, AveragesUInt8, uint8_t)
MUNJA_POOL(Averages, AveragesInt16, int16_t)
#undef MUNJA_POOL

// Sums of up to that many values of T are below 2^22.
template <class T>
constexpr int64_t kSmallArea = int64_t{1} << (22 - 8 * sizeof(T));

// Channels that are reduced together: their sums stay in the first-level
// cache.
constexpr size_t kChannels = 256;

int64_t RoundedMean(int64_t sum, int64_t count) {
  return (sum > 0 ? sum + count / 2 : sum - count / 2) / count;
}

// Averages over windows of any size. Sum holds the sum of one.
template <class Sum, class T>
void LargeAverages(const T* in, size_t rows, size_t columns, size_t row_step,
                   size_t column_step, size_t count, int32_t low, int32_t high,
                   T* out) {
  Sum sums[kChannels];
  std::fill_n(sums, count, Sum{0});
  for (size_t y = 0; y < rows; ++y) {
    const T* pixel = in + y * row_step;
    for (size_t x = 0; x < columns; ++x, pixel += column_step)
      for (size_t c = 0; c < count; ++c) sums[c] += pixel[c];
  }
  const auto area = static_cast<int64_t>(rows * columns);
  for (size_t c = 0; c < count; ++c) {
    out[c] = static_cast<T>(
        std::clamp<int64_t>(RoundedMean(sums[c], area), low, high));
  }
}

}  // namespace

template <class T>
void IntPool(PoolKind kind, const PoolShape& s, int32_t low, int32_t high,
             const T* in, int32_t y_begin, int32_t y_end, T* out) {
  const auto channels = static_cast<size_t>(s.channels);
  const size_t row_step = static_cast<size_t>(s.in_w) * channels;
  // 65536 values of 16 bits fit a sum of 32.
  const int64_t area = int64_t{s.kernel_h} * s.kernel_w;
  const bool is_huge = area > 65535, is_small = area <= kSmallArea<T>;
  for (int32_t y = y_begin; y < y_end; ++y) {
    const int64_t top = int64_t{y} * s.stride_h - s.pad_top;
    const int64_t y0 = std::max<int64_t>(top, 0);
    const int64_t y1 = std::min<int64_t>(top + s.kernel_h, s.in_h);
    T* to = out + static_cast<size_t>(y) * s.out_w * channels;
    for (int64_t x = 0, pixels = 1; x < s.out_w; x += pixels) {
      const int64_t left = x * s.stride_w - s.pad_left;
      // Windows inside of the image that move by a pixel run side by side.
      const int64_t room = int64_t{s.in_w} - s.kernel_w - left + 1;
      pixels = s.stride_w == 1 && left >= 0 && room > 0
                   ? std::min(room, s.out_w - x)
                   : 1;
      const int64_t x0 = std::max<int64_t>(left, 0);
      const int64_t x1 = std::min<int64_t>(left + s.kernel_w, s.in_w);
      const T* from = in + (y0 * s.in_w + x0) * s.channels;
      const auto rows = static_cast<size_t>(y1 - y0),
                 columns = static_cast<size_t>(x1 - x0);
      const size_t values = static_cast<size_t>(pixels) * channels;
      if (kind == PoolKind::kMaximum) {
        Maxima(from, rows, columns, row_step, channels, values, low, high, to);
      } else if (is_small) {
        Averages(from, rows, columns, row_step, channels, values, low, high,
                 to);
      }
      for (size_t c = 0; kind != PoolKind::kMaximum && !is_small && c < values;
           c += kChannels) {
        const size_t count = std::min(kChannels, values - c);
        const auto average =
            is_huge ? LargeAverages<int64_t, T> : LargeAverages<int32_t, T>;
        average(from + c, rows, columns, row_step, channels, count, low, high,
                to + c);
      }
      to += values;
    }
  }
}

namespace reference {

template <class T>
void IntPool(PoolKind kind, const PoolShape& s, int32_t low, int32_t high,
             const T* in, int32_t y_begin, int32_t y_end, T* out) {
  for (int32_t y = y_begin; y < y_end; ++y) {
    for (int32_t x = 0; x < s.out_w; ++x) {
      for (int32_t c = 0; c < s.channels; ++c) {
        int64_t maximum = std::numeric_limits<T>::lowest(), sum = 0, count = 0;
        // A window may be far larger than the image.
        const int64_t top = int64_t{y} * s.stride_h - s.pad_top;
        const int64_t left = int64_t{x} * s.stride_w - s.pad_left;
        const int64_t bottom = std::min<int64_t>(top + s.kernel_h, s.in_h);
        const int64_t right = std::min<int64_t>(left + s.kernel_w, s.in_w);
        for (int64_t row = std::max<int64_t>(top, 0); row < bottom; ++row) {
          for (int64_t column = std::max<int64_t>(left, 0); column < right;
               ++column) {
            const T v = in[(row * s.in_w + column) * s.channels + c];
            maximum = std::max<int64_t>(maximum, v);
            sum += v;
            ++count;
          }
        }
        const int64_t value =
            kind == PoolKind::kMaximum ? maximum : RoundedMean(sum, count);
        out[(int64_t{y} * s.out_w + x) * s.channels + c] =
            static_cast<T>(std::clamp<int64_t>(value, low, high));
      }
    }
  }
}

}  // namespace reference

#define MUNJA_INT_POOL(T)                                             \
  template void IntPool(PoolKind, const PoolShape&, int32_t, int32_t, \
                        const T*, int32_t, int32_t, T*);              \
  namespace reference {                                               \
  template void IntPool(PoolKind, const PoolShape&, int32_t, int32_t, \
                        const T*, int32_t, int32_t, T*);              \
  }
MUNJA_INT_POOL(int8_t)
MUNJA_INT_POOL(uint8_t)
MUNJA_INT_POOL(int16_t)
#undef MUNJA_INT_POOL

}  // namespace munja::kernels
#endif  // HWY_ONCE
