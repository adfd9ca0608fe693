#include "kernels/quant/row_quantization.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/quant/row_quantization.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include "hwy/highway.h"
#include "kernels/cpu/tail-inl.h"
#include "kernels/quant/narrow-inl.h"

namespace munja::kernels {
#ifndef MUNJA_KERNELS_ROW_QUANTIZATION_ONCE
#define MUNJA_KERNELS_ROW_QUANTIZATION_ONCE

// Range of a row, extended to 0; NaN does not count.
struct RowRange {
  float low = 0.0f, high = 0.0f;
};

// stored = clamp(round(offset + x * inverse), low, 127)
struct RowSteps {
  float inverse = 0.0f, offset = 0.0f, low = -127.0f;
};

// round(v) in [low, 127], half away from zero; NaN gives the bound below.
inline int8_t StepOf(float v, float low) {
  const float rounded = std::round(v);
  if (!(rounded > low)) return static_cast<int8_t>(low);
  return static_cast<int8_t>(std::min(rounded, 127.0f));
}

#endif  // MUNJA_KERNELS_ROW_QUANTIZATION_ONCE
}  // namespace munja::kernels

HWY_BEFORE_NAMESPACE();
namespace munja::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Widens `range` by `count` numbers.
void WidenRange(const float* x, size_t count, RowRange& range) {
  const hn::ScalableTag<float> d;
  const size_t lanes = hn::Lanes(d);
  hn::Vec<decltype(d)> low[4], high[4];
  for (size_t v = 0; v < 4; ++v) low[v] = high[v] = hn::Zero(d);
  // Returns the second operand where the first is NaN.
  const auto take = [&](auto numbers, size_t v) HWY_ATTR {
    low[v] = hn::Min(numbers, low[v]);
    high[v] = hn::Max(numbers, high[v]);
  };
  size_t i = 0;
  for (; i + 4 * lanes <= count; i += 4 * lanes) {
    HWY_UNROLL(4)
    for (size_t v = 0; v < 4; ++v) take(hn::LoadU(d, x + i + v * lanes), v);
  }
  for (; i + lanes <= count; i += lanes) take(hn::LoadU(d, x + i), 0);
  if (i < count) take(LoadTail(d, x + i, count - i), 0);
  for (size_t v = 1; v < 4; ++v) {
    low[0] = hn::Min(low[0], low[v]);
    high[0] = hn::Max(high[0], high[v]);
  }
  range.low = HWY_MIN(range.low, hn::GetLane(hn::MinOfLanes(d, low[0])));
  range.high = HWY_MAX(range.high, hn::GetLane(hn::MaxOfLanes(d, high[0])));
}

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
// Truncates values in [-128, 127].
template <class DF>
HWY_INLINE hn::Vec<hn::RebindToSigned<DF>> TruncateSmall(DF, hn::Vec<DF> v) {
#if HWY_TARGET == HWY_AVX3
  return {_mm512_cvttps_epi32(v.raw)};
#elif HWY_TARGET == HWY_AVX2
  return {_mm256_cvttps_epi32(v.raw)};
#elif HWY_ARCH_X86
  return {_mm_cvttps_epi32(v.raw)};
#else
  return hn::ConvertTo(hn::RebindToSigned<DF>(), v);
#endif
}

