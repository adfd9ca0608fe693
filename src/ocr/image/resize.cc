#include "image/resize.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "base/buffer.h"
#include "base/control.h"
#include "image/rows.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "image/resize.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include "hwy/highway.h"
#include "image/byte_pairs-inl.h"

#ifndef MUNJA_IMAGE_RESIZE_ONCE
#define MUNJA_IMAGE_RESIZE_ONCE
namespace munja::image {

// Output pixel = (w[0] * in[index] + w[1] * in[index + 1]) / 2048; index + 1
// may be past the end only where w[1] is 0.
struct LinearTap {
  int32_t index;
  int16_t weights[2];
};

struct LinearJob {
  ImageView in;
  Image* out;
  const LinearTap* columns;
  const LinearTap* rows;
  const int16_t*
      column_weights;  // Weights for `columns`, each pair four times.
  // Output columns from the left whose two input pixels can be read by a
  // 16-byte load that stays inside the input row.
  size_t fast_columns;
};

}  // namespace munja::image
#endif

HWY_BEFORE_NAMESPACE();
namespace munja::image::HWY_NAMESPACE {

#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2
#define MUNJA_WIDE_BYTE_PAIRS 1
// Output pixels side by side, each in 16 bytes of a vector.
using Wide8 = hn::CappedTag<uint8_t, 64>;
using Wide16 = hn::Repartition<int16_t, Wide8>;
using Wide32 = hn::Repartition<int32_t, Wide8>;
constexpr size_t kPixels = hn::MaxLanes(Wide8()) / 16;

template <class D>
HWY_INLINE hn::Vec<D> LoadPixels(D d, const uint8_t* in,
                                 const LinearTap* taps) {
  constexpr size_t kHere = hn::MaxLanes(D()) / 16;
  if constexpr (kHere == 1) {
    return hn::LoadU(d, in + 3 * taps->index);
  } else {
    const hn::Half<D> half;
    return hn::Combine(d, LoadPixels(half, in, taps + kHere / 2),
                       LoadPixels(half, in, taps));
  }
}

// Three values of each pixel; writes one more behind the last.
template <class D>
HWY_INLINE void StorePixels(D d, hn::Vec<D> pixels, int16_t* out) {
  constexpr size_t kHere = hn::MaxLanes(D()) / 4;
  if constexpr (kHere == 1) {
    hn::StoreU(pixels, d, out);
  } else {
    const hn::Half<D> half;
    StorePixels(half, hn::LowerHalf(half, pixels), out);
    StorePixels(half, hn::UpperHalf(half, pixels), out + 3 * (kHere / 2));
  }
}

// Scales as many of the first `count` columns as fill vectors; returns their
// number.
size_t ScaleWide(const LinearJob& job, const uint8_t* in, size_t count,
                 int16_t* out) {
  const Wide8 d8;
  const Wide16 d16;
  const Wide32 d32;
  const hn::Rebind<int16_t, Wide32> narrow;
  // r0 r1 g0 g1 b0 b1, as 16-bit values.
  alignas(16) static constexpr uint8_t kPairs[16] = {
      0, 255, 3, 255, 1, 255, 4, 255, 2, 255, 5, 255, 255, 255, 255, 255};
  const auto order = hn::LoadDup128(d8, kPairs);
  size_t x = 0;
  for (; x + kPixels <= count; x += kPixels) {
    const auto pairs = hn::BitCast(
        d16,
        hn::TableLookupBytesOr0(LoadPixels(d8, in, job.columns + x), order));
    auto unused = hn::Zero(d32);  // The x86 instruction adds neighbors.
    const auto sum = hn::ReorderWidenMulAccumulate(
        d32, pairs, hn::LoadU(d16, job.column_weights + 8 * x), hn::Zero(d32),
        unused);
    StorePixels(narrow, hn::DemoteTo(narrow, hn::ShiftRight<4>(sum)),
                out + 3 * x);
  }
  return x;
}
#else
#define MUNJA_WIDE_BYTE_PAIRS 0
#endif

// A row scaled in width: 15-bit values, level * 128. May write up to 4
// elements behind the row's end.
void ScaleRow(const LinearJob& job, int row, int16_t* out) {
  const uint8_t* const in = job.in.row(row);
  const size_t width = static_cast<size_t>(job.out->width());
  size_t x = 0;
#if MUNJA_WIDE_BYTE_PAIRS
  x = ScaleWide(job, in, job.fast_columns, out);
#endif
#if MUNJA_BYTE_PAIRS
  const Tag8 d8;
  const Tag32 d32;
  const hn::Rebind<int16_t, Tag32> d16;
  for (; x < job.fast_columns; ++x) {
    const LinearTap& tap = job.columns[x];
    const Vec8 left = hn::LoadU(d8, in + 3 * tap.index);
    // r0 r1 g0 g1 b0 b1 and two bytes of no meaning.
    const Vec16 pairs = WidenLower(
        hn::InterleaveLower(d8, left, hn::ShiftRightBytes<3>(d8, left)));
    const Vec32 sum =
        AddPairProducts(pairs, BroadcastPair(tap.weights), hn::Zero(d32));
    hn::StoreU(hn::DemoteTo(d16, hn::ShiftRight<4>(sum)), d16, out + 3 * x);
  }
#endif
  for (; x < width; ++x) {
    const LinearTap& tap = job.columns[x];
    const uint8_t* const left = in + 3 * tap.index;
    const uint8_t* const right = tap.weights[1] == 0 ? left : left + 3;
    for (size_t c = 0; c < 3; ++c) {
      out[3 * x + c] = static_cast<int16_t>(
          (left[c] * tap.weights[0] + right[c] * tap.weights[1]) >> 4);
    }
  }
}

// Mixes two scaled rows of `count` values.
void MixRows(const int16_t* top, const int16_t* bottom, const LinearTap& tap,
             size_t count, uint8_t* out) {
  const hn::ScalableTag<int16_t> d16;
  const hn::Rebind<uint8_t, decltype(d16)> d8;
  const auto top_weight = hn::Set(d16, tap.weights[0]);
  const auto bottom_weight = hn::Set(d16, tap.weights[1]);
  const auto two = hn::Set(d16, int16_t{2});
  const size_t lanes = hn::Lanes(d16);
  size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    // level * 128 * weight / 2^16 = level * 4, less what is cut off.
    const auto sum =
        hn::Add(hn::MulHigh(hn::LoadU(d16, top + i), top_weight),
                hn::MulHigh(hn::LoadU(d16, bottom + i), bottom_weight));
    const auto levels = hn::ShiftRight<2>(hn::Add(sum, two));
    hn::StoreU(hn::DemoteTo(d8, levels), d8, out + i);
  }
  for (; i < count; ++i) {
    const int sum =
        (top[i] * tap.weights[0] >> 16) + (bottom[i] * tap.weights[1] >> 16);
    out[i] = static_cast<uint8_t>((sum + 2) >> 2);
  }
}

