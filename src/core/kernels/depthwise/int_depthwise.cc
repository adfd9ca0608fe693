#include "kernels/depthwise/int_depthwise.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/depthwise/int_depthwise.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include "hwy/highway.h"
#include "kernels/cpu/cache.h"

HWY_BEFORE_NAMESPACE();
namespace munja::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// The part of a window inside the image.
struct IntTaps {
  const int16_t* in;  // The first of them, channel 0.
  const int16_t* weights;
  size_t rows, columns;
  size_t in_row, in_column;          // Steps in elements.
  size_t weight_row, weight_column;  // Likewise.
};

// sums[i] = sum over taps of channels [channel, channel + kVectors vectors),
// one input channel for each. With kIsShared all of them read channel 0.
template <size_t kVectors, bool kIsShared>
HWY_INLINE void SumVectors(const IntTaps& t, size_t channel, int32_t* sums) {
  const hn::ScalableTag<int32_t> d;
  const hn::Rebind<int16_t, decltype(d)> narrow;
  const size_t lanes = hn::Lanes(d);
  hn::Vec<decltype(d)> sum[kVectors];
  HWY_UNROLL(4)
  for (size_t v = 0; v < kVectors; ++v) sum[v] = hn::Zero(d);
  for (size_t i = 0; i < t.rows; ++i) {
    const int16_t* in = t.in + i * t.in_row + (kIsShared ? 0 : channel);
    const int16_t* w = t.weights + i * t.weight_row + channel;
    for (size_t j = 0; j < t.columns; ++j) {
      HWY_UNROLL(4)
      for (size_t v = 0; v < kVectors; ++v) {
        const auto weight = hn::PromoteTo(d, hn::LoadU(narrow, w + v * lanes));
        if constexpr (kIsShared) {
          sum[v] = hn::Add(sum[v], hn::Mul(hn::Set(d, int32_t{*in}), weight));
        } else {
          const auto x = hn::PromoteTo(d, hn::LoadU(narrow, in + v * lanes));
          sum[v] = hn::Add(sum[v], hn::Mul(x, weight));
        }
      }
      in += t.in_column;
      w += t.weight_column;
    }
  }
  HWY_UNROLL(4)
  for (size_t v = 0; v < kVectors; ++v) hn::StoreU(sum[v], d, sums + v * lanes);
}

// Channels [channel, end); output channel c reads input channel
// c / multiplier.
void SumScalars(const IntTaps& t, size_t multiplier, size_t channel, size_t end,
                int32_t* sums) {
  for (; channel < end; ++channel) {
    uint32_t sum = 0;  // Wraps.
    for (size_t i = 0; i < t.rows; ++i) {
      const int16_t* in = t.in + i * t.in_row + channel / multiplier;
      const int16_t* w = t.weights + i * t.weight_row + channel;
      for (size_t j = 0; j < t.columns; ++j) {
        sum += static_cast<uint32_t>(int32_t{*in} * *w);
        in += t.in_column;
        w += t.weight_column;
      }
    }
    *sums++ = static_cast<int32_t>(sum);
  }
}

template <bool kIsShared>
void SumRange(const IntTaps& t, size_t multiplier, size_t channel, size_t end,
              int32_t* sums) {
  const size_t lanes = hn::Lanes(hn::ScalableTag<int32_t>());
  for (; channel + 4 * lanes <= end; channel += 4 * lanes, sums += 4 * lanes)
    SumVectors<4, kIsShared>(t, channel, sums);
  for (; channel + lanes <= end; channel += lanes, sums += lanes)
    SumVectors<1, kIsShared>(t, channel, sums);
  SumScalars(t, multiplier, channel, end, sums);
}

// Output channels [channel, end) of one pixel.
void Sum(const IntTaps& t, size_t multiplier, size_t in_c, size_t channel,
         size_t end, int32_t* sums) {
  if (multiplier == 1)
    SumRange<false>(t, multiplier, channel, end, sums);
  else if (in_c == 1)
    SumRange<true>(t, multiplier, channel, end, sums);
  else
    SumScalars(t, multiplier, channel, end, sums);
}

