// Vector forms of the activations, for kernels that apply one to each result
// before storing it. Included once for each SIMD target.
#if defined(MUNJA_KERNELS_ELEMENTWISE_ACTIVATION_INL_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef MUNJA_KERNELS_ELEMENTWISE_ACTIVATION_INL_H_
#undef MUNJA_KERNELS_ELEMENTWISE_ACTIVATION_INL_H_
#else
#define MUNJA_KERNELS_ELEMENTWISE_ACTIVATION_INL_H_
#endif

#include "hwy/highway.h"
#include "kernels/elementwise/activation.h"
#include "kernels/elementwise/gelu_tail_table.h"

HWY_BEFORE_NAMESPACE();
namespace munja::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// All functions take and give float vectors. NaN in gives NaN out.

// max(low, x) and min(high, x), NaN where x is. If one is NaN, x86 gives
// the second argument, but Highway's Max takes the number on Arm (fmaxnm, not
// fmax) and in its forms without vector instructions.
#define MUNJA_MAX_KEEPS_SECOND \
  (HWY_ARCH_X86 && HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128)
template <class V>
HWY_INLINE V AtLeast(V low, V x) {
#if MUNJA_MAX_KEEPS_SECOND
  return hn::Max(low, x);
#else
  return hn::IfThenElse(hn::Lt(x, low), low, x);
#endif
}
template <class V>
HWY_INLINE V AtMost(V high, V x) {
#if MUNJA_MAX_KEEPS_SECOND
  return hn::Min(high, x);
#else
  return hn::IfThenElse(hn::Gt(x, high), high, x);
#endif
}
#undef MUNJA_MAX_KEEPS_SECOND

// c[0] + c[1] x + ... by Horner's rule.
template <class D, class V, size_t kCount>
HWY_INLINE V Polynomial(D d, V x, const float (&c)[kCount]) {
  V sum = hn::Set(d, c[kCount - 1]);
  for (size_t i = kCount - 1; i-- > 0;) {
    sum = hn::MulAdd(sum, x, hn::Set(d, c[i]));
  }
  return sum;
}

// Adding this to a number below 2^21 in size rounds it to an integer, ties to
// even, and leaves that in the lowest 22 bits, which are 0 here.
inline constexpr float kToWhole = 0x1.8p23f;

// The nearest integer to y, |y| < 2^21; NaN for NaN. The lowest 22 of `bits`
// are it, too. Faster than a conversion there and back, which minds numbers of
// any size.
template <class D, class V>
HWY_INLINE V NearestWhole(D d, V y, hn::Vec<hn::RebindToSigned<D>>& bits) {
  const V shifted = hn::Add(y, hn::Set(d, kToWhole));
  bits = hn::BitCast(hn::RebindToSigned<D>(), shifted);
  return hn::Sub(shifted, hn::Set(d, kToWhole));
}

// exp(x) = 2^n (1 + q), q = exp(r) - 1, |r| <= log(2) / 2. log(2) is taken off
// in two steps; n times the first is exact since that constant has 9 bits.
// exp(r) is its Taylor series to r^7, whose rest is below 6e-9.
template <class D, class V>
HWY_INLINE void ReduceExp(D d, V x, hn::Vec<hn::RebindToSigned<D>>& n, V& q) {
  const V nf = NearestWhole(d, hn::Mul(x, hn::Set(d, 1.44269504089f)), n);
  n = hn::Sub(n, hn::BitCast(hn::RebindToSigned<D>(), hn::Set(d, kToWhole)));
  V r = hn::NegMulAdd(nf, hn::Set(d, 0.693359375f), x);
  r = hn::NegMulAdd(nf, hn::Set(d, -2.12194440e-4f), r);
  const float kTaylor[] = {1.0f / 2,   1.0f / 6,   1.0f / 24,
                           1.0f / 120, 1.0f / 720, 1.0f / 5040};
  q = hn::MulAdd(Polynomial(d, r, kTaylor), hn::Mul(r, r), r);
}

// 2^n for -126 <= n <= 127.
template <class D>
HWY_INLINE hn::Vec<D> PowerOfTwo(D d, hn::Vec<hn::RebindToSigned<D>> n) {
  const hn::RebindToSigned<D> di;
  return hn::BitCast(d, hn::ShiftLeft<23>(hn::Add(n, hn::Set(di, 127))));
}

// e^x, 2 ULP over the whole range, subnormal results included.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V Exp(D d, V x) {
  x = AtMost(hn::Set(d, 89.0f), AtLeast(hn::Set(d, -104.0f), x));
  const hn::RebindToSigned<D> di;
  hn::Vec<decltype(di)> n = hn::Undefined(di);
  V q = hn::Undefined(d);
  ReduceExp(d, x, n, q);
  // In two factors: 2^128 and 2^-150 are no floats, but their halves are.
  const auto half = hn::ShiftRight<1>(n);
  const V p = hn::Mul(hn::Add(q, hn::Set(d, 1.0f)), PowerOfTwo(d, half));
  return hn::Mul(p, PowerOfTwo(d, hn::Sub(n, half)));
}

