#include "kernels/depthwise/line_depthwise.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "base/buffer.h"
#include "kernels/cpu/byte_dot.h"
#include "kernels/int_conv/int_lines.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/depthwise/line_depthwise.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include "hwy/highway.h"
#include "kernels/cpu/cache.h"
#include "kernels/cpu/tail-inl.h"
#include "kernels/gemm/int_dot-inl.h"
#include "kernels/quant/byte_store-inl.h"
#include "kernels/quant/int16_store-inl.h"

namespace munja::kernels {
#ifndef MUNJA_KERNELS_LINE_DEPTHWISE_ONCE
#define MUNJA_KERNELS_LINE_DEPTHWISE_ONCE

// Lines that one word interleaves.
inline size_t WordLines(IntFormat format) {
  return format == IntFormat::kInt16 ? 2 : 4;
}

// How output lines share interleaved ones: words of a few groups of lines hold
// the windows of `lines` lines of output.
struct LinePlan {
  LinePlan(const Conv2dShape& s, IntFormat format) {
    const size_t step = WordLines(format);
    const auto kernel = static_cast<size_t>(s.kernel_h);
    groups = (kernel + step - 1) / step;
    if (s.stride_h == 1 && s.dilation_h == 1) {
      const size_t room = groups * step - kernel + 1;
      lines = room >= 4 ? 4 : room >= 2 ? 2 : 1;
    }
  }
  // Group g of the next lines is group g + 1 of these. Not of bytes, whose
  // tiles would need one register more than there are.
  bool slides(IntFormat format) const {
    return format == IntFormat::kInt16 && lines == WordLines(format) &&
           groups > 1;
  }
  size_t groups = 0, lines = 1;
};

// Place of group g where group 0 is at place `first`.
inline size_t GroupPlace(size_t first, size_t g, size_t groups) {
  const size_t place = first + g;
  return place < groups ? place : place - groups;
}

// Output pixels whose sums are held at once, in each line.
inline constexpr size_t kLinePixels = 32;

// Pointers are to the first pixel and a vector of channels; steps in words.
struct DepthwiseTile {
  const int32_t* in;
  size_t in_group, in_pixel, in_tap;
  const int32_t* weights;
  const int32_t* start;
  size_t groups, taps;
  size_t first_group;   // Where group 0 is; after the last place comes place 0.
  size_t packed_lines;  // Output rows for which the weights are packed.
  // If one is not null, the ByteStore or Int16Store of the target, the epilogue
  // of the sums of the first `lines` rows, `line_elements` apart. Sums are not
  // written then.
  const void* store;
  const void* int16_store;
  size_t lines, line_elements;
};
// The sums of line r, pixel p are a vector at r * kLinePixels + p.
using DepthwiseFunction = void (*)(const DepthwiseTile&, size_t pixels,
                                   int32_t* sums);

// Output lines y, ..., y + lines - 1 of an image.
struct DepthwiseRun {
  const Conv2dShape& s;
  IntFormat format;
  LinePlan plan;
  int32_t zero;  // OperandZero.
  const int32_t* packed;
  const IntEpilogue& epilogue;
  size_t columns;  // Columns of an input row.
};
#endif  // MUNJA_KERNELS_LINE_DEPTHWISE_ONCE
}  // namespace munja::kernels

HWY_BEFORE_NAMESPACE();
namespace munja::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128

size_t DepthwiseLanes() { return 4; }
bool FindChannelStore(const IntEpilogue&, size_t, size_t, size_t, size_t,
                      ByteStore*) {
  return false;
}
bool FindInt16ChannelStore(const IntEpilogue&, size_t, size_t, size_t, size_t,
                           Int16Store*) {
  return false;
}
void RunDepthwiseTile(IntFormat, size_t lines, const DepthwiseTile& t,
                      size_t pixels, int32_t* sums) {
  for (size_t r = 0; r < lines; ++r) {
    for (size_t p = 0; p < pixels; ++p) {
      for (size_t c = 0; c < 4; ++c) {
        auto sum = static_cast<uint32_t>(t.start[c]);  // Wraps.
        for (size_t i = 0; i < t.groups * t.taps; ++i) {
          int16_t x[2], w[2];
          std::memcpy(
              x,
              t.in +
                  GroupPlace(t.first_group, i / t.taps, t.groups) * t.in_group +
                  p * t.in_pixel + i % t.taps * t.in_tap + c,
              sizeof(x));
          std::memcpy(w, t.weights + (i * t.packed_lines + r) * 4 + c,
                      sizeof(w));
          sum += static_cast<uint32_t>(int32_t{x[0]} * w[0]) +
                 static_cast<uint32_t>(int32_t{x[1]} * w[1]);
        }
        sums[(r * kLinePixels + p) * 4 + c] = static_cast<int32_t>(sum);
      }
    }
  }
}

