#include "kernels/output_stage.h"

#include <algorithm>
#include <cassert>

#include "kernels/fixed_point.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/output_stage.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include "hwy/highway.h"
#include "kernels/fixed_point-inl.h"
#include "kernels/tail-inl.h"

HWY_BEFORE_NAMESPACE();
namespace munja::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128

using V = hn::Vec<hn::ScalableTag<int32_t>>;

// What a vector of columns needs to scale its sums.
struct Scaler {
  V bias, mantissa, shift;
};

// `count` columns from `column` on; lanes beyond the last have multiplier 0.
HWY_INLINE Scaler MakeScaler(const OutputStage& s, size_t column,
                             size_t count) {
  const hn::ScalableTag<int32_t> d;
  const bool is_full = count >= hn::Lanes(d);
  const int32_t* const arrays[] = {s.bias, s.mantissas, s.exponents};
  V loaded[3];
  for (size_t i = 0; i < 3; ++i) {
    loaded[i] = arrays[i] == nullptr ? hn::Zero(d)
                : is_full            ? hn::LoadU(d, arrays[i] + column)
                                     : LoadTail(d, arrays[i] + column, count);
  }
  return {loaded[0], loaded[1], hn::Sub(hn::Set(d, 31), loaded[2])};
}

template <class T>
void RowsAs(const OutputStage& s, const int32_t* sums, size_t stride,
            const RowTarget* targets, size_t rows, size_t column,
            size_t columns) {
  const hn::ScalableTag<int32_t> d;
  const hn::Rebind<T, decltype(d)> narrow;
  const size_t lanes = hn::Lanes(d);
  const V zero = hn::Set(d, s.zero), low = hn::Set(d, s.low),
          high = hn::Set(d, s.high);
  for (size_t i = 0; i < columns; i += lanes) {
    const size_t count = columns - i;
    const bool is_full = count >= lanes;
    const Scaler scaler = MakeScaler(s, column + i, count);
    for (size_t r = 0; r < rows; ++r) {
      const int32_t* from = sums + r * stride + i;
      T* to = static_cast<T*>(s.out) + targets[r].offset + column + i;
      const V sum = is_full ? hn::LoadU(d, from) : LoadTail(d, from, count);
      const V scaled = MultiplyRoundedOnce(d, hn::Add(sum, scaler.bias),
                                           scaler.mantissa, scaler.shift);
      const V x = hn::Min(hn::Max(hn::Add(scaled, zero), low), high);
      const auto stored = hn::DemoteTo(narrow, x);
      if (is_full)
        hn::StoreU(stored, narrow, to);
      else
        StoreTail(stored, narrow, to, count);
    }
  }
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
  const int32_t scaled =
      s.is_wide ? Multiply(sum, multiplier)
                : MultiplyRoundedOnce(static_cast<int32_t>(sum), multiplier);
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