// `scratch`: two rows of `scratch_stride` values.
void ScaleRows(const LinearJob& job, int begin, int end, int16_t* scratch,
               size_t scratch_stride) {
  const int last = job.in.height - 1;
  int held[2] = {-1, -1};
  for (int y = begin; y < end; ++y) {
    const LinearTap& tap = job.rows[y];
    const int wanted[2] = {tap.index, std::min(tap.index + 1, last)};
    // Going down, the lower row of one step is often the upper of the next.
    int slots[2];
    for (int i = 0; i < 2; ++i) {
      slots[i] = wanted[i] & 1;
      if (held[slots[i]] == wanted[i]) continue;
      ScaleRow(job, wanted[i],
               scratch + static_cast<size_t>(slots[i]) * scratch_stride);
      held[slots[i]] = wanted[i];
    }
    MixRows(scratch + static_cast<size_t>(slots[0]) * scratch_stride,
            scratch + static_cast<size_t>(slots[1]) * scratch_stride, tap,
            job.out->stride(), job.out->row(y));
  }
}

#undef MUNJA_WIDE_BYTE_PAIRS
}  // namespace munja::image::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace munja::image {
namespace {

HWY_EXPORT(ScaleRows);

LinearTap MakeTap(int i, double scale, int count) {
  constexpr float kOne = 2048;
  // Single precision from here on is part of the rule.
  float fraction = static_cast<float>((i + 0.5) * scale - 0.5);
  int index = static_cast<int>(std::floor(fraction));
  fraction -= static_cast<float>(index);
  if (index < 0) {
    index = 0;
    fraction = 0;
  }
  if (index >= count - 1) {
    index = count - 1;
    fraction = 0;
  }
  return {index,
          {static_cast<int16_t>(std::lrint((1.0f - fraction) * kOne)),
           static_cast<int16_t>(std::lrint(fraction * kOne))}};
}

Result<Buffer> MakeTaps(int from, int to) {
  MUNJA_ASSIGN_OR_RETURN(Buffer taps, Buffer::Allocate(static_cast<size_t>(to) *
                                                       sizeof(LinearTap)));
  // As the rule has it: the inverse of the inverse.
  const double scale = 1.0 / (static_cast<double>(to) / from);
  for (int i = 0; i < to; ++i)
    taps.as<LinearTap>()[i] = MakeTap(i, scale, from);
  return taps;
}

Result<Buffer> RepeatWeights(const LinearTap* taps, size_t count) {
  constexpr size_t kTimes = 4;
  constexpr size_t kPair = sizeof(LinearTap::weights);
  MUNJA_ASSIGN_OR_RETURN(Buffer weights,
                         Buffer::Allocate(count * kTimes * kPair));
  for (size_t i = 0; i < count * kTimes; ++i)
    std::memcpy(weights.data() + i * kPair, taps[i / kTimes].weights, kPair);
  return weights;
}

}  // namespace

Status Resize(const ImageView& in, Image& out, ThreadPool* pool) {
  if (!IsUsable(in) || out.width() < 1)
    return InvalidArgument("resize: the picture is empty");
  MUNJA_ASSIGN_OR_RETURN(const Buffer columns, MakeTaps(in.width, out.width()));
  MUNJA_ASSIGN_OR_RETURN(const Buffer rows, MakeTaps(in.height, out.height()));
  const size_t width = static_cast<size_t>(out.width());
  MUNJA_ASSIGN_OR_RETURN(const Buffer weights,
                         RepeatWeights(columns.as<LinearTap>(), width));
  LinearJob job = {in,
                   &out,
                   columns.as<LinearTap>(),
                   rows.as<LinearTap>(),
                   weights.as<int16_t>(),
                   0};
  while (job.fast_columns < width &&
         3 * (in.width - job.columns[job.fast_columns].index) >= 16) {
    ++job.fast_columns;
  }
  const size_t stride = RoundUp(out.stride() + 4, 64);
  MUNJA_ASSIGN_OR_RETURN(
      Buffer scratch,
      Buffer::AllocateZeroed(WorkerCount(pool) * 2 * stride * sizeof(int16_t)));
  ForRows(pool, out.height(), 32, [&](int begin, int end, int worker) {
    HWY_DYNAMIC_DISPATCH(ScaleRows)
    (job, begin, end,
     scratch.as<int16_t>() + static_cast<size_t>(worker) * 2 * stride, stride);
  });
  return CheckControl();
}

}  // namespace munja::image
#endif  // HWY_ONCE