// e^x for x <= 0 (larger ones must not come in); 2 ULP, and 0 for results
// below 2^-126.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V ExpOfNegative(D d, V x) {
  const V lowest = hn::Set(d, -87.0f);
  const hn::RebindToSigned<D> di;
  hn::Vec<decltype(di)> n = hn::Undefined(di);
  V q = hn::Undefined(d);
  ReduceExp(d, AtLeast(lowest, x), n, q);
  const V p = PowerOfTwo(d, n);
  return hn::IfThenZeroElse(hn::Lt(x, lowest), hn::MulAdd(p, q, p));
}

// e^x - 1 for x <= 0, 3 ULP: also near 0, where Exp(x) - 1 loses all digits.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V Expm1OfNegative(D d, V x) {
  const hn::RebindToSigned<D> di;
  hn::Vec<decltype(di)> n = hn::Undefined(di);
  V q = hn::Undefined(d);
  ReduceExp(d, AtLeast(hn::Set(d, -40.0f), x), n, q);
  const V p = PowerOfTwo(d, n);
  return hn::MulAdd(p, q, hn::Sub(p, hn::Set(d, 1.0f)));
}

// 1 / (1 + e^-x), by e^-|x| so that nothing overflows.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V Sigmoid(D d, V x) {
  const V one = hn::Set(d, 1.0f);
  const V e = ExpOfNegative(d, hn::Neg(hn::Abs(x)));
  const V top = hn::IfThenElse(hn::Lt(x, hn::Zero(d)), e, one);
  return hn::Div(top, hn::Add(one, e));
}

// With m = e^(-2|x|) - 1, tanh |x| = -m / (2 + m).
template <class D, class V = hn::Vec<D>>
HWY_INLINE V Tanh(D d, V x) {
  const V m = Expm1OfNegative(d, hn::Mul(hn::Set(d, -2.0f), hn::Abs(x)));
  const V t = hn::Div(hn::Neg(m), hn::Add(hn::Set(d, 2.0f), m));
  return hn::CopySignToAbs(hn::Abs(t), x);
}

// max(x, 0) - |x| tail, for the two GELUs: `tail` is the weight, falling to 0,
// that the function leaves off on the right and keeps on the left, so that
// neither side cancels. Beyond 15 it counts as 0 (and inf * 0 is avoided).
template <class D, class V = hn::Vec<D>>
HWY_INLINE V JoinTails(D d, V x, V magnitude, V tail) {
  return hn::NegMulAdd(magnitude, tail, AtLeast(hn::Zero(d), x));
}

// 2^y for -126 < y < 126, relative error 2e-7; anything for NaN, of which
// targets make different integers. The polynomial is our own fit of 2^f, |f| <=
// 1/2 (9e-8).
template <class D, class V = hn::Vec<D>>
HWY_INLINE V Exp2OfNormal(D d, V y) {
  const hn::RebindToSigned<D> di;
  hn::Vec<decltype(di)> n = hn::Undefined(di);
  const V f = hn::Sub(y, NearestWhole(d, y, n));
  const float kP[] = {1.0f,
                      6.931470036506653e-1f,
                      2.4022242426872253e-1f,
                      5.550733953714371e-2f,
                      9.671518579125404e-3f,
                      1.3264723820611835e-3f};
  const V p = Polynomial(d, f, kP);
  return hn::BitCast(d, hn::Add(hn::BitCast(di, p), hn::ShiftLeft<23>(n)));
}

// x (1 + erf(x / sqrt(2))) / 2, absolute error 6e-8 for x < 0. The weight of
// the tail is erfc(a / sqrt(2)) / 2 with a = |x|; the polynomial is our own fit
// of log2 of erfc(a / sqrt(2)) up to 6, beyond which a times the tail is below
// 1e-8.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V GeluByExponential(D d, V x) {
  const V a = AtMost(hn::Set(d, kGeluTailEnd), hn::Abs(x));
  const float kL[] = {-1.1511187553405762f,   -4.5910394191741943e-1f,
                      -5.278656259179115e-2f, 7.456191815435886e-3f,
                      -4.219414258841425e-4f, -7.341000309679657e-5f,
                      1.657331631577108e-5f,  -9.99797293843585e-7f};
  const V tail = Exp2OfNormal(d, hn::Mul(a, Polynomial(d, a, kL)));
  return JoinTails(d, x, hn::Mul(a, hn::Set(d, 0.5f)), tail);
}