// Word i of `out` holds element i of each line.
void Interleave(IntFormat, const uint8_t* const* lines, size_t count, uint8_t,
                int32_t* out) {
  for (size_t i = 0; i < count; ++i) {
    int16_t word[2];
    for (size_t l = 0; l < 2; ++l)
      std::memcpy(&word[l], lines[l] + i * sizeof(int16_t), sizeof(int16_t));
    std::memcpy(out + i, word, sizeof(word));
  }
}

#else

size_t DepthwiseLanes() { return hn::Lanes(hn::ScalableTag<int32_t>()); }
bool FindChannelStore(const IntEpilogue& epilogue, size_t column, size_t width,
                      size_t offset, size_t step, ByteStore* store) {
  return MakeByteStore(hn::ScalableTag<int32_t>(), epilogue, column, width,
                       offset, step, store);
}

bool FindInt16ChannelStore(const IntEpilogue& epilogue, size_t column,
                           size_t width, size_t offset, size_t step,
                           Int16Store* store) {
  return MakeInt16Store(hn::ScalableTag<int32_t>(), epilogue, column, width,
                        offset, step, store);
}

#define MUNJA_TILE pairs
#define MUNJA_TILE_ATTR
#if HWY_TARGET == HWY_AVX3
#define MUNJA_TILE_SUMS 16
#else
#define MUNJA_TILE_SUMS 8
#endif
#include "kernels/depthwise/line_depthwise_tile-inl.h"

// Where one register is enough for a sum.
#undef MUNJA_ONE_SUM_TILE
#if HWY_TARGET == HWY_AVX2
#define MUNJA_ONE_SUM_TILE 8
#else
#define MUNJA_ONE_SUM_TILE 16
#endif

#if MUNJA_HAS_BYTE_DOT
#define MUNJA_TILE bytes
#define MUNJA_TILE_ATTR MUNJA_BYTE_DOT_ATTR
#define MUNJA_TILE_SUMS MUNJA_ONE_SUM_TILE
#include "kernels/depthwise/line_depthwise_tile-inl.h"
#endif

#if MUNJA_HAS_PAIR_DOT
#define MUNJA_TILE added_pairs
#define MUNJA_TILE_ATTR MUNJA_BYTE_DOT_ATTR
#define MUNJA_TILE_SUMS MUNJA_ONE_SUM_TILE
#include "kernels/depthwise/line_depthwise_tile-inl.h"
#endif

void RunDepthwiseTile(IntFormat format, size_t lines, const DepthwiseTile& t,
                      size_t pixels, int32_t* sums) {
#if MUNJA_HAS_BYTE_DOT
  if (format != IntFormat::kInt16) {
    bytes::TileFor(lines)(t, pixels, sums);
    return;
  }
#endif
#if MUNJA_HAS_PAIR_DOT
  if (HasByteDot()) {
    added_pairs::TileFor(lines)(t, pixels, sums);
    return;
  }
#endif
  (void)format;
  pairs::TileFor(lines)(t, pixels, sums);
}

// Interleaving works within blocks of 128 bits; before it, `pieces` pieces of
// each line are put so that the result is in order.
template <class D>
HWY_INLINE hn::Vec<D> Permute(D d, hn::Vec<D> v, size_t piece_words) {
  const hn::Repartition<int32_t, D> words;
  const size_t blocks = hn::Lanes(words) / 4, pieces = 4 / piece_words;
  if (blocks == 1) return v;
  HWY_ALIGN int32_t order[HWY_MAX_BYTES / sizeof(int32_t)];
  for (size_t b = 0; b < blocks; ++b)
    for (size_t p = 0; p < pieces; ++p)
      for (size_t i = 0; i < piece_words; ++i)
        order[b * 4 + p * piece_words + i] =
            static_cast<int32_t>((blocks * p + b) * piece_words + i);
  return hn::BitCast(d,
                     hn::TableLookupLanes(hn::BitCast(words, v),
                                          hn::SetTableIndices(words, order)));
}