// `flip` changes bits of each byte.
void StoreSteps(const float* x, size_t count, const RowSteps& steps,
                uint8_t flip, uint8_t* out) {
  const hn::ScalableTag<float> d;
  using D32 = hn::RebindToSigned<hn::ScalableTag<float>>;
  const D32 d32;
  const hn::Repartition<int8_t, D32> bytes;
  const size_t lanes = hn::Lanes(d);
  const auto inverse = hn::Set(d, steps.inverse),
             offset = hn::Set(d, steps.offset), low = hn::Set(d, steps.low),
             high = hn::Set(d, 127.0f), below_half = hn::Set(d, 0.49999997f);
  const auto sign = hn::SignBit(d);
  const auto bits = hn::Set(bytes, static_cast<int8_t>(flip));
  const auto step = [&](auto v) HWY_ATTR {
    v = hn::Add(hn::Mul(v, inverse), offset);
    // Returns the second operand where the first is NaN.
    v = hn::Min(hn::Max(v, low), high);
    // The largest float below 0.5 rounds halves away from 0, and nothing below.
    return TruncateSmall(d, hn::Add(v, hn::Or(hn::And(v, sign), below_half)));
  };
  size_t i = 0;
  for (; i + 4 * lanes <= count; i += 4 * lanes) {
    const float* from = x + i;
    const auto v = NarrowFour<int8_t>(d32, step(hn::LoadU(d, from)),
                                      step(hn::LoadU(d, from + lanes)),
                                      step(hn::LoadU(d, from + 2 * lanes)),
                                      step(hn::LoadU(d, from + 3 * lanes)));
    hn::StoreU(hn::Xor(v, bits), bytes, reinterpret_cast<int8_t*>(out + i));
  }
  const hn::Rebind<int8_t, D32> narrow;
  const auto narrow_bits = hn::Set(narrow, static_cast<int8_t>(flip));
  for (; i < count; i += lanes) {
    const size_t rest = HWY_MIN(lanes, count - i);
    const auto v =
        rest == lanes ? hn::LoadU(d, x + i) : LoadTail(d, x + i, rest);
    const auto stored = hn::Xor(hn::DemoteTo(narrow, step(v)), narrow_bits);
    auto* to = reinterpret_cast<int8_t*>(out + i);
    if (rest == lanes)
      hn::StoreU(stored, narrow, to);
    else
      StoreTail(stored, narrow, to, rest);
  }
}
#else
void StoreSteps(const float* x, size_t count, const RowSteps& steps,
                uint8_t flip, uint8_t* out) {
  for (size_t i = 0; i < count; ++i) {
    const int8_t q = StepOf(steps.offset + x[i] * steps.inverse, steps.low);
    out[i] = static_cast<uint8_t>(static_cast<uint8_t>(q) ^ flip);
  }
}
#endif

}  // namespace munja::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace munja::kernels {

HWY_EXPORT(WidenRange);
HWY_EXPORT(StoreSteps);

namespace {

// False: all of the row is stored as 0.
bool PlaceSymmetric(const RowRange& range, RowScale& row, RowSteps& steps) {
  const float most = std::max(-range.low, range.high);
  row = {};
  if (most == 0.0f) return false;
  steps = {127.0f / most, 0.0f, -127.0f};
  row.scale = most / 127.0f;
  return true;
}

bool PlaceAsymmetric(const RowRange& range, RowScale& row, RowSteps& steps) {
  const float least = range.low, greatest = range.high;
  row = {};
  if (least == greatest) return false;
  constexpr double kLow = -128.0, kHigh = 127.0;
  const double scale = (static_cast<double>(greatest) - least) / (kHigh - kLow);
  if (!std::isfinite(scale)) {
    row.scale = std::numeric_limits<float>::quiet_NaN();
    return false;
  }
  // The zero point from the end that is nearer to 0 has the smaller error.
  const double from_least = kLow - least / scale;
  const double from_greatest = kHigh - greatest / scale;
  const double least_error = -kLow + std::abs(least / scale);
  const double greatest_error = kHigh + std::abs(greatest / scale);
  const double zero = std::clamp(
      least_error < greatest_error ? from_least : from_greatest, kLow, kHigh);
  row = {static_cast<float>(scale), static_cast<int32_t>(std::round(zero))};
  steps = {1.0f / row.scale, static_cast<float>(row.zero), -128.0f};
  return true;
}

bool Place(const RowRange& range, bool is_asymmetric, RowScale& row,
           RowSteps& steps) {
  return is_asymmetric ? PlaceAsymmetric(range, row, steps)
                       : PlaceSymmetric(range, row, steps);
}

RowScale Quantize(const float* x, size_t count, bool is_asymmetric, int8_t* out,
                  uint8_t flip) {
  RowRange range;
  HWY_DYNAMIC_DISPATCH(WidenRange)(x, count, range);
  RowScale row;
  RowSteps steps;
  if (!Place(range, is_asymmetric, row, steps)) {
    if (count > 0) std::memset(out, flip, count);
    return row;
  }
  HWY_DYNAMIC_DISPATCH(StoreSteps)
  (x, count, steps, flip, reinterpret_cast<uint8_t*>(out));
  return row;
}

// One row by several threads.
RowScale QuantizeLongRow(const float* x, size_t count, bool is_asymmetric,
                         int8_t* out, uint8_t flip, ThreadPool& pool) {
  constexpr size_t kChunks = 64, kLeast = size_t{1} << 14;
  const size_t chunk = std::max(kLeast, (count + kChunks - 1) / kChunks);
  const size_t chunks = (count + chunk - 1) / chunk;
  RowRange ranges[kChunks];
  pool.ParallelFor(chunks, 1, [&](size_t begin, size_t end, int) {
    for (size_t i = begin; i < end; ++i) {
      HWY_DYNAMIC_DISPATCH(WidenRange)
      (x + i * chunk, std::min(chunk, count - i * chunk), ranges[i]);
    }
  });
  RowRange range;
  for (size_t i = 0; i < chunks; ++i) {
    range.low = std::min(range.low, ranges[i].low);
    range.high = std::max(range.high, ranges[i].high);
  }
  RowScale row;
  RowSteps steps;
  const bool has_steps = Place(range, is_asymmetric, row, steps);
  pool.ParallelFor(chunks, 1, [&](size_t begin, size_t end, int) {
    const size_t first = begin * chunk;
    const size_t length = std::min(count, end * chunk) - first;
    auto* to = reinterpret_cast<uint8_t*>(out) + first;
    if (has_steps)
      HWY_DYNAMIC_DISPATCH(StoreSteps)(x + first, length, steps, flip, to);
    else
      std::memset(to, flip, length);
  });
  return row;
}

}  // namespace

