#include "kernels/output_stage.h"

#include <algorithm>
#include <cassert>

#include "kernels/fixed_point.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/output_stage.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include "hwy/highway.h"
#include "kernels/tail-inl.h"

HWY_BEFORE_NAMESPACE();
namespace munja::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128

const hn::ScalableTag<int32_t> kTag;
using V = hn::Vec<hn::ScalableTag<int32_t>>;

// Lane by lane what Multiply(int32_t, Multiplier) does.
HWY_INLINE V MultiplyLanes(V x, V mantissa, V exponent) {
  const hn::ScalableTag<int32_t> d;
  const hn::RepartitionToWide<decltype(d)> wide;
  const hn::RebindToUnsigned<decltype(wide)> bits;
  const V zero = hn::Zero(d);
  x = x << hn::Max(exponent, zero);
  // Bits 31 to 62 of each product, rounded; the sign does not reach them.
  const auto half = hn::Set(bits, uint64_t{1} << 30);
  const auto odd_lanes = [&](V v) HWY_ATTR {
    return hn::BitCast(d, hn::ShiftRight<32>(hn::BitCast(bits, v)));
  };
  const auto even = hn::Add(hn::BitCast(bits, hn::MulEven(x, mantissa)), half);
  const auto odd = hn::Add(
      hn::BitCast(bits, hn::MulEven(odd_lanes(x), odd_lanes(mantissa))), half);
  const V high = hn::OddEven(hn::BitCast(d, hn::ShiftLeft<1>(odd)),
                             hn::BitCast(d, hn::ShiftRight<31>(even)));
  // Divides by the power of two, half away from zero.
  const V right = hn::Max(hn::Sub(zero, exponent), zero);
  const V one = hn::Set(d, 1);
  const V mask = hn::Sub(one << right, one);
  const V remainder = hn::And(high, mask);
  const V threshold =
      hn::Sub(hn::ShiftRight<1>(mask), hn::ShiftRight<31>(high));
  return hn::Sub(high >> right,
                 hn::VecFromMask(d, hn::Gt(remainder, threshold)));
}

// One row of sums into `out`, whose first column is `column`.
template <class T>
void Row(const OutputStage& s, const int32_t* sums, size_t column,
         size_t columns, T* HWY_RESTRICT out) {
  const hn::ScalableTag<int32_t> d;
  const hn::Rebind<T, decltype(d)> narrow;
  const size_t lanes = hn::Lanes(d);
  const V zero = hn::Set(d, s.zero), low = hn::Set(d, s.low),
          high = hn::Set(d, s.high);
  for (size_t i = 0; i < columns; i += lanes) {
    const size_t count = columns - i;
    const auto load = [&](const int32_t* p) HWY_ATTR {
      return count >= lanes ? hn::LoadU(d, p) : LoadTail(d, p, count);
    };
    V x = load(sums + i);
    if (s.bias != nullptr) x = hn::Add(x, load(s.bias + column + i));
    x = MultiplyLanes(x, load(s.mantissas + column + i),
                      load(s.exponents + column + i));
    x = hn::Min(hn::Max(hn::Add(x, zero), low), high);
    const auto stored = hn::DemoteTo(narrow, x);
    if (count >= lanes)
      hn::StoreU(stored, narrow, out + i);
    else
      StoreTail(stored, narrow, out + i, count);
  }
}

template <class T>
void RowsAs(const OutputStage& s, const int32_t* sums, size_t stride,
            const RowTarget* targets, size_t rows, size_t column,
            size_t columns) {
  for (size_t r = 0; r < rows; ++r)
    Row(s, sums + r * stride, column, columns,
        static_cast<T*>(s.out) + targets[r].offset + column);
}

#else

template <class T>
void RowsAs(const OutputStage& s, const int32_t* sums, size_t stride,
            const RowTarget* targets, size_t rows, size_t column,
            size_t columns) {
  for (size_t r = 0; r < rows; ++r)
    for (size_t c = 0; c < columns; ++c)
      reference::StoreSum(s, sums[r * stride + c], targets[r], column + c);
}

#endif

