// Output pixels whose place is the same modulo the strides (a phase) read the
// same taps of the kernel, every stride-th one: each phase is a convolution
// of stride 1 with a smaller kernel, and the sums of a pixel are complete
// before they are rounded.
#include "kernels/int_conv/int_transpose_conv.h"

#include <algorithm>
#include <cstring>

#include "base/buffer.h"
#include "kernels/int_conv/int_conv_2d.h"

namespace munja::kernels {
namespace {

// Taps first, first + stride, ... below `kernel`.
int32_t CountTaps(int32_t first, int32_t stride, int32_t kernel) {
  return first < kernel ? (kernel - 1 - first) / stride + 1 : 0;
}

// The packed weights of a phase; every phase has room for the largest.
struct Slots {
  Slots(const Conv2dShape& s, IntFormat format) {
    rows = std::min(s.stride_h, s.kernel_h);
    columns = std::min(s.stride_w, s.kernel_w);
    size = IntConv2dWeightBytes(Phase(s, CountTaps(0, s.stride_h, s.kernel_h),
                                      CountTaps(0, s.stride_w, s.kernel_w)),
                                format);
  }
  static Conv2dShape Phase(const Conv2dShape& s, int32_t taps_h,
                           int32_t taps_w) {
    Conv2dShape phase = s;
    phase.kernel_h = taps_h;
    phase.kernel_w = taps_w;
    phase.stride_h = phase.stride_w = 1;
    phase.dilation_h = phase.dilation_w = phase.groups = 1;
    return phase;
  }
  size_t at(int32_t row, int32_t column) const {
    return (static_cast<size_t>(row) * columns + column) * size;
  }
  size_t total() const { return static_cast<size_t>(rows) * columns * size; }
  int32_t rows, columns;
  size_t size;
};

// One dimension of a phase: the output places first, first + stride, ...
struct PhaseSide {
  PhaseSide(int32_t first, int32_t stride, int32_t kernel, int32_t pad,
            int32_t out) {
    const int64_t shifted = int64_t{first} + pad;
    tap = static_cast<int32_t>(shifted % stride);
    taps = CountTaps(tap, stride, kernel);
    count = (out - 1 - first) / stride + 1;
    // The last tap comes first in the packed weights.
    pad_before = static_cast<int32_t>(
        std::max(taps, 1) - 1 - std::min<int64_t>(shifted / stride, INT32_MAX));
  }
  int32_t tap, taps, count, pad_before;
};

// run(shape, place of the weights, strides of the output) for each phase that
// has output. Phases without taps have a kernel of no size.
template <class F>
void ForEachPhase(const Conv2dShape& s, const Slots& slots, const F& run) {
  const OutputStrides dense = DenseStrides(s);
  for (int32_t y = 0; y < std::min(s.stride_h, s.out_h); ++y) {
    const PhaseSide rows(y, s.stride_h, s.kernel_h, s.pad_top, s.out_h);
    for (int32_t x = 0; x < std::min(s.stride_w, s.out_w); ++x) {
      const PhaseSide columns(x, s.stride_w, s.kernel_w, s.pad_left, s.out_w);
      const bool is_empty = rows.taps == 0 || columns.taps == 0;
      Conv2dShape phase = Slots::Phase(s, is_empty ? 0 : rows.taps,
                                       is_empty ? 0 : columns.taps);
      phase.out_h = rows.count;
      phase.out_w = columns.count;
      phase.pad_top = rows.pad_before;
      phase.pad_left = columns.pad_before;
      OutputStrides strides = dense;
      strides.first = static_cast<size_t>(y) * dense.line +
                      static_cast<size_t>(x) * dense.pixel;
      strides.line *= static_cast<size_t>(s.stride_h);
      strides.pixel *= static_cast<size_t>(s.stride_w);
      run(phase, is_empty ? 0 : slots.at(rows.tap, columns.tap), strides);
    }
  }
}

// Rows of the kernel as products of pixels; as far as the weights say.
bool HasTiles(const Conv2dShape& s) {
  return s.kernel_h == s.stride_h && s.kernel_w == s.stride_w &&
         int64_t{s.out_c} * s.kernel_w <= INT32_MAX / 4;
}
// Where a tile has few values, a product takes several pixels as one: with
// the weights of each beside zeros for the others, vectors fill up.
int32_t TilePixels(const Conv2dShape& s) {
  const int64_t values = int64_t{s.out_c} * s.kernel_w;
  if (s.in_c > 64) return 1;
  return values <= 2 ? 4 : values <= 4 ? 2 : 1;
}
bool IsTiled(const Conv2dShape& s) {
  return HasTiles(s) && s.in_w % TilePixels(s) == 0 && s.pad_top == 0 &&
         s.pad_left == 0 && s.out_h == int64_t{s.in_h} * s.stride_h &&
         s.out_w == int64_t{s.in_w} * s.stride_w;
}
Conv2dShape TileRow(const Conv2dShape& s) {
  Conv2dShape row = s;
  row.kernel_h = row.kernel_w = row.stride_h = row.stride_w = 1;
  row.dilation_h = row.dilation_w = row.groups = 1;
  row.in_c *= TilePixels(s);
  row.in_w /= TilePixels(s);
  row.out_c = s.out_c * s.kernel_w * TilePixels(s);
  row.out_h = s.in_h;
  row.out_w = row.in_w;
  return row;
}

// Packed weights of all rows of tiles.
size_t TileBytes(const Conv2dShape& s, IntFormat format) {
  return HasTiles(s) ? static_cast<size_t>(s.kernel_h) *
                           IntConv2dWeightBytes(TileRow(s), format)
                     : 0;
}

// The arrays of an epilogue, once for each column of the kernel and pixel.
class TiledEpilogue {
 public:
  static size_t Bytes(const Conv2dShape& s) {
    return RoundUp(5 * static_cast<size_t>(TileRow(s).out_c) * sizeof(int64_t),
                   kBufferAlignment);
  }
  TiledEpilogue(const Conv2dShape& s, const IntEpilogue& epilogue, void* memory)
      : epilogue_(epilogue), memory_(static_cast<uint8_t*>(memory)) {
    channels_ = static_cast<size_t>(s.out_c);
    count_ = static_cast<size_t>(TileRow(s).out_c) / channels_;
    Repeat(epilogue_.mantissas);
    Repeat(epilogue_.exponents);
    Repeat(epilogue_.bias);
    Repeat(epilogue_.wide_bias);
    Repeat(epilogue_.scales);
    Repeat(epilogue_.float_bias);
  }
  const IntEpilogue& get() const { return epilogue_; }