void InterleaveBytes(const uint8_t* const* lines, size_t count, uint8_t flip,
                     int32_t* out) {
  const hn::ScalableTag<uint8_t> d;
  const hn::Repartition<uint16_t, decltype(d)> d16;
  const hn::Repartition<int32_t, decltype(d)> d32;
  const size_t lanes = hn::Lanes(d), words = hn::Lanes(d32);
  const auto bits = hn::Set(d, flip);
  // The output has room for whole vectors.
  for (size_t i = 0; i < count; i += lanes, out += lanes) {
    const auto load = [&](size_t line) HWY_ATTR {
      const uint8_t* from = lines[line] + i;
      const auto v = i + lanes <= count ? hn::LoadU(d, from)
                                        : LoadTail(d, from, count - i);
      return Permute(d, hn::Xor(v, bits), 1);
    };
    const auto a = load(0), b = load(1), c = load(2), e = load(3);
    const auto ab_low = hn::BitCast(d16, hn::InterleaveLower(d, a, b)),
               ab_high = hn::BitCast(d16, hn::InterleaveUpper(d, a, b)),
               ce_low = hn::BitCast(d16, hn::InterleaveLower(d, c, e)),
               ce_high = hn::BitCast(d16, hn::InterleaveUpper(d, c, e));
    const auto store = [&](auto v, size_t k) HWY_ATTR {
      hn::StoreU(hn::BitCast(d32, v), d32, out + k * words);
    };
    store(hn::InterleaveLower(d16, ab_low, ce_low), 0);
    store(hn::InterleaveUpper(d16, ab_low, ce_low), 1);
    store(hn::InterleaveLower(d16, ab_high, ce_high), 2);
    store(hn::InterleaveUpper(d16, ab_high, ce_high), 3);
  }
}

void InterleavePairs(const uint8_t* const* lines, size_t count, int32_t* out) {
  const hn::ScalableTag<int16_t> d;
  const hn::Repartition<int32_t, decltype(d)> d32;
  const size_t lanes = hn::Lanes(d);
  const auto* first = reinterpret_cast<const int16_t*>(lines[0]);
  const auto* second = reinterpret_cast<const int16_t*>(lines[1]);
  for (size_t i = 0; i < count; i += lanes, out += lanes) {
    const auto load = [&](const int16_t* line) HWY_ATTR {
      return Permute(d,
                     i + lanes <= count ? hn::LoadU(d, line + i)
                                        : LoadTail(d, line + i, count - i),
                     2);
    };
    const auto a = load(first), b = load(second);
    hn::StoreU(hn::BitCast(d32, hn::InterleaveLower(d, a, b)), d32, out);
    hn::StoreU(hn::BitCast(d32, hn::InterleaveUpper(d, a, b)), d32,
               out + hn::Lanes(d32));
  }
}

// Word i of `out` holds element i of each line, of which bytes are flipped by
// the bits of `flip`.
void Interleave(IntFormat format, const uint8_t* const* lines, size_t count,
                uint8_t flip, int32_t* out) {
  if (format == IntFormat::kInt16)
    InterleavePairs(lines, count, out);
  else
    InterleaveBytes(lines, count, flip, out);
}

#endif

// Sums of fewer than 128 taps of int16 are below 2^30: so much is left for
// their biases.
bool TakesWideBias(const IntEpilogue& s, size_t channels) {
  if (!s.is_wide) return false;
  constexpr int64_t kMost = int64_t{1} << 30;
  bool fit = true;
  for (size_t c = 0; c < channels; ++c) {
    const int64_t bias = WideBias(s, c);
    fit &= bias < kMost && bias > -kMost;
  }
  return fit;
}

