#include "kernels/int_conv/int_narrow_conv.h"

#include <algorithm>

#include "kernels/int_conv/int_conv_2d.h"

namespace munja::kernels {
namespace {

// Columns of the wide convolution, at most.
constexpr size_t kMaxColumns = 64;

// Output pixels that are computed as one; 1: the convolution is not narrow.
int32_t PixelsAtOnce(const Conv2dShape& s) {
  const size_t lanes = std::min(IntVectorColumns(), kMaxColumns);
  const auto channels = static_cast<size_t>(std::max(s.out_c, 1));
  // With greater strides windows have little in common.
  if (s.groups != 1 || s.dilation_w != 1 || s.kernel_w < 2 || s.stride_w < 1 ||
      s.stride_w > s.kernel_w || s.kernel_w > 64)
    return 1;
  if (2 * channels <= lanes) return 4 * channels <= lanes ? 4 : 2;
  // A second vector costs products, but where a window is small the rest
  // counts.
  constexpr int64_t kSmall = 64;
  const int64_t wide_window =
      int64_t{s.kernel_h} * (s.kernel_w + s.stride_w) * s.in_c;
  return channels <= lanes && wide_window <= kSmall ? 2 : 1;
}

Conv2dShape Widened(const Conv2dShape& s) {
  const int32_t pixels = PixelsAtOnce(s);
  Conv2dShape wide = s;
  wide.kernel_w = s.kernel_w + (pixels - 1) * s.stride_w;
  wide.stride_w = s.stride_w * pixels;
  wide.out_c = s.out_c * pixels;
  wide.out_w = s.out_w / pixels;
  return wide;
}

// The arrays of an epilogue, once for each of the pixels.
struct RepeatedEpilogue {
  RepeatedEpilogue(const IntEpilogue& narrow, size_t channels, size_t pixels)
      : epilogue(narrow) {
    const auto repeat = [&](auto*& array, auto* copy) {
      if (array == nullptr) return;
      for (size_t i = 0; i < pixels; ++i)
        std::copy_n(array, channels, copy + i * channels);
      array = copy;
    };
    repeat(epilogue.mantissas, mantissas);
    repeat(epilogue.exponents, exponents);
    repeat(epilogue.bias, bias);
    repeat(epilogue.wide_bias, wide_bias);
    repeat(epilogue.scales, scales);
    repeat(epilogue.float_bias, float_bias);
  }
  IntEpilogue epilogue;
  int32_t mantissas[kMaxColumns], exponents[kMaxColumns], bias[kMaxColumns];
  int64_t wide_bias[kMaxColumns];
  float scales[kMaxColumns], float_bias[kMaxColumns];
};

}  // namespace

size_t IntNarrowConvWeightBytes(const Conv2dShape& s, IntFormat format) {
  if (PixelsAtOnce(s) == 1) return 0;
  // Behind the packed weights they are put in order.
  const Conv2dShape wide = Widened(s);
  return IntConv2dWeightBytes(wide, format) +
         static_cast<size_t>(wide.out_c) * wide.kernel_h * wide.kernel_w *
             static_cast<size_t>(wide.in_c) * sizeof(int16_t);
}

void PackIntNarrowConv(const int16_t* weights, const Conv2dShape& s,
                       IntFormat format, void* packed) {
  const Conv2dShape wide = Widened(s);
  auto* ordered = reinterpret_cast<int16_t*>(
      static_cast<uint8_t*>(packed) + IntConv2dWeightBytes(wide, format));
  const auto in_c = static_cast<size_t>(s.in_c);
  const size_t row = static_cast<size_t>(s.kernel_w) * in_c,
               wide_row = static_cast<size_t>(wide.kernel_w) * in_c;
  int16_t* to = ordered;
  for (int32_t p = 0; p < PixelsAtOnce(s); ++p) {
    const int16_t* from = weights;
    const size_t before = static_cast<size_t>(p) * s.stride_w * in_c;
    for (int32_t i = 0; i < s.out_c * s.kernel_h; ++i) {
      std::fill_n(to, wide_row, int16_t{0});
      std::copy_n(from, row, to + before);
      to += wide_row;
      from += row;
    }
  }
  PackIntConv2d(ordered, wide, format, packed);
}

bool IsIntNarrowConv(const Conv2dShape& s) {
  const int32_t pixels = PixelsAtOnce(s);
  return pixels > 1 && s.out_w % pixels == 0;
}

size_t IntNarrowConvScratchBytes(const Conv2dShape& s, IntFormat format,
                                 int threads) {
  return IntConv2dScratchBytes(Widened(s), format, threads);
}

void IntNarrowConv(const Conv2dShape& s, const IntInput& in, IntFormat format,
                   const void* packed, const float* image_scales,
                   const IntEpilogue& epilogue, void* scratch,
                   ThreadPool& pool) {
  const Conv2dShape wide = Widened(s);
  const RepeatedEpilogue repeated(epilogue, static_cast<size_t>(s.out_c),
                                  static_cast<size_t>(PixelsAtOnce(s)));
  IntConv2d(wide, in, IntConv2dWeightsAt(wide, format, packed), image_scales,
            DenseStrides(wide), repeated.epilogue, scratch, pool);
}

}  // namespace munja::kernels