// Narrow sums of quantized types.
void Quantized(const OutputStage& s, const int32_t* sums, size_t stride,
               const RowTarget* targets, size_t rows, size_t column,
               size_t columns) {
  switch (s.type) {
    case ElementType::kInt8:
      return RowsAs<int8_t>(s, sums, stride, targets, rows, column, columns);
    case ElementType::kUInt8:
      return RowsAs<uint8_t>(s, sums, stride, targets, rows, column, columns);
    default:
      return RowsAs<int16_t>(s, sums, stride, targets, rows, column, columns);
  }
}

}  // namespace munja::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace munja::kernels {

HWY_EXPORT(Quantized);

namespace {

void StoreFloats(const OutputStage& s, const int32_t* sums, size_t stride,
                 const RowTarget* targets, size_t rows, size_t column,
                 size_t columns) {
  for (size_t r = 0; r < rows; ++r, sums += stride) {
    float* out = static_cast<float*>(s.out) + targets[r].offset + column;
    const float scale = targets[r].scale;
    for (size_t c = 0; c < columns; ++c)
      out[c] = static_cast<float>(sums[c]) * (scale * s.scales[column + c]);
    if (s.float_bias != nullptr)
      for (size_t c = 0; c < columns; ++c) out[c] += s.float_bias[column + c];
    if (s.activation.kind != ActivationKind::kNone)
      Activate(s.activation, out, columns, out);
  }
}

}  // namespace

void StoreSums(const OutputStage& stage, const int32_t* sums, size_t stride,
               const RowTarget* targets, size_t rows, size_t column,
               size_t columns) {
  if (stage.type == ElementType::kFloat32) {
    StoreFloats(stage, sums, stride, targets, rows, column, columns);
  } else if (stage.is_wide || stage.type == ElementType::kInt32) {
    for (size_t r = 0; r < rows; ++r)
      for (size_t c = 0; c < columns; ++c)
        reference::StoreSum(stage, sums[r * stride + c], targets[r],
                            column + c);
  } else {
    HWY_DYNAMIC_DISPATCH(Quantized)
    (stage, sums, stride, targets, rows, column, columns);
  }
}

void StoreSums(const OutputStage& stage, const int64_t* sums, size_t stride,
               const RowTarget* targets, size_t rows, size_t column,
               size_t columns) {
  for (size_t r = 0; r < rows; ++r)
    for (size_t c = 0; c < columns; ++c)
      reference::StoreSum(stage, sums[r * stride + c], targets[r], column + c);
}

namespace reference {

void StoreSum(const OutputStage& s, int64_t sum, const RowTarget& target,
              size_t column) {
  const size_t at = target.offset + column;
  if (s.type == ElementType::kFloat32) {
    float x = static_cast<float>(static_cast<int32_t>(sum)) *
              (target.scale * s.scales[column]);
    if (s.float_bias != nullptr) x += s.float_bias[column];
    static_cast<float*>(s.out)[at] = reference::Activate(s.activation, x);
    return;
  }
  if (s.type == ElementType::kInt32) {
    static_cast<int32_t*>(s.out)[at] = static_cast<int32_t>(sum);
    return;
  }
  if (s.bias != nullptr) sum += s.bias[column];
  // Biases are any 64 bits; sums have 48 at most.
  if (s.wide_bias != nullptr)
    sum = static_cast<int64_t>(static_cast<uint64_t>(sum) +
                               static_cast<uint64_t>(s.wide_bias[column]));
  const Multiplier multiplier{s.mantissas[column], s.exponents[column]};
  const int32_t scaled = s.is_wide
                             ? Multiply(sum, multiplier)
                             : Multiply(static_cast<int32_t>(sum), multiplier);
  const auto shifted = static_cast<int32_t>(static_cast<uint32_t>(scaled) +
                                            static_cast<uint32_t>(s.zero));
  const int32_t value = std::clamp(shifted, s.low, s.high);
  switch (s.type) {
    case ElementType::kInt8:
      static_cast<int8_t*>(s.out)[at] = static_cast<int8_t>(value);
      break;
    case ElementType::kUInt8:
      static_cast<uint8_t*>(s.out)[at] = static_cast<uint8_t>(value);
      break;
    default:
      static_cast<int16_t*>(s.out)[at] = static_cast<int16_t>(value);
      break;
  }
}

}  // namespace reference
}  // namespace munja::kernels
#endif  // HWY_ONCE