// `words` has the interleaved lines of each group, `group_words` apart, from
// place `first_group` on. targets[r] is the first pixel of line y + r.
void DepthwiseLines(const DepthwiseRun& run, const int32_t* words,
                    size_t group_words, size_t first_group, size_t lines,
                    const RowTarget* line_targets) {
  constexpr size_t kMaxLanes = HWY_MAX(HWY_MAX_BYTES, 16) / sizeof(int32_t);
  constexpr size_t kMaxLines = 4;
  HWY_ALIGN int32_t sums[kMaxLines * kLinePixels * kMaxLanes];
  HWY_ALIGN int32_t start[kMaxLanes];
  const Conv2dShape& s = run.s;
  const size_t lanes = DepthwiseLanes();
  const auto channels = static_cast<size_t>(s.out_c),
             out_w = static_cast<size_t>(s.out_w),
             taps = static_cast<size_t>(s.kernel_w);
  const size_t panel = (1 + run.plan.lines * run.plan.groups * taps) * lanes;
  DepthwiseTile tile;
  tile.in_group = group_words;
  tile.in_pixel = static_cast<size_t>(s.stride_w) * channels;
  tile.in_tap = static_cast<size_t>(s.dilation_w) * channels;
  tile.start = start;
  tile.groups = run.plan.groups;
  tile.first_group = first_group;
  tile.taps = taps;
  tile.packed_lines = run.plan.lines;
  // The last lines of an image may be fewer.
  const size_t made = lines > 2 ? run.plan.lines : lines;
  IntEpilogue rest = run.epilogue;
  const bool has_bias = run.epilogue.type != ElementType::kInt32 &&
                        run.epilogue.type != ElementType::kFloat32 &&
                        !run.epilogue.is_wide && run.epilogue.bias != nullptr;
  const bool has_wide_bias = TakesWideBias(run.epilogue, channels);
  if (has_bias || has_wide_bias) {
    rest.bias = nullptr;
    rest.wide_bias = nullptr;
  }
  // Channels [c, c + count), of which `packed` has the weights.
  const auto begin = [&](size_t c, size_t count, const int32_t* packed) {
    for (size_t i = 0; i < lanes; ++i) {
      const int64_t bias = i >= count      ? 0
                           : has_bias      ? run.epilogue.bias[c + i]
                           : has_wide_bias ? WideBias(run.epilogue, c + i)
                                           : 0;
      start[i] = static_cast<int32_t>(static_cast<uint32_t>(bias) -
                                      static_cast<uint32_t>(packed[i]) *
                                          static_cast<uint32_t>(run.zero));
    }
    tile.weights = packed + lanes;
  };
  ByteStore store;
  Int16Store int16_store;
  const bool has_all_biases =
      has_wide_bias ||
      (run.epilogue.bias == nullptr && run.epilogue.wide_bias == nullptr);
  const auto stores = [&](size_t c) {
    tile.store = tile.int16_store = nullptr;
    if (channels - c < lanes) return false;
    const size_t offset = line_targets[0].offset;
    if (FindChannelStore(run.epilogue, c, lanes, offset, channels, &store))
      tile.store = &store;
    else if (has_all_biases &&
             FindInt16ChannelStore(run.epilogue, c, lanes, offset, channels,
                                   &int16_store))
      tile.int16_store = &int16_store;
    return tile.store != nullptr || tile.int16_store != nullptr;
  };
  // Whole lines of the channels whose results tiles can store.
  bool are_stored = true;
  tile.lines = lines;
  tile.line_elements = out_w * channels;
  const int32_t* panel_weights = run.packed;
  for (size_t c = 0; c < channels; c += lanes, panel_weights += panel) {
    if (!stores(c)) {
      are_stored = false;
      continue;
    }
    begin(c, lanes, panel_weights);
    tile.in = words + c;
    RunDepthwiseTile(run.format, made, tile, out_w, sums);
  }
  if (are_stored) return;
  RowTarget targets[kMaxLines * kLinePixels];
  for (size_t x = 0; x < out_w; x += kLinePixels) {
    const size_t pixels = HWY_MIN(kLinePixels, out_w - x);
    for (size_t r = 0; r < lines; ++r) {
      RowTarget target = line_targets[r];
      target.offset += x * channels;
      for (size_t p = 0; p < pixels; ++p, target.offset += channels)
        targets[r * pixels + p] = target;
    }
    // Sums of several lines follow one another where all pixels are there.
    const size_t together = pixels == kLinePixels ? lines : 1;
    const int32_t* packed = run.packed;
    for (size_t c = 0; c < channels; c += lanes, packed += panel) {
      if (stores(c)) continue;  // And the sums are written otherwise.
      const size_t count = HWY_MIN(lanes, channels - c);
      begin(c, count, packed);
      tile.in = words + x * tile.in_pixel + c;
      RunDepthwiseTile(run.format, made, tile, pixels, sums);
      for (size_t r = 0; r < lines; r += together) {
        StoreSums(rest, sums + r * kLinePixels * lanes, lanes,
                  targets + r * pixels, together * pixels, c, count);
      }
    }
  }
}

}  // namespace munja::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace munja::kernels {