RowScale QuantizeRow(const float* x, size_t count, int8_t* out) {
  return Quantize(x, count, false, out, 0);
}

RowScale QuantizeRowAsymmetric(const float* x, size_t count, int8_t* out) {
  return Quantize(x, count, true, out, 0);
}

void QuantizeRows(const float* x, size_t rows, size_t depth, bool is_asymmetric,
                  const QuantizedRows& out, ThreadPool& pool) {
  const uint8_t flip = out.is_unsigned ? 0x80 : 0;
  auto* data = static_cast<int8_t*>(out.data);
  const auto keep = [&](size_t r, const RowScale& row) {
    out.scales[r] = row.scale;
    out.zeros[r] = row.zero + (out.is_unsigned ? 128 : 0);
  };
  constexpr size_t kLong = size_t{1} << 16, kGrain = size_t{1} << 13;
  if (depth >= kLong) {
    for (size_t r = 0; r < rows; ++r) {
      keep(r, QuantizeLongRow(x + r * depth, depth, is_asymmetric,
                              data + r * depth, flip, pool));
    }
    return;
  }
  pool.ParallelFor(rows, kGrain / std::max<size_t>(1, depth) + 1,
                   [&](size_t begin, size_t end, int) {
                     for (size_t r = begin; r < end; ++r) {
                       keep(r, Quantize(x + r * depth, depth, is_asymmetric,
                                        data + r * depth, flip));
                     }
                   });
}

// Unsigned arithmetic: what does not fit wraps instead of being undefined.
int32_t Dot(const int8_t* a, const int8_t* b, size_t count) {
  uint32_t sum = 0;
  for (size_t i = 0; i < count; ++i)
    sum += static_cast<uint32_t>(int32_t{a[i]} * int32_t{b[i]});
  return static_cast<int32_t>(sum);
}

int32_t Sum(const int8_t* a, size_t count) {
  uint32_t sum = 0;
  for (size_t i = 0; i < count; ++i)
    sum += static_cast<uint32_t>(int32_t{a[i]});
  return static_cast<int32_t>(sum);
}

namespace reference {
namespace {

RowScale QuantizeByOne(const float* x, size_t count, bool is_asymmetric,
                       int8_t* out) {
  RowRange range;
  for (size_t i = 0; i < count; ++i) {
    range.low = std::min(range.low, x[i]);
    range.high = std::max(range.high, x[i]);
  }
  RowScale row;
  RowSteps steps;
  const bool has_steps = Place(range, is_asymmetric, row, steps);
  for (size_t i = 0; i < count; ++i) {
    out[i] = has_steps ? StepOf(steps.offset + x[i] * steps.inverse, steps.low)
                       : int8_t{0};
  }
  return row;
}

}  // namespace

RowScale QuantizeRow(const float* x, size_t count, int8_t* out) {
  return QuantizeByOne(x, count, false, out);
}

RowScale QuantizeRowAsymmetric(const float* x, size_t count, int8_t* out) {
  return QuantizeByOne(x, count, true, out);
}

}  // namespace reference
}  // namespace munja::kernels
#endif  // HWY_ONCE
