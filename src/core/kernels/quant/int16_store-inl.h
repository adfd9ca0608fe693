// Sums of int16 activations, scaled by integers of 32 bits, and those of a
// register tile that become int16 without having been in memory. Included once
// for each SIMD target.
#if defined(MUNJA_KERNELS_QUANT_INT16_STORE_INL_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef MUNJA_KERNELS_QUANT_INT16_STORE_INL_H_
#undef MUNJA_KERNELS_QUANT_INT16_STORE_INL_H_
#else
#define MUNJA_KERNELS_QUANT_INT16_STORE_INL_H_
#endif

#include <cstdint>

#include "hwy/highway.h"
#include "kernels/cpu/tail-inl.h"
#include "kernels/quant/int_epilogue.h"

// Where lanes are shifted each by its own count, by one instruction.
#undef MUNJA_HAS_INT16_SCALER
#define MUNJA_HAS_INT16_SCALER \
  (HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX2)

HWY_BEFORE_NAMESPACE();
namespace munja::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128

// As WideMantissa of kernels/quant/fixed_point.h.
template <class D>
HWY_INLINE hn::Vec<D> CutMantissas(D d, hn::Vec<D> mantissa) {
  return hn::IfThenElse(
      hn::Lt(mantissa, hn::Set(d, 0x7FFF0000)),
      hn::ShiftRight<16>(hn::Add(mantissa, hn::Set(d, 1 << 15))),
      hn::Set(d, 0x7FFF));
}

#endif

#if MUNJA_HAS_INT16_SCALER

// (sum * m + 2^(shift - 1)) >> shift in 32 bits, m below 2^15: the lower 16
// bits of the product do not matter where the shift is 17 and more; the others
// are the upper half of the sum times m, and what the lower half times m
// carries over.
template <class D>
struct Int16Scaler {
  using D16 = hn::Repartition<int16_t, D>;
  // Not left to the compiler, which would make it for no target.
  HWY_INLINE Int16Scaler() {}
  hn::Vec<D16> lower, upper;   // m in the place of either half, and 0.
  hn::Vec<D> one_half, shift;  // Shifts are 16 less.

  HWY_INLINE hn::Vec<D> operator()(hn::Vec<D> sum) const {
    const D d;
    const D16 d16;
    const hn::RebindToUnsigned<D16> u16;
    const auto carried = hn::BitCast(
        d, hn::MulHigh(hn::BitCast(u16, sum), hn::BitCast(u16, lower)));
    auto none = hn::Zero(d);  // Here all is added to the first sum.
    return hn::ReorderWidenMulAccumulate(d, hn::BitCast(d16, sum), upper,
                                         hn::Add(carried, one_half), none) >>
           shift;
  }
};

// `count` columns from `column` on, at most a vector. False: shifts are too
// short or too long for that.
template <class D>
HWY_INLINE bool MakeInt16Scaler(D d, const IntEpilogue& s, size_t column,
                                size_t count, Int16Scaler<D>* out) {
  const bool is_full = count == hn::Lanes(d);
  const auto load = [&](const int32_t* from) HWY_ATTR {
    return is_full ? hn::LoadU(d, from + column)
                   : LoadTail(d, from + column, count);
  };
  const auto m = CutMantissas(d, load(s.mantissas));
  const auto least = hn::Set(d, 1);
  // However far 0 is shifted.
  const auto shift = hn::IfThenElse(hn::Eq(m, hn::Zero(d)), least,
                                    hn::Sub(hn::Set(d, -1), load(s.exponents)));
  // One half and the product have 31 bits together.
  if (!hn::AllTrue(d, hn::And(hn::Gt(shift, hn::Zero(d)),
                              hn::Lt(shift, hn::Set(d, 30)))))
    return false;
  const typename Int16Scaler<D>::D16 d16;
  out->lower = hn::BitCast(d16, m);
  out->upper = hn::BitCast(d16, hn::ShiftLeft<16>(m));
  out->one_half = least << hn::Sub(shift, least);
  out->shift = shift;
  return true;
}

// Epilogue of the sums of one or two vectors of columns.
struct Int16Store {
  const IntEpilogue* epilogue;
  size_t column;
  int16_t* out;  // Row 0; the others are `step` elements apart.
  size_t step;
};

// Biases are part of the sums, which have 32 bits. Results of row r begin
// offset + r * step elements after epilogue.out. False: the results of the
// panel are made another way.
template <class D>
bool MakeInt16Store(D d, const IntEpilogue& epilogue, size_t column,
                    size_t width, size_t offset, size_t step,
                    Int16Store* store) {
  if (epilogue.type != ElementType::kInt16 || !epilogue.is_wide ||
      epilogue.zero != 0)
    return false;
  const size_t lanes = hn::Lanes(d);
  for (size_t i = 0; i < width; i += lanes) {
    Int16Scaler<D> scaler;
    if (!MakeInt16Scaler(d, epilogue, column + i, lanes, &scaler)) return false;
  }
  store->epilogue = &epilogue;
  store->column = column;
  store->out = static_cast<int16_t*>(epilogue.out) + offset + column;
  store->step = step;
  return true;
}

// Stores kRows rows of sums, row 0 at `to`.
template <class D, size_t kRows, size_t kVectors>
HWY_INLINE void StoreInt16Tile(const Int16Store& store, int16_t* to,
                               const hn::Vec<D> (&sums)[kRows][kVectors]) {
  const D d;
  const size_t lanes = hn::Lanes(d);
  Int16Scaler<D> scale[kVectors];
  HWY_UNROLL(2)
  for (size_t v = 0; v < kVectors; ++v)
    MakeInt16Scaler(d, *store.epilogue, store.column + v * lanes, lanes,
                    &scale[v]);
  const hn::Rebind<int16_t, D> narrow;
  const auto low = hn::Set(narrow, static_cast<int16_t>(store.epilogue->low)),
             high = hn::Set(narrow, static_cast<int16_t>(store.epilogue->high));
  HWY_UNROLL(16)
  for (size_t r = 0; r < kRows; ++r, to += store.step) {
    HWY_UNROLL(2)
    for (size_t v = 0; v < kVectors; ++v) {
      const auto x = hn::DemoteTo(narrow, scale[v](sums[r][v]));
      hn::StoreU(hn::Min(hn::Max(x, low), high), narrow, to + v * lanes);
    }
  }
}

#else

struct Int16Store {
  int16_t* out;
  size_t step;
};
template <class D>
bool MakeInt16Store(D, const IntEpilogue&, size_t, size_t, size_t, size_t,
                    Int16Store*) {
  return false;
}

#endif

}  // namespace munja::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // MUNJA_KERNELS_QUANT_INT16_STORE_INL_H_