HWY_EXPORT(DepthwiseLanes);
HWY_EXPORT(Interleave);
HWY_EXPORT(DepthwiseLines);

namespace {

size_t Lanes() { return HWY_DYNAMIC_DISPATCH(DepthwiseLanes)(); }

// Panels of one vector of channels: the sums of their weights, then
// [group][tap][output line].
size_t PackedWords(const Conv2dShape& s, const LinePlan& plan) {
  const size_t lanes = Lanes();
  const size_t panels = (static_cast<size_t>(s.out_c) + lanes - 1) / lanes;
  return panels * lanes *
         (1 + plan.lines * plan.groups * static_cast<size_t>(s.kernel_w));
}

IntLineLayout LinesOf(const Conv2dShape& s, IntFormat format) {
  IntLineLayout lines;
  lines.format = format;
  lines.before = s.pad_left;
  lines.columns = int64_t{s.out_w - 1} * s.stride_w +
                  int64_t{s.kernel_w - 1} * s.dilation_w + 1;
  lines.outside =
      static_cast<size_t>(lines.columns) * static_cast<size_t>(s.in_c);
  return lines;
}

// Lines of output that a task makes, of whose input there are copies.
size_t CopyTaskLines(const Conv2dShape& s, IntFormat format, size_t most) {
  constexpr size_t kMemory = size_t{1} << 17;
  size_t lines = most;
  const IntLineLayout layout = LinesOf(s, format);
  // Whatever the height, so that a part of an image never needs more.
  Conv2dShape tall = s;
  tall.in_h = 1 << 20;
  while (lines > 1 && IntLines::Bytes(tall, layout, lines) > kMemory)
    lines = (lines + 1) / 2;
  return lines;
}

// The same, of input that is read where it lies: the more lines a task has, the
// more of them share what is interleaved.
size_t StoredTaskLines(const Conv2dShape& s) {
  constexpr size_t kTasks = 8;
  const size_t work = std::max<size_t>(
      1, static_cast<size_t>(s.out_w) * s.out_c * s.kernel_h * s.kernel_w);
  return std::min(2 * kTask / work, static_cast<size_t>(s.out_h) / kTasks);
}

struct Layout {
  Layout(const Conv2dShape& s, IntFormat format, bool is_stored = false) {
    const LinePlan plan(s, format);
    const size_t work = std::max<size_t>(
        1, static_cast<size_t>(s.out_w) * s.out_c * s.kernel_h * s.kernel_w);
    const auto whole = [&](size_t count) {
      const size_t most = std::min(count, static_cast<size_t>(s.out_h));
      return RoundUp(std::max<size_t>(most, 1), plan.lines);
    };
    const size_t least = std::max<size_t>(kMediumTask / work, 1);
    const size_t copies = whole(CopyTaskLines(s, format, least));
    task_lines =
        is_stored ? whole(std::max(least, StoredTaskLines(s))) : copies;
    const IntLineLayout layout = LinesOf(s, format);
    lines = RoundUp(IntLines::Bytes(s, layout, copies), kBufferAlignment);
    // Room for the vectors that begin in the last word.
    group_words = RoundUp(layout.outside + 64, 64);
    total = lines + plan.groups * group_words * sizeof(int32_t);
  }
  size_t task_lines, lines, group_words, total;
};

// Lines of input that are interleaved where they lie: bytes, brought into form
// meanwhile, or int16.
class StoredLines {
 public:
  // `outside` has room for all columns of a line.
  StoredLines(const Conv2dShape& s, const IntInput& in,
              const IntLineLayout& layout, uint8_t* outside)
      : s_(s),
        data_(static_cast<const uint8_t*>(in.data)),
        element_bytes_(IntElementBytes(layout.format)),
        flip_(HasOtherSign(in, layout.format) ? 0x80 : 0),
        outside_(outside) {
    const int64_t columns = std::max<int64_t>(0, layout.columns);
    const int64_t left = std::clamp<int64_t>(layout.before, 0, columns);
    const int64_t right =
        std::clamp<int64_t>(s.in_w + layout.before, left, columns);
    first_ = Elements(std::max<int64_t>(0, left - layout.before));
    before_ = Elements(left);
    inside_ = Elements(right - left);
    after_ = Elements(columns - right);
    const auto zero = static_cast<uint32_t>(OperandZero(in, layout.format));
    zeros_ = static_cast<int32_t>((zero & 255) * 0x01010101u);
    std::memset(outside, in.zero & 255, inside_ * element_bytes_);
  }
  // The words of lines row, row + dilation, ... of image n.
  void Interleave(IntFormat format, size_t n, int64_t row,
                  int32_t* words) const {
    const uint8_t* lines[4];
    for (size_t l = 0; l < WordLines(format); ++l, row += s_.dilation_h) {
      lines[l] = outside_;
      if (row >= 0 && row < s_.in_h) {
        lines[l] =
            data_ +
            ((n * static_cast<size_t>(s_.in_h) + static_cast<size_t>(row)) *
                 Elements(s_.in_w) +
             first_) *
                element_bytes_;
      }
    }
    std::fill_n(words, before_, zeros_);
    words += before_;
    HWY_DYNAMIC_DISPATCH(Interleave)(format, lines, inside_, flip_, words);
    std::fill_n(words + inside_, after_, zeros_);
  }

