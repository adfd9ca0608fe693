#include "kernels/quant/int_epilogue.h"

#include <algorithm>
#include <type_traits>

#include "kernels/quant/dequantize_epilogue.h"
#include "kernels/quant/fixed_point.h"
#include "kernels/quant/int64_epilogue.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/quant/int_epilogue.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include "hwy/highway.h"
#include "kernels/cpu/tail-inl.h"
#include "kernels/quant/byte_scaler-inl.h"
#include "kernels/quant/fixed_point-inl.h"
#include "kernels/quant/narrow-inl.h"

HWY_BEFORE_NAMESPACE();
namespace munja::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128

using V = hn::Vec<hn::ScalableTag<int32_t>>;

// Scaling parameters of a vector of columns.
struct Scaler {
  V bias, mantissa, shift;
};

// `count` columns from `column` on; lanes beyond the last have multiplier 0.
HWY_INLINE Scaler MakeScaler(const IntEpilogue& s, size_t column,
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
void RowsAs(const IntEpilogue& s, const int32_t* sums, size_t stride,
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

// The first `count` lanes.
template <class D, typename T = hn::TFromD<D>>
HWY_INLINE void StoreBytes(hn::Vec<D> v, D d, T* to, size_t count) {
  if (count == hn::Lanes(d)) {
    hn::StoreU(v, d, to);
    return;
  }
#if HWY_TARGET == HWY_AVX3
  hn::BlendedStore(v, hn::FirstN(d, count), d, to);
#else
  StoreTail(v, d, to, count);
#endif
}

// Columns that need kVectors vectors, the last of which has `last` of them:
// all if kIsFull.
// kGuesses: there is no bias, and multipliers are below 1/2.
template <class T, size_t kVectors, bool kIsFull, bool kGuesses, class D>
void ByteRows(D d, const IntEpilogue& s, const int32_t* sums, size_t stride,
              const RowTarget* targets, size_t rows, size_t column,
              size_t last) {
  using VD = hn::Vec<D>;
  const hn::RebindToFloat<D> df;
  using VF = hn::Vec<decltype(df)>;
  constexpr size_t kRows = 4 / kVectors;
  const size_t lanes = hn::Lanes(d);
  const auto load = [&](const int32_t* p, size_t v) HWY_ATTR {
    return v + 1 < kVectors || kIsFull ? hn::LoadU(d, p + v * lanes)
                                       : LoadTail(d, p + v * lanes, last);
  };
  const auto shift = [&](size_t v) HWY_ATTR {
    return hn::Sub(hn::Set(d, 31), load(s.exponents + column, v));
  };
  const auto scaler = [&](size_t v) HWY_ATTR {
    const VD bias = s.bias == nullptr ? hn::Zero(d) : load(s.bias + column, v);
    return ByteScaler<D>(d, bias, load(s.mantissas + column, v), shift(v),
                         s.zero);
  };
  [[maybe_unused]] const VF scale[2] = {
      ScaleOf(d, load(s.mantissas + column, 0), shift(0)),
      ScaleOf(d, load(s.mantissas + column, kVectors - 1),
              shift(kVectors - 1))};
  [[maybe_unused]] ByteRounder<decltype(df), 256> rounder(kByteError);
  [[maybe_unused]] const VF zero = hn::Set(df, rounder.Base(s.zero));
  const hn::Repartition<T, D> bytes;
  const hn::Half<decltype(bytes)> half;
  const auto low = hn::Set(bytes, static_cast<T>(s.low)),
             high = hn::Set(bytes, static_cast<T>(s.high));
  T* out = static_cast<T*>(s.out) + column;
  const size_t columns = (kVectors - 1) * lanes + (kIsFull ? lanes : last);
  for (size_t r = 0; r < rows; r += kRows) {
    const int32_t* from[kRows];
    T* to[kRows];
    if (r + kRows <= rows) {
      HWY_UNROLL(4)
      for (size_t i = 0; i < kRows; ++i) {
        from[i] = sums + i * stride;
        to[i] = out + targets[r + i].offset;
      }
    } else {  // Rows past the end repeat the last one.
      for (size_t i = 0; i < kRows; ++i) {
        const size_t row = HWY_MIN(i, rows - 1 - r);
        from[i] = sums + row * stride;
        to[i] = out + targets[r + row].offset;
      }
    }
    sums += kRows * stride;
    VD sum[4], scaled[4];
    HWY_UNROLL(4)
    for (size_t i = 0; i < 4; ++i)
      sum[i] = load(from[i / kVectors], i % kVectors);
    bool is_known = false;
    if constexpr (kGuesses) {
      rounder.Begin();
      HWY_UNROLL(4)
      for (size_t i = 0; i < 4; ++i) {
        scaled[i] = rounder.Round(
            hn::MulAdd(hn::ConvertTo(df, sum[i]), scale[i % kVectors], zero));
      }
      is_known = rounder.AreSure();
    }
    if (HWY_UNLIKELY(!is_known)) {
      const ByteScaler<D> exact[2] = {scaler(0), scaler(kVectors - 1)};
      HWY_UNROLL(4)
      for (size_t i = 0; i < 4; ++i) scaled[i] = exact[i % kVectors](d, sum[i]);
    }
    const auto v = hn::Min(
        hn::Max(NarrowFour<T>(d, scaled[0], scaled[1], scaled[2], scaled[3]),
                low),
        high);
    // Rows that lie one after the other, as they do in the vector.
    bool is_dense = kIsFull;
    for (size_t i = 1; i < kRows; ++i)
      is_dense &= to[i] == to[0] + i * kVectors * lanes;
    if (is_dense) {
      hn::StoreU(v, bytes, to[0]);
      continue;
    }
    const auto lower = hn::LowerHalf(half, v), upper = hn::UpperHalf(half, v);
    if constexpr (kVectors == 2) {
      StoreBytes(lower, half, to[0], columns);
      StoreBytes(upper, half, to[1], columns);
    } else {
      const hn::Half<decltype(half)> quarter;
      StoreBytes(hn::LowerHalf(quarter, lower), quarter, to[0], columns);
      StoreBytes(hn::UpperHalf(quarter, lower), quarter, to[1], columns);
      StoreBytes(hn::LowerHalf(quarter, upper), quarter, to[2], columns);
      StoreBytes(hn::UpperHalf(quarter, upper), quarter, to[3], columns);
    }
  }
}

template <class T, bool kGuesses>
void ByteVectors(const IntEpilogue& s, const int32_t* sums, size_t stride,
                 const RowTarget* targets, size_t rows, size_t column,
                 size_t columns) {
  const hn::ScalableTag<int32_t> d;
#if HWY_TARGET == HWY_AVX3
  const hn::CappedTag<int32_t, 8> small;
#else
  const hn::ScalableTag<int32_t> small;
#endif
  const size_t lanes = hn::Lanes(d);
  for (size_t i = 0; i < columns; i += 2 * lanes) {
    const size_t count = HWY_MIN(2 * lanes, columns - i);
    const auto store = [&](auto tag, auto vectors) HWY_ATTR {
      constexpr size_t kVectors = vectors;
      const size_t last = count - (kVectors - 1) * hn::Lanes(tag);
      if (last == hn::Lanes(tag)) {
        ByteRows<T, kVectors, true, kGuesses>(tag, s, sums + i, stride, targets,
                                              rows, column + i, last);
      } else {
        ByteRows<T, kVectors, false, kGuesses>(tag, s, sums + i, stride,
                                               targets, rows, column + i, last);
      }
    };
    using One = std::integral_constant<size_t, 1>;
    using Two = std::integral_constant<size_t, 2>;
    if (count > lanes)
      store(d, Two());
    else if (count > hn::Lanes(small))
      store(d, One());
    else
      store(small, One());
  }
}

// False: a shift is too large; nothing was done.
template <class T>
bool ByteColumns(const IntEpilogue& s, const int32_t* sums, size_t stride,
                 const RowTarget* targets, size_t rows, size_t column,
                 size_t columns) {
  const hn::ScalableTag<int32_t> d;
  const size_t lanes = hn::Lanes(d);
  const int32_t* exponents = s.exponents + column;
  auto low = hn::Set(d, 0), high = hn::Set(d, -1);
  size_t i = 0;
  for (; i + lanes <= columns; i += lanes) {
    const auto x = hn::LoadU(d, exponents + i);
    low = hn::Min(low, x);
    high = hn::Max(high, x);
  }
  bool is_large = !hn::AllTrue(d, hn::Gt(low, hn::Set(d, 30 - kMaxByteShift))),
       is_guessed =
           s.bias == nullptr && hn::AllTrue(d, hn::Lt(high, hn::Zero(d)));
  for (; i < columns; ++i) {
    is_large |= exponents[i] < 31 - kMaxByteShift;
    is_guessed &= exponents[i] < 0;
  }
  if (is_large) return false;
  if (is_guessed)
    ByteVectors<T, true>(s, sums, stride, targets, rows, column, columns);
  else
    ByteVectors<T, false>(s, sums, stride, targets, rows, column, columns);
  return true;
}

#else

template <class T>
bool ByteColumns(const IntEpilogue&, const int32_t*, size_t, const RowTarget*,
                 size_t, size_t, size_t) {
  return false;
}

template <class T>
void RowsAs(const IntEpilogue& s, const int32_t* sums, size_t stride,
            const RowTarget* targets, size_t rows, size_t column,
            size_t columns) {
  for (size_t r = 0; r < rows; ++r)
    for (size_t c = 0; c < columns; ++c)
      reference::StoreSum(s, sums[r * stride + c], targets[r], column + c);
}

#endif

// Sums as they are: a few vectors a row.
void CopySums(const IntEpilogue& s, const int32_t* sums, size_t stride,
              const RowTarget* targets, size_t rows, size_t column,
              size_t columns) {
  const hn::ScalableTag<int32_t> d;
  const size_t lanes = hn::Lanes(d);
  int32_t* const out = static_cast<int32_t*>(s.out) + column;
  for (size_t r = 0; r < rows; ++r, sums += stride) {
    int32_t* const to = out + targets[r].offset;
    size_t i = 0;
    for (; i + lanes <= columns; i += lanes)
      hn::StoreU(hn::LoadU(d, sums + i), d, to + i);
    for (; i < columns; ++i) to[i] = sums[i];
  }
}

// Narrow sums of quantized types.
void Quantized(const IntEpilogue& s, const int32_t* sums, size_t stride,
               const RowTarget* targets, size_t rows, size_t column,
               size_t columns) {
  switch (s.type) {
    case ElementType::kInt8:
      if (ByteColumns<int8_t>(s, sums, stride, targets, rows, column, columns))
        return;
      return RowsAs<int8_t>(s, sums, stride, targets, rows, column, columns);
    case ElementType::kUInt8:
      if (ByteColumns<uint8_t>(s, sums, stride, targets, rows, column, columns))
        return;
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
HWY_EXPORT(CopySums);

void StoreSums(const IntEpilogue& epilogue, const int32_t* sums, size_t stride,
               const RowTarget* targets, size_t rows, size_t column,
               size_t columns) {
  if (epilogue.type == ElementType::kFloat32) {
    StoreReals(epilogue, sums, stride, targets, rows, column, columns);
  } else if (epilogue.is_wide && epilogue.type == ElementType::kInt16 &&
             StoreWideSums(epilogue, sums, stride, targets, rows, column,
                           columns)) {
    return;
  } else if (epilogue.type == ElementType::kInt32) {
    HWY_DYNAMIC_DISPATCH(CopySums)
    (epilogue, sums, stride, targets, rows, column, columns);
  } else if (epilogue.is_wide) {
    for (size_t r = 0; r < rows; ++r)
      for (size_t c = 0; c < columns; ++c)
        reference::StoreSum(epilogue, sums[r * stride + c], targets[r],
                            column + c);
  } else {
    HWY_DYNAMIC_DISPATCH(Quantized)
    (epilogue, sums, stride, targets, rows, column, columns);
  }
}

void StoreSums(const IntEpilogue& epilogue, const int64_t* sums, size_t stride,
               const RowTarget* targets, size_t rows, size_t column,
               size_t columns) {
  for (size_t r = 0; r < rows; ++r)
    for (size_t c = 0; c < columns; ++c)
      reference::StoreSum(epilogue, sums[r * stride + c], targets[r],
                          column + c);
}

namespace reference {

void StoreSum(const IntEpilogue& s, int64_t sum, const RowTarget& target,
              size_t column) {
  const size_t at = target.offset + column;
  if (s.type == ElementType::kFloat32) {
    float x = static_cast<float>(static_cast<int32_t>(sum)) *
              (target.scale * s.scales[column]);
    if (s.float_bias != nullptr) x += s.float_bias[column];
    if (s.residual != nullptr) x += s.residual[at];
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
