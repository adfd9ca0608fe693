// Sums of a register tile that become bytes without having been in memory.
// Included once for each SIMD target.
#if defined(MUNJA_KERNELS_QUANT_BYTE_STORE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef MUNJA_KERNELS_QUANT_BYTE_STORE_INL_H_
#undef MUNJA_KERNELS_QUANT_BYTE_STORE_INL_H_
#else
#define MUNJA_KERNELS_QUANT_BYTE_STORE_INL_H_
#endif

#include <cstdint>

#include "hwy/highway.h"
#include "kernels/quant/byte_scaler-inl.h"
#include "kernels/quant/int_epilogue.h"
#include "kernels/quant/narrow-inl.h"

HWY_BEFORE_NAMESPACE();
namespace munja::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128

inline constexpr size_t kByteStoreLanes = HWY_MAX_BYTES / sizeof(int32_t);

// Epilogue of the sums of one or two vectors of columns.
struct ByteStore {
  HWY_ALIGN float scales[2 * kByteStoreLanes];
  // Multipliers from the first column on.
  const int32_t* mantissas;
  const int32_t* exponents;
  // Results are made as int8. Those of uint8 are 128 less, which `flip` makes
  // good.
  int32_t zero;
  int8_t low, high, flip;
  bool is_whole;  // All of int8, none of them flipped.
  uint8_t* out;   // Row 0; the others are `step` bytes apart.
  size_t step;
};

// Scales four vectors of sums, kVectors of each row, to integers where float is
// not exact enough.
template <class D, size_t kVectors>
HWY_NOINLINE void ScaleExactly(const ByteStore& store, int32_t* sums) {
  const D d;
  const size_t lanes = hn::Lanes(d);
  const auto scaler = [&](size_t v) HWY_ATTR {
    const auto shift =
        hn::Sub(hn::Set(d, 31), hn::LoadU(d, store.exponents + v * lanes));
    return ByteScaler<D>(d, hn::Zero(d),
                         hn::LoadU(d, store.mantissas + v * lanes), shift,
                         store.zero);
  };
  const ByteScaler<D> scalers[2] = {scaler(0), scaler(kVectors - 1)};
  for (size_t i = 0; i < 4; ++i) {
    int32_t* at = sums + i * lanes;
    hn::Store(scalers[i % kVectors](d, hn::Load(d, at)), d, at);
  }
}