#if HWY_TARGET == HWY_AVX3
// The same in half the time where one instruction looks up 16 numbers in a
// table of 32.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V GeluByTable(D d, V x) {
  const V a = AtMost(hn::Set(d, kGeluTailEnd), hn::Abs(x));
  const V scale = hn::Set(d, kGeluTailSegments);
  const V round = hn::Set(d, kToWhole);
  const V shifted = hn::MulAdd(a, scale, round);
  const V f = hn::MulSub(a, scale, hn::Sub(shifted, round));
  const __m512i segment = _mm512_castps_si512(shifted.raw);
  const auto c = [&](int power) HWY_ATTR {
    const float* table = kGeluTailTable.c[power];
    return V{_mm512_permutex2var_ps(_mm512_load_ps(table), segment,
                                    _mm512_load_ps(table + 16))};
  };
  V tail = c(4);
  for (int power = 3; power >= 0; --power) tail = hn::MulAdd(tail, f, c(power));
  return hn::Sub(AtLeast(hn::Zero(d), x), tail);
}
#endif

template <class D, class V = hn::Vec<D>>
HWY_INLINE V Gelu(D d, V x) {
#if HWY_TARGET == HWY_AVX3
  if constexpr (hn::MaxLanes(D()) == 16) return GeluByTable(d, x);
#endif
  return GeluByExponential(d, x);
}

// x sigmoid(2u), u = sqrt(2/pi) (x + 0.044715 x^3).
template <class D, class V = hn::Vec<D>>
HWY_INLINE V GeluTanh(D d, V x) {
  const V a = AtMost(hn::Set(d, 15.0f), hn::Abs(x));
  const V one = hn::Set(d, 1.0f);
  const V cubic = hn::MulAdd(hn::Set(d, 0.044715f), hn::Mul(a, a), one);
  const V u2 = hn::Mul(hn::Mul(a, hn::Set(d, -1.5957691216057308f)), cubic);
  const V e = ExpOfNegative(d, u2);
  return JoinTails(d, x, a, hn::Div(e, hn::Add(one, e)));
}

// One activation whose kind is known when compiling.
template <ActivationKind kKind, class D, class V = hn::Vec<D>>
HWY_INLINE V ActivateOne(D d, const Activation& a, V x) {
  const auto clamp = [d](V v, float lo, float hi) HWY_ATTR {
    return AtMost(hn::Set(d, hi), AtLeast(hn::Set(d, lo), v));
  };
  constexpr ClampBounds kClamp = ClampOf(kKind);
  if constexpr (kClamp.is_whole_activation) {
    if constexpr (kClamp.has_low()) x = AtLeast(hn::Set(d, kClamp.low), x);
    if constexpr (kClamp.has_high()) x = AtMost(hn::Set(d, kClamp.high), x);
    return x;
  } else if constexpr (kKind == ActivationKind::kTanh) {
    return Tanh(d, x);
  } else if constexpr (kKind == ActivationKind::kSigmoid) {
    return Sigmoid(d, x);
  } else if constexpr (kKind == ActivationKind::kHardSigmoid) {
    return clamp(hn::MulAdd(hn::Set(d, a.alpha), x, hn::Set(d, a.beta)), 0.0f,
                 1.0f);
  } else if constexpr (kKind == ActivationKind::kHardSwish) {
    // Below -3 the product is 0 for any x; this way also for -inf.
    const V x3 = AtLeast(hn::Set(d, -3.0f), x);
    const V gate = clamp(hn::Add(x3, hn::Set(d, 3.0f)), 0.0f, 6.0f);
    return hn::Mul(x3, hn::Mul(gate, hn::Set(d, 1.0f / 6)));
  } else if constexpr (kKind == ActivationKind::kGelu) {
    return Gelu(d, x);
  } else if constexpr (kKind == ActivationKind::kGeluTanh) {
    return GeluTanh(d, x);
  } else if constexpr (kKind == ActivationKind::kLeakyRelu) {
    return hn::IfThenElse(hn::Lt(x, hn::Zero(d)),
                          hn::Mul(x, hn::Set(d, a.alpha)), x);
  } else if constexpr (kKind == ActivationKind::kElu) {
    const V m = Expm1OfNegative(d, AtMost(hn::Zero(d), x));
    return hn::IfThenElse(hn::Lt(x, hn::Zero(d)), m, x);
  } else {
    static_assert(kKind != kKind, "an activation without a formula");
  }
}

// f.template operator()<kind>() for the kind at run time: one branch for a
// whole loop.
template <class F>
HWY_INLINE void WithActivationKind(ActivationKind kind, F&& f) {
  switch (kind) {
#define ACTIVATION(kind, ...)                      \
  case ActivationKind::kind:                       \
    f.template operator()<ActivationKind::kind>(); \
    break;
#include "tensor/activations.def"
#undef ACTIVATION
  }
}

}  // namespace munja::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // MUNJA_KERNELS_ELEMENTWISE_ACTIVATION_INL_H_
