#include <algorithm>
#include <cmath>
#include <cstdint>

#include "base/buffer.h"
#include "base/control.h"
#include "image/resize.h"
#include "image/rows.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "image/resize_area.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include "hwy/highway.h"
#include "image/byte_pairs-inl.h"

#ifndef MUNJA_IMAGE_RESIZE_AREA_ONCE
#define MUNJA_IMAGE_RESIZE_AREA_ONCE
namespace munja::image {

// Output = sum of weights[i] * in[first + i] / 2^14; the weights of `count`
// inputs sum to exactly 2^14.
struct AreaTap {
  int32_t first;
  int32_t count;
  size_t weights;  // Index of the first one in the axis' list.
};

struct AreaAxis {
  const AreaTap* taps;
  const int16_t* weights;
};

}  // namespace munja::image
#endif

HWY_BEFORE_NAMESPACE();
namespace munja::image::HWY_NAMESPACE {

// Sums input rows into one of 15-bit values, level * 128. Heights come first:
// this is where most pixels are, and the bytes of a row need no shuffling.
void SumRows(const ImageView& in, const AreaAxis& axis, int y, int16_t* out) {
  const AreaTap& tap = axis.taps[y];
  const int16_t* const weights = axis.weights + tap.weights;
  const size_t bytes = static_cast<size_t>(in.width) * 3;
  const uint8_t* const first = in.row(tap.first);
  size_t i = 0;
#if MUNJA_BYTE_PAIRS
  const Tag8 d8;
  const Tag32 d32;
  const hn::Rebind<int16_t, Tag32> d16_half;
  const auto half = hn::Set(d32, 64);
  for (; i + 16 <= bytes; i += 16) {
    Vec32 sums[4] = {half, half, half, half};
    for (int k = 0; k < tap.count; k += 2) {
      const bool pair = k + 1 < tap.count;
      const int16_t pair_weights[2] = {weights[k],
                                       pair ? weights[k + 1] : int16_t{0}};
      const Vec16 w = BroadcastPair(pair_weights);
      const uint8_t* const row = first + static_cast<size_t>(k) * in.stride + i;
      const Vec8 a = hn::LoadU(d8, row);
      const Vec8 b = pair ? hn::LoadU(d8, row + in.stride) : a;
      const Vec8 lower = hn::InterleaveLower(d8, a, b);
      const Vec8 upper = hn::InterleaveUpper(d8, a, b);
      sums[0] = AddPairProducts(WidenLower(lower), w, sums[0]);
      sums[1] = AddPairProducts(WidenUpper(lower), w, sums[1]);
      sums[2] = AddPairProducts(WidenLower(upper), w, sums[2]);
      sums[3] = AddPairProducts(WidenUpper(upper), w, sums[3]);
    }
    for (size_t j = 0; j < 4; ++j) {
      hn::StoreU(hn::DemoteTo(d16_half, hn::ShiftRight<7>(sums[j])), d16_half,
                 out + i + 4 * j);
    }
  }
#endif
  for (; i < bytes; ++i) {
    int32_t sum = 64;
    for (int k = 0; k < tap.count; ++k)
      sum += first[static_cast<size_t>(k) * in.stride + i] * weights[k];
    out[i] = static_cast<int16_t>(sum >> 7);
  }
}

}  // namespace munja::image::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace munja::image {
namespace {

HWY_EXPORT(SumRows);

constexpr double kOne = 16384;

void SumColumns(const int16_t* in, const AreaAxis& axis, int width,
                uint8_t* out) {
  for (int x = 0; x < width; ++x) {
    const AreaTap& tap = axis.taps[x];
    const int16_t* const weights = axis.weights + tap.weights;
    const int16_t* p = in + 3 * tap.first;
    int32_t sums[3] = {1 << 20, 1 << 20, 1 << 20};
    for (int k = 0; k < tap.count; ++k, p += 3)
      for (int c = 0; c < 3; ++c) sums[c] += p[c] * weights[k];
    for (int c = 0; c < 3; ++c)
      out[3 * x + c] = static_cast<uint8_t>(sums[c] >> 21);
  }
}

// The taps of one axis and the list of their weights.
struct AxisTables {
  Buffer taps, weights;
  AreaAxis axis() const { return {taps.as<AreaTap>(), weights.as<int16_t>()}; }
};

// Linear interpolation, for an axis that grows.
void LinearTapAt(int i, double scale, int from, AreaTap& tap,
                 int16_t* weights) {
  const double at = std::clamp((i + 0.5) * scale - 0.5, 0.0, from - 1.0);
  tap.first = std::min(static_cast<int>(at), from - 1);
  tap.count = tap.first + 1 < from ? 2 : 1;
  weights[0] = static_cast<int16_t>(kOne);
  if (tap.count == 1) return;
  weights[1] = static_cast<int16_t>(std::lrint((at - tap.first) * kOne));
  weights[0] = static_cast<int16_t>(weights[0] - weights[1]);
}

// The inputs that [i, i + 1) * scale covers. Rounding the running total, not
// each weight, keeps the sum exact for any number of inputs.
void AreaTapAt(int i, double scale, int from, AreaTap& tap, int16_t* weights) {
  const double begin = i * scale;
  const double end = std::min((i + 1) * scale, static_cast<double>(from));
  tap.first = std::min(static_cast<int>(begin), from - 1);
  const int past =
      std::clamp(static_cast<int>(std::ceil(end)), tap.first + 1, from);
  tap.count = past - tap.first;
  long total = 0;
  for (int k = 0; k < tap.count; ++k) {
    const double covered = std::min<double>(tap.first + k + 1, end) - begin;
    const long now = k + 1 == tap.count
                         ? static_cast<long>(kOne)
                         : std::lrint(covered / (end - begin) * kOne);
    weights[k] = static_cast<int16_t>(now - total);
    total = now;
  }
}

Result<AxisTables> MakeTables(int from, int to) {
  AxisTables tables;
  MUNJA_ASSIGN_OR_RETURN(
      tables.taps, Buffer::Allocate(static_cast<size_t>(to) * sizeof(AreaTap)));
  // Each output touches at most its share of the inputs and one more at
  // either end.
  const size_t most = static_cast<size_t>(from) + 3 * static_cast<size_t>(to);
  MUNJA_ASSIGN_OR_RETURN(tables.weights,
                         Buffer::Allocate(most * sizeof(int16_t)));
  const double scale = static_cast<double>(from) / to;
  size_t used = 0;
  for (int i = 0; i < to; ++i) {
    AreaTap& tap = tables.taps.as<AreaTap>()[i];
    tap.weights = used;
    int16_t* const weights = tables.weights.as<int16_t>() + used;
    if (scale >= 1) {
      AreaTapAt(i, scale, from, tap, weights);
    } else {
      LinearTapAt(i, scale, from, tap, weights);
    }
    used += static_cast<size_t>(tap.count);
  }
  return tables;
}

}  // namespace

Status ResizeArea(const ImageView& in, Image& out, ThreadPool* pool) {
  if (!IsUsable(in) || out.width() < 1)
    return InvalidArgument("resize: the picture is empty");
  MUNJA_ASSIGN_OR_RETURN(const AxisTables columns,
                         MakeTables(in.width, out.width()));
  MUNJA_ASSIGN_OR_RETURN(const AxisTables rows,
                         MakeTables(in.height, out.height()));
  const size_t stride = RoundUp(static_cast<size_t>(in.width) * 3, 64);
  MUNJA_ASSIGN_OR_RETURN(
      Buffer scratch,
      Buffer::Allocate(WorkerCount(pool) * stride * sizeof(int16_t)));
  ForRows(pool, out.height(), 8, [&](int begin, int end, int worker) {
    int16_t* const row =
        scratch.as<int16_t>() + static_cast<size_t>(worker) * stride;
    for (int y = begin; y < end; ++y) {
      HWY_DYNAMIC_DISPATCH(SumRows)(in, rows.axis(), y, row);
      SumColumns(row, columns.axis(), out.width(), out.row(y));
    }
  });
  return CheckControl();
}

}  // namespace munja::image
#endif  // HWY_ONCE
