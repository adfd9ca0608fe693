#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "base/control.h"
#include "base/fork.h"
#include "image/rows.h"
#include "image/transform.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "image/warp.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include "hwy/highway.h"
#include "image/byte_pairs-inl.h"

#ifndef MUNJA_IMAGE_WARP_ONCE
#define MUNJA_IMAGE_WARP_ONCE
namespace munja::image {

inline constexpr int kSteps = 32;  // Positions inside a pixel, each way.
inline constexpr int kWeightBits = 14;

// For each of 32 x 32 positions the weights of kTaps x kTaps pixels, row by
// row; they sum to exactly 2^14, so that a plain area stays as it is.
template <int kTaps>
struct WarpTable {
  int16_t weights[kSteps * kSteps][kTaps * kTaps];
};

struct WarpJob {
  ImageView in;
  Homography map;
  Image* out;
  const void* table;
};

}  // namespace munja::image
#endif

HWY_BEFORE_NAMESPACE();
namespace munja::image::HWY_NAMESPACE {

inline constexpr int kRun = 64;  // Pixels whose coordinates are held at once.

// Input coordinates of pixels (x0 + i, y), in 1/32 pixel, rounded to nearest,
// ties to even. Every step is an IEEE operation on doubles, none is fused: the
// result is the same on every machine.
void InputCoordinates(const Homography& map, int x0, int y, int32_t* out_x,
                      int32_t* out_y) {
#if HWY_HAVE_FLOAT64
  const hn::ScalableTag<double> df;
  const hn::Rebind<int32_t, decltype(df)> d32;
  const double* const m = map.m.data();
  const double base_x = m[1] * y + m[2];
  const double base_y = m[4] * y + m[5];
  const double base_w = m[7] * y + m[8];
  // Adding and taking away 1.5 * 2^52 rounds to an integer.
  const auto magic = hn::Set(df, 6755399441055744.0);
  const auto limit = hn::Set(df, 1073741824.0);
  const auto tiny = hn::Set(df, 1e-200);
  const auto steps = hn::Set(df, static_cast<double>(kSteps));
  const auto rounded = [&](auto numerator, auto scale) HWY_ATTR {
    const auto clamped =
        hn::Max(hn::Min(hn::Mul(numerator, scale), limit), hn::Neg(limit));
    return hn::DemoteTo(d32, hn::Sub(hn::Add(clamped, magic), magic));
  };
  // On the horizon of the map (w = 0) pixel (0, 0) is as good as any.
  const auto scale_of = [&](auto w) HWY_ATTR {
    return hn::IfThenElseZero(hn::Gt(hn::Abs(w), tiny), hn::Div(steps, w));
  };
  const bool is_even = m[6] == 0;  // Upright boxes: w is that of the row.
  auto scale = scale_of(hn::Set(df, base_w));
  for (size_t i = 0; i < kRun; i += hn::Lanes(df)) {
    const auto x =
        hn::Iota(df, static_cast<double>(x0) + static_cast<double>(i));
    if (!is_even)
      scale =
          scale_of(hn::Add(hn::Mul(hn::Set(df, m[6]), x), hn::Set(df, base_w)));
    const auto at_x =
        hn::Add(hn::Mul(hn::Set(df, m[0]), x), hn::Set(df, base_x));
    const auto at_y =
        hn::Add(hn::Mul(hn::Set(df, m[3]), x), hn::Set(df, base_y));
    hn::StoreU(rounded(at_x, scale), d32, out_x + i);
    hn::StoreU(rounded(at_y, scale), d32, out_y + i);
  }
#else
  // The same, a pixel at a time.
  const double* const m = map.m.data();
  for (int i = 0; i < kRun; ++i) {
    const double x = static_cast<double>(x0) + i;
    const double w = m[6] * x + (m[7] * y + m[8]);
    const double scale = std::abs(w) > 1e-200 ? kSteps / w : 0;
    const auto rounded = [&](double numerator) {
      constexpr double kLimit = 1073741824.0, kMagic = 6755399441055744.0;
      const double at = std::clamp(numerator * scale, -kLimit, kLimit);
      return static_cast<int32_t>(at + kMagic - kMagic);
    };
    out_x[i] = rounded(m[0] * x + (m[1] * y + m[2]));
    out_y[i] = rounded(m[3] * x + (m[4] * y + m[5]));
  }
#endif
}

#if MUNJA_BYTE_PAIRS
// The weighted sum of the kTaps x kTaps pixels from `in` on; reads 16 bytes of
// each row. Stores three bytes.
template <int kTaps>
HWY_INLINE void MixInside(const uint8_t* in, size_t stride,
                          const int16_t* weights, uint8_t* out) {
  const Tag8 d8;
  const Tag32 d32;
  Vec32 sum = hn::Set(d32, 1 << (kWeightBits - 1));
  for (int row = 0; row < kTaps; ++row, in += stride, weights += kTaps) {
    const Vec8 bytes = hn::LoadU(d8, in);
    const Vec8 left =
        hn::InterleaveLower(d8, bytes, hn::ShiftRightBytes<3>(d8, bytes));
    sum = AddPairProducts(WidenLower(left), BroadcastPair(weights), sum);
    if constexpr (kTaps == 4) {
      const Vec8 right =
          hn::InterleaveLower(d8, hn::ShiftRightBytes<6>(d8, bytes),
                              hn::ShiftRightBytes<9>(d8, bytes));
      sum = AddPairProducts(WidenLower(right), BroadcastPair(weights + 2), sum);
    }
  }
  const hn::Rebind<uint8_t, Tag32> d8_quarter;
  uint8_t pixel[4];
  hn::StoreU(hn::DemoteTo(d8_quarter, hn::ShiftRight<kWeightBits>(sum)),
             d8_quarter, pixel);
  std::memcpy(out, pixel, 3);
}

#endif

// The same for pixels that may lie outside: the nearest border pixel counts.
template <int kTaps>
void MixAtBorder(const ImageView& in, int left, int top, const int16_t* weights,
                 uint8_t* out) {
  int32_t sums[3] = {};
  for (int row = 0; row < kTaps; ++row) {
    const uint8_t* const line = in.row(std::clamp(top + row, 0, in.height - 1));
    for (int column = 0; column < kTaps; ++column) {
      const uint8_t* const pixel =
          line + 3 * std::clamp(left + column, 0, in.width - 1);
      for (int c = 0; c < 3; ++c)
        sums[c] += pixel[c] * weights[row * kTaps + column];
    }
  }
  for (int c = 0; c < 3; ++c) {
    const int32_t level = (sums[c] + (1 << (kWeightBits - 1))) >> kWeightBits;
    out[c] = static_cast<uint8_t>(std::clamp(level, 0, 255));
  }
}

template <int kTaps>
void WarpRows(const WarpJob& job, int begin, int end) {
  const auto& table = *static_cast<const WarpTable<kTaps>*>(job.table);
  const ImageView& in = job.in;
  constexpr int kBefore = kTaps / 2 - 1;  // Taps left of the position.
  int32_t xs[kRun], ys[kRun];
  for (int y = begin; y < end; ++y) {
    uint8_t* const row = job.out->row(y);
    for (int x0 = 0; x0 < job.out->width(); x0 += kRun) {
      InputCoordinates(job.map, x0, y, xs, ys);
      const int count = std::min(kRun, job.out->width() - x0);
      for (int i = 0; i < count; ++i) {
        const int left = (xs[i] >> 5) - kBefore, top = (ys[i] >> 5) - kBefore;
        const int16_t* const weights =
            table.weights[(ys[i] & 31) * kSteps + (xs[i] & 31)];
        uint8_t* const out = row + 3 * (x0 + i);
#if MUNJA_BYTE_PAIRS
        if (left >= 0 && top >= 0 && top + kTaps <= in.height &&
            3 * (in.width - left) >= 16) {
          MixInside<kTaps>(in.row(top) + 3 * left, in.stride, weights, out);
          continue;
        }
#endif
        MixAtBorder<kTaps>(in, left, top, weights, out);
      }
    }
  }
}

#if MUNJA_BYTE_PAIRS

// For the pixels of a run: where the first of its four begins, and the weights
// of the lower row and of both columns, twice or as a pair in 32 bits.
struct Places {
  HWY_ALIGN int32_t offsets[kRun];
  HWY_ALIGN int32_t down[kRun];
  HWY_ALIGN int32_t across[kRun];
};

// False: not all of the first `count` lie where left is below `columns` and top
// below `rows`.
bool Locate(const ImageView& in, const int32_t* xs, const int32_t* ys,
            size_t count, int32_t columns, int32_t rows, Places& places) {
  const hn::CappedTag<int32_t, kRun> d;
  using V = hn::Vec<decltype(d)>;
  const V zero = hn::Zero(d), fraction = hn::Set(d, kSteps - 1),
          whole = hn::Set(d, kSteps), three = hn::Set(d, 3),
          stride = hn::Set(d, static_cast<int32_t>(in.stride));
  for (size_t i = 0; i < count; i += hn::Lanes(d)) {
    const V x = hn::LoadU(d, xs + i), y = hn::LoadU(d, ys + i);
    const V left = hn::ShiftRight<5>(x), top = hn::ShiftRight<5>(y);
    const auto is_outside =
        hn::Or(hn::Or(hn::Lt(left, zero), hn::Lt(top, zero)),
               hn::Or(hn::Gt(left, hn::Set(d, columns - 1)),
                      hn::Gt(top, hn::Set(d, rows - 1))));
    const auto counts = hn::FirstN(d, count - i);
    if (!hn::AllFalse(d, hn::And(is_outside, counts))) return false;
    const V fx = hn::And(x, fraction), fy = hn::And(y, fraction);
    hn::Store(hn::Add(hn::Mul(top, stride), hn::Mul(left, three)), d,
              places.offsets + i);
    hn::Store(hn::Or(fy, hn::ShiftLeft<16>(fy)), d, places.down + i);
    hn::Store(hn::Or(hn::Sub(whole, fx), hn::ShiftLeft<16>(fx)), d,
              places.across + i);
  }
  return true;
}

// Four pixels of a run from `i` on; stores 16 bytes, of which 12 count.
HWY_INLINE void MixFour(const ImageView& in, const Places& places, int i,
                        uint8_t* out) {
  const Tag8 d8;
  const Tag16 d16;
  const Tag32 d32;
  const hn::Rebind<uint8_t, Tag16> d8_half;
  const auto mix = [&](int p) HWY_ATTR {
    const uint8_t* const from = in.data + places.offsets[p];
    const Vec16 upper = hn::PromoteTo(d16, hn::LoadU(d8_half, from));
    const Vec16 lower =
        hn::PromoteTo(d16, hn::LoadU(d8_half, from + in.stride));
    const Vec16 fy = hn::BitCast(d16, hn::Set(d32, places.down[p]));
    // At most 255 * 32.
    const Vec16 mixed =
        hn::Add(hn::ShiftLeft<5>(upper), hn::Mul(hn::Sub(lower, upper), fy));
    const Vec16 pairs =
        hn::InterleaveLower(d16, mixed, hn::ShiftRightLanes<3>(d16, mixed));
    const Vec16 fx = hn::BitCast(d16, hn::Set(d32, places.across[p]));
    const Vec32 half = hn::Set(d32, kSteps * kSteps / 2);
    return hn::ShiftRight<10>(AddPairProducts(pairs, fx, half));
  };
  // A lane has a channel of the four, one byte each.
  const Vec32 channels = hn::Or(
      hn::Or(mix(i), hn::ShiftLeft<8>(mix(i + 1))),
      hn::Or(hn::ShiftLeft<16>(mix(i + 2)), hn::ShiftLeft<24>(mix(i + 3))));
#if HWY_TARGET == HWY_WASM  // Highway 1.0 goes through memory there.
  const Vec8 pixels{wasm_i8x16_shuffle(channels.raw, channels.raw, 0, 4, 8, 1,
                                       5, 9, 2, 6, 10, 3, 7, 11, 12, 12, 12,
                                       12)};
#else
  HWY_ALIGN static constexpr uint8_t kPixels[16] = {
      0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11, 12, 12, 12, 12};
  const Vec8 pixels =
      hn::TableLookupBytes(hn::BitCast(d8, channels), hn::Load(d8, kPixels));
#endif
  hn::StoreU(pixels, d8, out);
}

#endif

// As WarpRows<2>. The weights of two taps are whole: a position of f / 32 gives
// 32 - f and f, so that rows, then columns are mixed without a table and
// without rounding between them.
void WarpBilinear(const WarpJob& job, int begin, int end) {
#if MUNJA_BYTE_PAIRS
  const ImageView in = job.in;  // Bytes that are stored do not change it.
  const Tag16 d16;
  const Tag32 d32;
  const hn::Rebind<uint8_t, Tag16> d8_half;
  const hn::Rebind<uint8_t, Tag32> d8_quarter;
  const auto& table = *static_cast<const WarpTable<2>*>(job.table);
  // Where 8 bytes of two rows can be read.
  const auto columns = static_cast<uint32_t>(std::max(in.width - 2, 0));
  const auto rows = static_cast<uint32_t>(std::max(in.height - 1, 0));
  const bool has_offsets =
      in.stride * static_cast<size_t>(in.height) <= INT32_MAX;
  const Vec32 half = hn::Set(d32, kSteps * kSteps / 2);
  int32_t xs[kRun], ys[kRun];
  Places places;
  for (int y = begin; y < end; ++y) {
    uint8_t* const row = job.out->row(y);
    const int width = job.out->width();
    for (int x0 = 0; x0 < width; x0 += kRun) {
      InputCoordinates(job.map, x0, y, xs, ys);
      const int count = std::min(kRun, width - x0);
      int i = 0;
      if (has_offsets && Locate(in, xs, ys, static_cast<size_t>(count),
                                static_cast<int32_t>(columns),
                                static_cast<int32_t>(rows), places)) {
        // 16 bytes are no more than 6 pixels.
        for (; i + 4 <= count && x0 + i + 6 <= width; i += 4)
          MixFour(in, places, i, row + 3 * (x0 + i));
      }
      for (; i < count; ++i) {
        const int left = xs[i] >> 5, top = ys[i] >> 5;
        const int fx = xs[i] & 31, fy = ys[i] & 31;
        uint8_t* const out = row + 3 * (x0 + i);
        if (static_cast<uint32_t>(left) >= columns ||
            static_cast<uint32_t>(top) >= rows) {
          MixAtBorder<2>(in, left, top, table.weights[fy * kSteps + fx], out);
          continue;
        }
        const uint8_t* const from = in.row(top) + 3 * left;
        const Vec16 upper = hn::PromoteTo(d16, hn::LoadU(d8_half, from));
        const Vec16 lower =
            hn::PromoteTo(d16, hn::LoadU(d8_half, from + in.stride));
        // At most 255 * 32.
        const Vec16 mixed = hn::Add(
            hn::Mul(upper, hn::Set(d16, static_cast<int16_t>(kSteps - fy))),
            hn::Mul(lower, hn::Set(d16, static_cast<int16_t>(fy))));
        const Vec16 pairs =
            hn::InterleaveLower(d16, mixed, hn::ShiftRightLanes<3>(d16, mixed));
        const Vec16 weights =
            hn::BitCast(d16, hn::Set(d32, (kSteps - fx) | fx << 16));
        const auto pixel = hn::DemoteTo(
            d8_quarter,
            hn::ShiftRight<10>(AddPairProducts(pairs, weights, half)));
        if (x0 + i + 1 < width) {
          hn::StoreU(pixel, d8_quarter, out);  // The fourth byte is the next's.
        } else {
          uint8_t bytes[4];
          hn::StoreU(pixel, d8_quarter, bytes);
          std::memcpy(out, bytes, 3);
        }
      }
    }
  }
#else
  WarpRows<2>(job, begin, end);
#endif
}
void WarpBicubic(const WarpJob& job, int begin, int end) {
  WarpRows<4>(job, begin, end);
}

}  // namespace munja::image::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace munja::image {
namespace {

HWY_EXPORT(WarpBilinear);
HWY_EXPORT(WarpBicubic);

// Weights of the pixels around a position `t` in [0, 1) behind the pixel
// number kTaps / 2 - 1.
template <int kTaps>
void Weights(double t, double* w) {
  if constexpr (kTaps == 2) {
    w[0] = 1 - t;
    w[1] = t;
  } else {
    constexpr double a = -0.75;
    const auto near = [&](double d) {
      return ((a + 2) * d - (a + 3)) * d * d + 1;
    };
    w[0] = ((a * (t + 1) - 5 * a) * (t + 1) + 8 * a) * (t + 1) - 4 * a;
    w[1] = near(t);
    w[2] = near(1 - t);
    w[3] = 1 - w[0] - w[1] - w[2];
  }
}

template <int kTaps>
WarpTable<kTaps> MakeTable() {
  constexpr int kOne = 1 << kWeightBits;
  WarpTable<kTaps> table;
  for (int position = 0; position < kSteps * kSteps; ++position) {
    double across[kTaps], down[kTaps];
    Weights<kTaps>(static_cast<double>(position % kSteps) / kSteps, across);
    Weights<kTaps>(static_cast<double>(position / kSteps) / kSteps, down);
    int16_t* const weights = table.weights[position];
    int total = 0;
    for (int i = 0; i < kTaps * kTaps; ++i) {
      weights[i] = static_cast<int16_t>(
          std::lrint(down[i / kTaps] * across[i % kTaps] * kOne));
      total += weights[i];
    }
    // The rounding residue goes to the largest weight, where it matters least.
    int16_t* const largest = std::max_element(weights, weights + kTaps * kTaps);
    *largest = static_cast<int16_t>(*largest + kOne - total);
  }
  return table;
}

}  // namespace

Status WarpPerspective(const ImageView& in, const Homography& inverse_map,
                       Image& out, Interpolation interpolation,
                       ThreadPool* pool) {
  if (!IsUsable(in) || out.width() < 1)
    return InvalidArgument("warp: the picture is empty");
  for (const double value : inverse_map.m) {
    // Bounded so that no product below can overflow to infinity, whose
    // comparisons differ between machines.
    if (!(std::abs(value) <= 1e100))
      return InvalidArgument("warp: the map has an entry that is NaN or huge");
  }
  const bool cubic = interpolation == Interpolation::kBicubic;
  const WarpJob job = {in, inverse_map, &out,
                       cubic
                           ? static_cast<const void*>(&MadeOnce<MakeTable<4>>())
                           : &MadeOnce<MakeTable<2>>()};
  ForRows(pool, out.height(), 16, [&](int begin, int end, int) {
    if (cubic) {
      HWY_DYNAMIC_DISPATCH(WarpBicubic)(job, begin, end);
    } else {
      HWY_DYNAMIC_DISPATCH(WarpBilinear)(job, begin, end);
    }
  });
  return CheckControl();
}

}  // namespace munja::image
#endif  // HWY_ONCE