 private:
  size_t Elements(int64_t columns) const {
    return static_cast<size_t>(columns) * static_cast<size_t>(s_.in_c);
  }
  const Conv2dShape& s_;
  const uint8_t* data_;
  size_t element_bytes_;
  uint8_t flip_;
  const uint8_t* outside_;
  size_t first_, before_, inside_, after_;
  int32_t zeros_;
};

}  // namespace

bool IsLineDepthwise(const Conv2dShape& s) {
  if (s.in_c != s.out_c || s.out_w < 1 || s.out_h < 1) return false;
  // Lines are not much longer than those of the image.
  const int64_t columns = int64_t{s.out_w - 1} * s.stride_w +
                          int64_t{s.kernel_w - 1} * s.dilation_w + 1;
  return columns <= 2 * int64_t{s.in_w} + 64;
}

size_t LineDepthwiseWeightBytes(const Conv2dShape& s, IntFormat format) {
  return PackedWords(s, LinePlan(s, format)) * sizeof(int32_t);
}

void PackLineDepthwise(const int16_t* weights, const Conv2dShape& s,
                       IntFormat format, void* packed) {
  const LinePlan plan(s, format);
  const size_t lanes = Lanes(), step = WordLines(format);
  const size_t bits = 32 / step;
  const uint32_t mask = step == 4 ? 0xff : 0xffff;
  const auto channels = static_cast<size_t>(s.out_c),
             taps = static_cast<size_t>(s.kernel_w),
             rows = static_cast<size_t>(s.kernel_h);
  auto* out = static_cast<int32_t*>(packed);
  const auto weight = [&](size_t row, size_t tap, size_t c) {
    return static_cast<uint32_t>(
        int32_t{weights[(row * taps + tap) * channels + c]});
  };
  for (size_t c = 0; c < channels; c += lanes) {
    const size_t count = std::min(lanes, channels - c);
    for (size_t i = 0; i < lanes; ++i) {
      uint32_t sum = 0;
      for (size_t row = 0; i < count && row < rows; ++row)
        for (size_t tap = 0; tap < taps; ++tap) sum += weight(row, tap, c + i);
      *out++ = static_cast<int32_t>(sum);
    }
    for (size_t g = 0; g < plan.groups; ++g) {
      for (size_t tap = 0; tap < taps; ++tap) {
        for (size_t line = 0; line < plan.lines; ++line) {
          for (size_t i = 0; i < lanes; ++i) {
            uint32_t word = 0;
            for (size_t l = 0; i < count && l < step; ++l) {
              // Interleaved line g * step + l is that row of the window.
              const size_t at = g * step + l;
              if (at >= line && at - line < rows)
                word |= (weight(at - line, tap, c + i) & mask) << (bits * l);
            }
            *out++ = static_cast<int32_t>(word);
          }
        }
      }
    }
  }
}

