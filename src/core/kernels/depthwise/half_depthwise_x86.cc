// Depthwise convolution of bfloat16 by AVX512_BF16. Pixels of two rows are
// interleaved, so that a lane of a vector holds the pair of a channel and
// vdpbf16ps adds both rows' products; of an odd number of rows the last one is
// paired with zeros.
#include <algorithm>

#include "hwy/base.h"
#include "kernels/depthwise/half_depthwise.h"
#include "kernels/gemm/half_block.h"

#if HWY_ARCH_X86_64

#include "kernels/cpu/bfloat16_x86.h"

namespace munja::kernels {
namespace {

// At a time, in two vectors of sums.
constexpr size_t kChannels = kHalfDepthwiseChannels;
constexpr int kColumns = 5;

alignas(64) constexpr uint16_t kZeros[kChannels] = {};

// Some columns of a row of the image, from channel c of the first of them on;
// or zeros. Every third one is addressed, else they would not fit the
// registers.
template <int kCount>
struct Row {
  static constexpr int kBases = (kCount + 2) / 3;
  MUNJA_BF16_INLINE Row(const HalfDepthwiseLines& line, int32_t i, size_t c,
                        int64_t column) {
    const bool is_zeros = i >= line.kernel_h || line.rows[i] == nullptr;
    step = is_zeros ? 0 : line.channels;
    const uint16_t* p =
        is_zeros ? kZeros
                 : line.rows[i] + static_cast<size_t>(column) * step + c;
    HWY_UNROLL(4)
    for (int n = 0; n < kBases; ++n, p += 3 * step) bases[n] = p;
  }
  MUNJA_BF16_INLINE __m512i Load(int n, __mmask32 mask) const {
    return _mm512_maskz_loadu_epi16(
        mask, bases[n / 3] + static_cast<size_t>(n % 3) * step);
  }
  const uint16_t* bases[kBases];
  size_t step;
};

struct Pairs {
  __m512bh low, high;
};

// Pairs of one column of two rows, in the order of the packed weights.
template <int kCount>
MUNJA_BF16_INLINE Pairs Load(const Row<kCount>& a, const Row<kCount>& b, int n,
                             __mmask32 mask) {
  const __m512i x = a.Load(n, mask), y = b.Load(n, mask);
  return {(__m512bh)_mm512_unpacklo_epi16(x, y),
          (__m512bh)_mm512_unpackhi_epi16(x, y)};
}

struct Sums {
  __m512 low, high;
};

// The bias, in that order.
MUNJA_BF16_INLINE Sums Start(const HalfDepthwiseLines& line, size_t c,
                             __mmask32 mask) {
  if (line.bias == nullptr) return {_mm512_setzero_ps(), _mm512_setzero_ps()};
  const __m512 x =
      _mm512_maskz_loadu_ps(static_cast<__mmask16>(mask), line.bias + c);
  const __m512 y = _mm512_maskz_loadu_ps(static_cast<__mmask16>(mask >> 16),
                                         line.bias + c + 16);
  return {_mm512_shuffle_f32x4(x, y, 0x88), _mm512_shuffle_f32x4(x, y, 0xdd)};
}

// Clamps and stores kPixels pixels from x on.
template <bool kHalf, int kPixels>
MUNJA_BF16_INLINE void Finish(const HalfDepthwiseLines& line, int32_t x,
                              size_t c, __mmask32 mask, Sums (&sums)[kPixels]) {
  if (line.clamp.is_active) {
    // These return the second argument if one is NaN.
    const __m512 least = _mm512_set1_ps(line.clamp.low);
    const __m512 most = _mm512_set1_ps(line.clamp.high);
    HWY_UNROLL(8)
    for (int p = 0; p < kPixels; ++p) {
      sums[p].low = _mm512_min_ps(most, _mm512_max_ps(least, sums[p].low));
      sums[p].high = _mm512_min_ps(most, _mm512_max_ps(least, sums[p].high));
    }
  }
  const size_t channels = line.channels;
  const size_t at = static_cast<size_t>(x) * channels + c;
  if constexpr (kHalf) {
    auto* const out = static_cast<uint16_t*>(line.out.data) + at;
    const __m512i order = _mm512_set_epi64(7, 3, 6, 2, 5, 1, 4, 0);
    HWY_UNROLL(8)
    for (int p = 0; p < kPixels; ++p) {
      _mm512_mask_storeu_epi16(
          out + static_cast<size_t>(p) * channels, mask,
          _mm512_permutexvar_epi64(
              order, (__m512i)_mm512_cvtne2ps_pbh(sums[p].high, sums[p].low)));
    }
    return;
  }
  auto* const out = static_cast<float*>(line.out.data) + at;
  const __m512i first = _mm512_set_epi64(11, 10, 3, 2, 9, 8, 1, 0);
  const __m512i second = _mm512_set_epi64(15, 14, 7, 6, 13, 12, 5, 4);
  HWY_UNROLL(8)
  for (int p = 0; p < kPixels; ++p) {
    const __m512d low = _mm512_castps_pd(sums[p].low);
    const __m512d high = _mm512_castps_pd(sums[p].high);
    float* const to = out + static_cast<size_t>(p) * channels;
    _mm512_mask_storeu_ps(
        to, static_cast<__mmask16>(mask),
        _mm512_castpd_ps(_mm512_permutex2var_pd(low, first, high)));
    _mm512_mask_storeu_ps(
        to + 16, static_cast<__mmask16>(mask >> 16),
        _mm512_castpd_ps(_mm512_permutex2var_pd(low, second, high)));
  }
}

MUNJA_BF16_INLINE __m512bh Weights(const uint16_t* w, int vector) {
  return (__m512bh)_mm512_load_si512(w +
                                     static_cast<size_t>(vector) * kChannels);
}

// kPixels pixels from x on, all of whose columns lie in the image.
template <bool kHalf, int kPixels>
MUNJA_BF16 void Inner(const HalfDepthwiseLines& line, int32_t x, size_t c,
                      __mmask32 mask, const uint16_t* weights) {
  constexpr int kCount = kPixels - 1 + kColumns;
  const Sums start = Start(line, c, mask);
  Sums sums[kPixels];
  HWY_UNROLL(8)
  for (int p = 0; p < kPixels; ++p) sums[p] = start;
  const int64_t column = int64_t{x} - line.pad_left;
  for (int32_t i = 0; i < line.kernel_h; i += 2) {
    const Row<kCount> a(line, i, c, column), b(line, i + 1, c, column);
    __m512bh w[2 * kColumns];
    HWY_UNROLL(10)
    for (int j = 0; j < 2 * kColumns; ++j) w[j] = Weights(weights, j);
    HWY_UNROLL(12)
    for (int n = 0; n < kCount; ++n) {
      const Pairs v = Load(a, b, n, mask);
      HWY_UNROLL(8)
      for (int p = 0; p < kPixels; ++p) {
        const int j = n - p;
        if (j < 0 || j >= kColumns) continue;
        sums[p].low = _mm512_dpbf16_ps(sums[p].low, v.low, w[2 * j]);
        sums[p].high = _mm512_dpbf16_ps(sums[p].high, v.high, w[2 * j + 1]);
      }
    }
    weights += 2 * kColumns * kChannels;
  }
  Finish<kHalf>(line, x, c, mask, sums);
}

// A pixel some of whose columns lie outside.
template <bool kHalf>
MUNJA_BF16 void Edge(const HalfDepthwiseLines& line, int32_t x, size_t c,
                     __mmask32 mask, const uint16_t* weights) {
  Sums sums[1] = {Start(line, c, mask)};
  const int64_t column = int64_t{x} - line.pad_left;
  const auto first =
      static_cast<int>(std::clamp<int64_t>(-column, 0, kColumns));
  const auto end = static_cast<int>(
      std::clamp<int64_t>(line.in_w - column, first, kColumns));
  for (int32_t i = 0; i < line.kernel_h; i += 2) {
    for (int j = first; j < end; ++j) {
      const Row<1> a(line, i, c, column + j), b(line, i + 1, c, column + j);
      const Pairs v = Load(a, b, 0, mask);
      sums[0].low =
          _mm512_dpbf16_ps(sums[0].low, v.low, Weights(weights, 2 * j));
      sums[0].high =
          _mm512_dpbf16_ps(sums[0].high, v.high, Weights(weights, 2 * j + 1));
    }
    weights += 2 * kColumns * kChannels;
  }
  Finish<kHalf>(line, x, c, mask, sums);
}

using Make = void (*)(const HalfDepthwiseLines&, int32_t x, size_t c, __mmask32,
                      const uint16_t* weights);

// All channels of some pixels of all lines.
void EachGroup(Make make, const HalfDepthwiseLines& lines, int32_t x) {
  const size_t numbers =
      static_cast<size_t>(lines.kernel_h + 1) / 2 * 2 * kColumns * kChannels;
  const size_t line_numbers = static_cast<size_t>(lines.out_w) * lines.channels;
  const uint16_t* weights = lines.weights;
  HalfDepthwiseLines line = lines;
  for (size_t c = 0; c < lines.channels; c += kChannels, weights += numbers) {
    const size_t left = std::min(lines.channels - c, kChannels);
    const auto mask = static_cast<__mmask32>(0xffffffffu >> (kChannels - left));
    for (int32_t i = 0; i < lines.lines; ++i) {
      line.rows = lines.rows + i;
      line.out.data =
          RowsFrom(MutableRowView{lines.out.data, line_numbers, lines.out.type},
                   static_cast<size_t>(i))
              .data;
      make(line, x, c, mask, weights);
    }
  }
}

template <bool kHalf>
void MakeLines(const HalfDepthwiseLines& line) {
  const int32_t first = std::min(line.pad_left, line.out_w);
  const auto last = static_cast<int32_t>(std::clamp<int64_t>(
      int64_t{line.in_w} - kColumns + line.pad_left + 1, first, line.out_w));
  int32_t x = 0;
  for (; x < first; ++x) EachGroup(Edge<kHalf>, line, x);
  for (; x + 8 <= last; x += 8) EachGroup(Inner<kHalf, 8>, line, x);
  for (; x + 2 <= last; x += 2) EachGroup(Inner<kHalf, 2>, line, x);
  for (; x < line.out_w; ++x) EachGroup(Edge<kHalf>, line, x);
}

}  // namespace

void X86HalfDepthwise(const HalfDepthwiseLines& lines) {
  if (lines.out.is_half())
    MakeLines<true>(lines);
  else
    MakeLines<false>(lines);
}

}  // namespace munja::kernels

#else

namespace munja::kernels {
void X86HalfDepthwise(const HalfDepthwiseLines&) {}
}  // namespace munja::kernels

#endif  // HWY_ARCH_X86_64