// Columns of output line y of image n.
void Line(const Conv2dShape& s, const int16_t* image, const int16_t* weights,
          int32_t y, const RowTarget& target, const IntEpilogue& epilogue) {
  // Summed before they are stored, which scales a channel for many pixels.
  constexpr size_t kChannels = 256, kPixels = 8;
  HWY_ALIGN int32_t sums[kPixels * kChannels];
  RowTarget targets[kPixels];
  const auto in_c = static_cast<size_t>(s.in_c),
             out_c = static_cast<size_t>(s.out_c);
  // Kernel indices [first, last) lie in the image.
  struct Range {
    int64_t first, last;
  };
  const auto inside = [](int64_t begin, int64_t dilation, int64_t kernel,
                         int64_t size) {
    const int64_t first = begin >= 0 ? 0 : (-begin + dilation - 1) / dilation;
    const int64_t last =
        size <= begin ? 0 : (size - begin + dilation - 1) / dilation;
    const int64_t lo = HWY_MIN(first, kernel);
    return Range{lo, HWY_MAX(lo, HWY_MIN(last, kernel))};
  };
  const int64_t top = int64_t{y} * s.stride_h - s.pad_top;
  const Range rows = inside(top, s.dilation_h, s.kernel_h, s.in_h);
  IntTaps t;
  t.in_column = static_cast<size_t>(s.dilation_w) * in_c;
  t.in_row = static_cast<size_t>(s.dilation_h) * s.in_w * in_c;
  t.weight_column = out_c;
  t.weight_row = static_cast<size_t>(s.kernel_w) * out_c;
  const auto place = [&](int32_t x) {
    const int64_t left = int64_t{x} * s.stride_w - s.pad_left;
    const Range columns = inside(left, s.dilation_w, s.kernel_w, s.in_w);
    t.rows = static_cast<size_t>(rows.last - rows.first);
    t.columns = static_cast<size_t>(columns.last - columns.first);
    if (t.rows == 0 || t.columns == 0) {
      t.rows = t.columns = 0;
      t.in = image;
      t.weights = weights;
    } else {
      t.in = image + ((top + rows.first * s.dilation_h) * s.in_w + left +
                      columns.first * s.dilation_w) *
                         s.in_c;
      t.weights = weights + static_cast<size_t>(rows.first) * t.weight_row +
                  static_cast<size_t>(columns.first) * t.weight_column;
    }
  };
  const auto out_w = static_cast<size_t>(s.out_w);
  for (size_t x = 0; x < out_w; x += kPixels) {
    const size_t pixels = HWY_MIN(kPixels, out_w - x);
    for (size_t p = 0; p < pixels; ++p) {
      targets[p] = target;
      targets[p].offset += (x + p) * out_c;
    }
    for (size_t c = 0; c < out_c; c += kChannels) {
      const size_t end = HWY_MIN(out_c, c + kChannels);
      for (size_t p = 0; p < pixels; ++p) {
        place(static_cast<int32_t>(x + p));
        Sum(t, out_c / in_c, in_c, c, end, sums + p * kChannels);
      }
      StoreSums(epilogue, sums, kChannels, targets, pixels, c, end - c);
    }
  }
}

}  // namespace munja::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace munja::kernels {

HWY_EXPORT(Line);

void IntDepthwise(const Conv2dShape& s, const int16_t* in,
                  const int16_t* weights, const float* image_scales,
                  const IntEpilogue& epilogue, ThreadPool& pool) {
  const auto out_h = static_cast<size_t>(s.out_h);
  const size_t line = static_cast<size_t>(s.out_w) * s.out_c;
  const size_t image = static_cast<size_t>(s.in_h) * s.in_w * s.in_c;
  const size_t work = line * s.kernel_h * s.kernel_w;
  pool.ParallelFor(static_cast<size_t>(s.batch) * out_h,
                   std::max<size_t>(1, kSmallTask / std::max<size_t>(1, work)),
                   [&](size_t begin, size_t end, int) {
                     for (size_t i = begin; i < end; ++i) {
                       const size_t n = i / out_h;
                       const RowTarget target{i * line, image_scales == nullptr
                                                            ? 1.0f
                                                            : image_scales[n]};
                       HWY_DYNAMIC_DISPATCH(Line)
                       (s, in + n * image, weights,
                        static_cast<int32_t>(i % out_h), target, epilogue);
                     }
                   });
}

namespace reference {

void IntDepthwise(const Conv2dShape& s, const int16_t* in,
                  const int16_t* weights, const float* image_scales,
                  const IntEpilogue& epilogue) {
  const int32_t multiplier = s.out_c / s.in_c;
  RowTarget target;
  for (int32_t n = 0; n < s.batch; ++n) {
    if (image_scales != nullptr) target.scale = image_scales[n];
    for (int32_t y = 0; y < s.out_h; ++y) {
      for (int32_t x = 0; x < s.out_w; ++x) {
        for (int32_t c = 0; c < s.out_c; ++c) {
          int64_t sum = 0;
          for (int32_t i = 0; i < s.kernel_h; ++i) {
            for (int32_t j = 0; j < s.kernel_w; ++j) {
              const int64_t row = int64_t{y} * s.stride_h - s.pad_top +
                                  int64_t{i} * s.dilation_h;
              const int64_t column = int64_t{x} * s.stride_w - s.pad_left +
                                     int64_t{j} * s.dilation_w;
              if (row < 0 || row >= s.in_h || column < 0 || column >= s.in_w)
                continue;
              sum +=
                  int32_t{in[((int64_t{n} * s.in_h + row) * s.in_w + column) *
                                 s.in_c +
                             c / multiplier]} *
                  weights[(int64_t{i} * s.kernel_w + j) * s.out_c + c];
            }
          }
          StoreSum(epilogue, sum, target, static_cast<size_t>(c));
        }
        target.offset += static_cast<size_t>(s.out_c);
      }
    }
  }
}

}  // namespace reference
}  // namespace munja::kernels
#endif  // HWY_ONCE