 private:
  template <class T>
  void Repeat(const T*& array) {
    if (array == nullptr) return;
    auto* to = reinterpret_cast<T*>(memory_);
    for (size_t i = 0; i < count_; ++i)
      std::memcpy(to + i * channels_, array, channels_ * sizeof(T));
    array = to;
    memory_ += RoundUp(count_ * channels_ * sizeof(T), sizeof(int64_t));
  }
  IntEpilogue epilogue_;
  uint8_t* memory_;
  size_t channels_, count_;
};

}  // namespace

size_t IntTransposeConvWeightBytes(const Conv2dShape& s, IntFormat format) {
  // Behind the slots are the rows of tiles; behind those weights are put in
  // order, of one phase or one row of tiles.
  size_t ordered = static_cast<size_t>(s.out_c) * s.kernel_h * s.kernel_w *
                   static_cast<size_t>(s.in_c);
  if (HasTiles(s)) {
    const Conv2dShape row = TileRow(s);
    ordered = std::max(ordered, static_cast<size_t>(row.out_c) *
                                    static_cast<size_t>(row.in_c));
  }
  return Slots(s, format).total() + TileBytes(s, format) +
         ordered * sizeof(int16_t);
}

void PackIntTransposeConv(const int16_t* weights, const Conv2dShape& s,
                          IntFormat format, void* packed) {
  const Slots slots(s, format);
  auto* memory = static_cast<uint8_t*>(packed);
  uint8_t* tiles = memory + slots.total();
  auto* ordered = reinterpret_cast<int16_t*>(tiles + TileBytes(s, format));
  const auto in_c = static_cast<size_t>(s.in_c);
  const auto pixels = static_cast<size_t>(TilePixels(s));
  for (int32_t i = 0; HasTiles(s) && i < s.kernel_h; ++i) {
    int16_t* to = ordered;
    for (size_t p = 0; p < pixels; ++p) {
      for (int32_t j = 0; j < s.kernel_w; ++j) {
        for (int32_t co = 0; co < s.out_c; ++co, to += pixels * in_c) {
          const size_t tap =
              (static_cast<size_t>(co) * s.kernel_h + i) * s.kernel_w + j;
          std::fill_n(to, pixels * in_c, int16_t{0});
          std::memcpy(to + p * in_c, weights + tap * in_c,
                      in_c * sizeof(int16_t));
        }
      }
    }
    PackIntConv2d(ordered, TileRow(s), format, tiles);
    tiles += IntConv2dWeightBytes(TileRow(s), format);
  }
  for (int32_t r = 0; r < slots.rows; ++r) {
    for (int32_t c = 0; c < slots.columns; ++c) {
      const int32_t taps_h = CountTaps(r, s.stride_h, s.kernel_h),
                    taps_w = CountTaps(c, s.stride_w, s.kernel_w);
      int16_t* to = ordered;
      for (int32_t co = 0; co < s.out_c; ++co) {
        for (int32_t i = taps_h - 1; i >= 0; --i) {
          for (int32_t j = taps_w - 1; j >= 0; --j, to += in_c) {
            const size_t tap = (static_cast<size_t>(co) * s.kernel_h + r +
                                static_cast<size_t>(i) * s.stride_h) *
                                   s.kernel_w +
                               static_cast<size_t>(c) +
                               static_cast<size_t>(j) * s.stride_w;
            std::memcpy(to, weights + tap * in_c, in_c * sizeof(int16_t));
          }
        }
      }
      PackIntConv2d(ordered, Slots::Phase(s, taps_h, taps_w), format,
                    memory + slots.at(r, c));
    }
  }
}

size_t IntTransposeConvScratchBytes(const Conv2dShape& s, IntFormat format,
                                    int threads) {
  if (IsTiled(s)) {
    return TiledEpilogue::Bytes(s) +
           IntConv2dScratchBytes(TileRow(s), format, threads);
  }
  size_t bytes = 0;
  ForEachPhase(s, Slots(s, format),
               [&](const Conv2dShape& phase, size_t, const OutputStrides&) {
                 bytes = std::max(
                     bytes, IntConv2dScratchBytes(phase, format, threads));
               });
  return bytes;
}

void IntTransposeConv(const Conv2dShape& s, const IntInput& in,
                      IntFormat format, const void* packed,
                      const float* image_scales, const IntEpilogue& epilogue,
                      void* scratch, ThreadPool& pool) {
  const auto* memory = static_cast<const uint8_t*>(packed);
  if (IsTiled(s)) {
    const Conv2dShape row = TileRow(s);
    const TiledEpilogue tiled(s, epilogue, scratch);
    const uint8_t* weights = memory + Slots(s, format).total();
    OutputStrides strides = DenseStrides(s);
    const size_t line = strides.line;
    strides.line *= static_cast<size_t>(s.stride_h);
    strides.pixel = static_cast<size_t>(row.out_c);
    for (int32_t i = 0; i < s.kernel_h; ++i, strides.first += line) {
      IntConv2d(row, in, IntConv2dWeightsAt(row, format, weights), image_scales,
                strides, tiled.get(),
                static_cast<uint8_t*>(scratch) + TiledEpilogue::Bytes(s), pool);
      weights += IntConv2dWeightBytes(row, format);
    }
    return;
  }
  ForEachPhase(
      s, Slots(s, format),
      [&](const Conv2dShape& phase, size_t slot, const OutputStrides& strides) {
        IntConv2d(phase, in, IntConv2dWeightsAt(phase, format, memory + slot),
                  image_scales, strides, epilogue, scratch, pool);
      });
}

namespace reference {

void IntTransposeConv(const Conv2dShape& s, const int16_t* in,
                      const int16_t* weights, const float* image_scales,
                      const IntEpilogue& epilogue) {
  RowTarget target;
  for (int32_t n = 0; n < s.batch; ++n) {
    if (image_scales != nullptr) target.scale = image_scales[n];
    for (int32_t y = 0; y < s.out_h; ++y) {
      for (int32_t x = 0; x < s.out_w; ++x) {
        for (int32_t co = 0; co < s.out_c; ++co) {
          int64_t sum = 0;
          for (int32_t i = 0; i < s.kernel_h; ++i) {
            for (int32_t j = 0; j < s.kernel_w; ++j) {
              const int64_t top = int64_t{y} + s.pad_top - i,
                            left = int64_t{x} + s.pad_left - j;
              if (top < 0 || left < 0 || top % s.stride_h != 0 ||
                  left % s.stride_w != 0)
                continue;
              const int64_t row = top / s.stride_h, column = left / s.stride_w;
              if (row >= s.in_h || column >= s.in_w) continue;
              const int16_t* pixel =
                  in + ((int64_t{n} * s.in_h + row) * s.in_w + column) * s.in_c;
              const int16_t* w =
                  weights +
                  ((int64_t{co} * s.kernel_h + i) * s.kernel_w + j) * s.in_c;
              for (int32_t c = 0; c < s.in_c; ++c)
                sum += int32_t{pixel[c]} * w[c];
            }
          }
          StoreSum(epilogue, sum, target, static_cast<size_t>(co));
        }
        target.offset += static_cast<size_t>(s.out_c);
      }
    }
  }
}

}  // namespace reference
}  // namespace munja::kernels