size_t LineDepthwiseScratchBytes(const Conv2dShape& s, IntFormat format,
                                 int threads) {
  return Layout(s, format).total * static_cast<size_t>(threads);
}

void LineDepthwise(const Conv2dShape& s, const IntInput& in, IntFormat format,
                   const void* packed, const float* image_scales,
                   const IntEpilogue& epilogue, void* scratch,
                   ThreadPool& pool) {
  // Bytes that become pairs are brought into lines of their own first.
  const bool is_stored =
      format != IntFormat::kInt16 || in.type == ElementType::kInt16;
  const Layout layout(s, format, in.type == ElementType::kInt16);
  const IntLineLayout line_layout = LinesOf(s, format);
  const LinePlan plan(s, format);
  const auto out_h = static_cast<size_t>(s.out_h);
  const size_t line_size = static_cast<size_t>(s.out_w) * s.out_c;
  const size_t tasks = (out_h + layout.task_lines - 1) / layout.task_lines;
  const auto task = [&](size_t n, size_t first, size_t last, uint8_t* memory) {
    const IntInput image = in.OfImage(n);
    const DepthwiseRun run{s,
                           format,
                           plan,
                           OperandZero(image, format),
                           static_cast<const int32_t*>(packed),
                           epilogue,
                           static_cast<size_t>(line_layout.columns)};
    std::optional<IntLines> lines;
    std::optional<StoredLines> stored_lines;
    if (is_stored)
      stored_lines.emplace(s, image, line_layout, memory);
    else
      lines.emplace(s, in, line_layout, n, first, last, memory);
    auto* words = reinterpret_cast<int32_t*>(memory + layout.lines);
    const size_t step = WordLines(format);
    const bool slides = plan.slides(format);
    size_t first_group = 0;
    for (size_t y = first; y < last; y += plan.lines) {
      const int64_t top = static_cast<int64_t>(y) * s.stride_h - s.pad_top;
      if (slides && y > first)
        first_group = GroupPlace(first_group, 1, plan.groups);
      for (size_t g = slides && y > first ? plan.groups - 1 : 0;
           g < plan.groups; ++g) {
        const int64_t row = top + static_cast<int64_t>(g * step) * s.dilation_h;
        int32_t* to = words + GroupPlace(first_group, g, plan.groups) *
                                  layout.group_words;
        if (stored_lines) {
          stored_lines->Interleave(format, n, row, to);
          continue;
        }
        const uint8_t* below[2];
        for (size_t l = 0; l < step; ++l)
          below[l] = lines->Row(row + static_cast<int64_t>(l) * s.dilation_h);
        HWY_DYNAMIC_DISPATCH(Interleave)
        (format, below, line_layout.outside, 0, to);
      }
      const size_t count = std::min(plan.lines, last - y);
      RowTarget targets[4];
      for (size_t r = 0; r < count; ++r) {
        targets[r].offset = (n * out_h + y + r) * line_size;
        if (image_scales != nullptr) targets[r].scale = image_scales[n];
      }
      HWY_DYNAMIC_DISPATCH(DepthwiseLines)
      (run, words, layout.group_words, first_group, count, targets);
    }
  };
  pool.ParallelFor(static_cast<size_t>(s.batch) * tasks, 1,
                   [&](size_t begin, size_t end, int worker) {
                     for (size_t i = begin; i < end; ++i) {
                       const size_t first = i % tasks * layout.task_lines;
                       task(i / tasks, first,
                            std::min(out_h, first + layout.task_lines),
                            static_cast<uint8_t*>(scratch) +
                                layout.total * static_cast<size_t>(worker));
                     }
                   });
}

}  // namespace munja::kernels
#endif  // HWY_ONCE