// Stores kRows rows of sums, row 0 at `first`.
template <class D, size_t kRows, size_t kVectors>
HWY_INLINE void StoreTile(const ByteStore& store, uint8_t* first,
                          const hn::Vec<D> (&sums)[kRows][kVectors]) {
  const D d;
  using V = hn::Vec<D>;
  const hn::RebindToFloat<D> df;
  using VF = hn::Vec<decltype(df)>;
  const hn::Repartition<int8_t, D> bytes;
  const hn::Half<decltype(bytes)> half;
  const size_t lanes = hn::Lanes(d);
  constexpr size_t kGroup = 4 / kVectors;  // Rows.
  ByteRounder<decltype(df), 256> rounder(kByteError);
  const VF zero = hn::Set(df, rounder.Base(store.zero));
  const VF scale[2] = {hn::Load(df, store.scales),
                       hn::Load(df, store.scales + (kVectors - 1) * lanes)};
  const auto low = hn::Set(bytes, store.low), high = hn::Set(bytes, store.high),
             flip = hn::Set(bytes, store.flip);
  const size_t step = store.step;
  const bool is_dense = step == kVectors * lanes;
  auto* to = reinterpret_cast<int8_t*>(first);
  HWY_UNROLL(6)
  for (size_t r = 0; r < kRows; r += kGroup, to += kGroup * step) {
    // Rows past the end repeat the last one.
    V sum[4], whole[4];
    HWY_UNROLL(4)
    for (size_t i = 0; i < 4; ++i)
      sum[i] = sums[HWY_MIN(r + i / kVectors, kRows - 1)][i % kVectors];
    rounder.Begin();
    HWY_UNROLL(4)
    for (size_t i = 0; i < 4; ++i) {
      whole[i] = rounder.Round(
          hn::MulAdd(hn::ConvertTo(df, sum[i]), scale[i % kVectors], zero));
    }
    if (HWY_UNLIKELY(!rounder.AreSure())) {
      HWY_ALIGN int32_t exact[4 * kByteStoreLanes];
      HWY_UNROLL(4)
      for (size_t i = 0; i < 4; ++i) hn::Store(sum[i], d, exact + i * lanes);
      ScaleExactly<D, kVectors>(store, exact);
      HWY_UNROLL(4)
      for (size_t i = 0; i < 4; ++i) whole[i] = hn::Load(d, exact + i * lanes);
    }
    auto v = NarrowFour<int8_t>(d, whole[0], whole[1], whole[2], whole[3]);
    if (!store.is_whole) v = hn::Xor(hn::Min(hn::Max(v, low), high), flip);
    if (is_dense && r + kGroup <= kRows) {
      hn::StoreU(v, bytes, to);
      continue;
    }
    const auto lower = hn::LowerHalf(half, v), upper = hn::UpperHalf(half, v);
    // The last store to a row that comes twice is the one above it again.
    const auto row = [&](size_t i) HWY_ATTR {
      return to + HWY_MIN(i, kRows - 1 - r) * step;
    };
    if constexpr (kVectors == 2) {
      hn::StoreU(lower, half, row(0));
      hn::StoreU(upper, half, row(1));
    } else {
      const hn::Half<decltype(half)> quarter;
      hn::StoreU(hn::LowerHalf(quarter, lower), quarter, row(0));
      hn::StoreU(hn::UpperHalf(quarter, lower), quarter, row(1));
      hn::StoreU(hn::LowerHalf(quarter, upper), quarter, row(2));
      hn::StoreU(hn::UpperHalf(quarter, upper), quarter, row(3));
    }
  }
}

// Results of row r begin offset + r * step elements after epilogue.out; biases
// are part of the sums. False: the results of the panel are made another way.
template <class D>
bool MakeByteStore(D d, const IntEpilogue& epilogue, size_t column,
                   size_t width, size_t offset, size_t step, ByteStore* store) {
  const bool is_signed = epilogue.type == ElementType::kInt8;
  if ((!is_signed && epilogue.type != ElementType::kUInt8) || epilogue.is_wide)
    return false;
  store->mantissas = epilogue.mantissas + column;
  store->exponents = epilogue.exponents + column;
  const size_t lanes = hn::Lanes(d);
  const hn::RebindToFloat<D> df;
  for (size_t i = 0; i < width; i += lanes) {
    const auto exponent = hn::LoadU(d, store->exponents + i);
    // Multipliers below 1/2 that ByteScaler takes.
    if (!hn::AllTrue(d,
                     hn::And(hn::Lt(exponent, hn::Zero(d)),
                             hn::Gt(exponent, hn::Set(d, 30 - kMaxByteShift)))))
      return false;
    hn::Store(ScaleOf(d, hn::LoadU(d, store->mantissas + i),
                      hn::Sub(hn::Set(d, 31), exponent)),
              df, store->scales + i);
  }
  const int32_t below = is_signed ? 0 : 128;
  store->zero = epilogue.zero - below;
  store->low = static_cast<int8_t>(epilogue.low - below);
  store->high = static_cast<int8_t>(epilogue.high - below);
  store->flip = static_cast<int8_t>(is_signed ? 0 : -128);
  store->is_whole = is_signed && epilogue.low <= -128 && epilogue.high >= 127;
  store->out = static_cast<uint8_t*>(epilogue.out) + offset + column;
  store->step = step;
  return true;
}

#else

struct ByteStore {
  uint8_t* out;
  size_t step;
};

#endif

}  // namespace munja::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // MUNJA_KERNELS_QUANT_BYTE_STORE_INL_H_
