// QuantizedBinary of int16. Results have so many bits that float is exact only
// nearly; where that is not enough, a vector is computed again.
#include <cmath>

#include "kernels/elementwise/quantized_binary.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/elementwise/quantized_binary16.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include "hwy/highway.h"
#include "kernels/elementwise/quantized_binary-inl.h"
#include "kernels/quant/near_whole-inl.h"

HWY_BEFORE_NAMESPACE();
namespace munja::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// x * a + y * b of values without their zero points, or x * y * a.
struct Reals16 {
  bool is_sound = false;
  float a = 0.0f, b = 0.0f;
  double slack = 0.0;  // Error bound of the specified roundings.
};

Reals16 MakeReals16(const QuantizedBinaryParams& p) {
  Reals16 reals;
  // Nothing is shifted to the left, so that nothing wraps.
  if (p.out_scale.exponent > 0) return reals;
  const double unit = RealOf(p.out_scale);
  // The result is rounded to an integer, then shifted and rounded again.
  const double moved =
      p.out_scale.exponent == 0 ? 0.0 : std::ldexp(0.5, p.out_scale.exponent);
  if (p.kind == Kind::kMul) {
    reals.a = static_cast<float>(unit);
    reals.slack = moved;
  } else {
    if (p.a_scale.exponent > 0 || p.b_scale.exponent > 0 || p.shift > 15)
      return reals;
    reals.a = static_cast<float>(std::ldexp(RealOf(p.a_scale) * unit, p.shift));
    reals.b = static_cast<float>(std::ldexp(RealOf(p.b_scale) * unit, p.shift));
    if (p.kind == Kind::kSub) reals.b = -reals.b;
    // Either operand is rounded twice, by a half each time.
    reals.slack = moved + 2.0 * unit;
  }
  reals.is_sound = reals.slack < 0.25;
  return reals;
}

#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128
template <Kind kKind>
size_t GuessRows16(const Reals16&, const QuantizedBinaryParams&,
                   const QuantizedBinaryBlock<int16_t>&) {
  return 0;
}
#else

// As many whole vectors of each row as there are; gives the columns done.
template <Kind kKind>
size_t GuessRows16(const Reals16& reals, const QuantizedBinaryParams& params,
                   const QuantizedBinaryBlock<int16_t>& block) {
  const hn::ScalableTag<float> d;
  using D32 = hn::RebindToSigned<hn::ScalableTag<float>>;
  const D32 d32;
  const hn::Rebind<int16_t, D32> dt;
  const size_t lanes = hn::Lanes(d), cols = block.cols / lanes * lanes;
  const Vectors<D32> exact(d32, params);
  const WholeNumbers<decltype(d)> whole(reals.slack);
  const auto a_scale = hn::Set(d, reals.a);
  [[maybe_unused]] const auto b_scale = hn::Set(d, reals.b);
  const auto load = [&](const int16_t* from, bool repeats, size_t i) HWY_ATTR {
    return repeats ? hn::Set(d32, int32_t{*from})
                   : hn::PromoteTo(d32, hn::LoadU(dt, from + i));
  };
  for (size_t r = 0; r < block.rows; ++r) {
    const int16_t* a = block.a + r * block.a_row_stride;
    const int16_t* b = block.b + r * block.b_row_stride;
    int16_t* out = block.out + r * block.cols;
    for (size_t i = 0; i < cols; i += lanes) {
      const auto stored_a = load(a, block.a_repeats, i);
      const auto stored_b = load(b, block.b_repeats, i);
      const auto x = hn::ConvertTo(d, hn::Sub(stored_a, exact.a_zero)),
                 y = hn::ConvertTo(d, hn::Sub(stored_b, exact.b_zero));
      auto real = hn::Mul(x, a_scale), terms = real;
      if constexpr (kKind == Kind::kMul) {
        real = hn::Mul(hn::Mul(x, y), a_scale);
        terms = hn::Abs(real);
      } else {
        const auto second = hn::Mul(y, b_scale);
        terms = hn::Add(hn::Abs(real), hn::Abs(second));
        real = hn::Add(real, second);
      }
      const auto rounded = whole.Round(real);
      auto stored = hn::Add(hn::Min(hn::Max(rounded, exact.low), exact.high),
                            exact.out_zero);
      if (HWY_UNLIKELY(!whole.AreSure(real, terms, rounded)))
        stored = One<kKind>(d32, exact, stored_a, stored_b);
      hn::StoreU(hn::DemoteTo(dt, stored), dt, out + i);
    }
  }
  return cols;
}
#endif

template <Kind kKind>
void Rows16(const QuantizedBinaryParams& params,
            const QuantizedBinaryBlock<int16_t>& block) {
  if (block.cols == 0) return;
  const Reals16 reals = MakeReals16(params);
  const size_t done =
      reals.is_sound ? GuessRows16<kKind>(reals, params, block) : 0;
  for (size_t r = 0; done < block.cols && r < block.rows; ++r) {
    ExactRow<kKind>(params, block.a + r * block.a_row_stride, block.a_repeats,
                    block.b + r * block.b_row_stride, block.b_repeats, done,
                    block.cols, block.out + r * block.cols);
  }
}

void BinaryInt16(const QuantizedBinaryParams& params,
                 const QuantizedBinaryBlock<int16_t>& block) {
  switch (params.kind) {
    case Kind::kAdd:
    case Kind::kSub:
      return Rows16<Kind::kAdd>(params, block);
    case Kind::kMul:
      return Rows16<Kind::kMul>(params, block);
    default:  // Rare: plain loops.
      return reference::QuantizedBinary(params, block);
  }
}

}  // namespace munja::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace munja::kernels {

HWY_EXPORT(BinaryInt16);

template <>
void QuantizedBinary(const QuantizedBinaryParams& params,
                     const QuantizedBinaryBlock<int16_t>& block) {
  HWY_DYNAMIC_DISPATCH(BinaryInt16)(params, block);
}

}  // namespace munja::kernels
#endif  // HWY_ONCE
