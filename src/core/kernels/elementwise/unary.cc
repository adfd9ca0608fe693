#include "kernels/elementwise/unary.h"

#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/elementwise/unary.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include "hwy/highway.h"
#include "kernels/cpu/tail-inl.h"
#include "kernels/elementwise/activation-inl.h"

HWY_BEFORE_NAMESPACE();
namespace munja::kernels::HWY_NAMESPACE {

template <class F>
HWY_INLINE void Map(const float* in, size_t count, float* out, const F& f) {
  const hn::ScalableTag<float> d;
  const size_t lanes = hn::Lanes(d);
  size_t i = 0;
  for (; i + lanes <= count; i += lanes)
    hn::StoreU(f(d, hn::LoadU(d, in + i)), d, out + i);
  if (i < count)
    StoreTail(f(d, LoadTail(d, in + i, count - i)), d, out + i, count - i);
}

// Logarithm, sine and cosine are the C library's: no network that we know has
// them on a large tensor.
void Unary(UnaryKind kind, const float* in, size_t count, float* out) {
  switch (kind) {
    case UnaryKind::kAbs:
      return Map(in, count, out,
                 [](auto, auto x) HWY_ATTR { return hn::Abs(x); });
    case UnaryKind::kNeg:
      return Map(in, count, out,
                 [](auto, auto x) HWY_ATTR { return hn::Neg(x); });
    case UnaryKind::kSquare:
      return Map(in, count, out,
                 [](auto, auto x) HWY_ATTR { return hn::Mul(x, x); });
    case UnaryKind::kSqrt:
      return Map(in, count, out,
                 [](auto, auto x) HWY_ATTR { return hn::Sqrt(x); });
    case UnaryKind::kRsqrt:
      return Map(in, count, out, [](auto d, auto x) HWY_ATTR {
        return hn::Div(hn::Set(d, 1.0f), hn::Sqrt(x));
      });
    case UnaryKind::kExp:
      return Map(in, count, out,
                 [](auto d, auto x) HWY_ATTR { return Exp(d, x); });
    case UnaryKind::kFloor:
      return Map(in, count, out,
                 [](auto, auto x) HWY_ATTR { return hn::Floor(x); });
    case UnaryKind::kCeil:
      return Map(in, count, out,
                 [](auto, auto x) HWY_ATTR { return hn::Ceil(x); });
    case UnaryKind::kRound:
      return Map(in, count, out,
                 [](auto, auto x) HWY_ATTR { return hn::Round(x); });
    case UnaryKind::kSign:
      return Map(in, count, out, [](auto d, auto x) HWY_ATTR {
        const auto zero = hn::Zero(d);
        const auto sign = hn::CopySignToAbs(hn::Set(d, 1.0f), x);
        // x itself where it is 0 or NaN.
        return hn::IfThenElse(hn::Gt(hn::Abs(x), zero), sign, x);
      });
    case UnaryKind::kLog:
      for (size_t i = 0; i < count; ++i) out[i] = std::log(in[i]);
      return;
    case UnaryKind::kSin:
      for (size_t i = 0; i < count; ++i) out[i] = std::sin(in[i]);
      return;
    case UnaryKind::kCos:
      for (size_t i = 0; i < count; ++i) out[i] = std::cos(in[i]);
      return;
  }
}

}  // namespace munja::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace munja::kernels {

HWY_EXPORT(Unary);
void Unary(UnaryKind kind, const float* in, size_t count, float* out) {
  HWY_DYNAMIC_DISPATCH(Unary)(kind, in, count, out);
}

namespace reference {
namespace {

double One(UnaryKind kind, double x) {
  switch (kind) {
    case UnaryKind::kAbs:
      return std::abs(x);
    case UnaryKind::kNeg:
      return -x;
    case UnaryKind::kSquare:
      return x * x;
    case UnaryKind::kSqrt:
      return std::sqrt(x);
    case UnaryKind::kRsqrt:
      return 1.0 / std::sqrt(x);
    case UnaryKind::kExp:
      return std::exp(x);
    case UnaryKind::kLog:
      return std::log(x);
    case UnaryKind::kSin:
      return std::sin(x);
    case UnaryKind::kCos:
      return std::cos(x);
    case UnaryKind::kFloor:
      return std::floor(x);
    case UnaryKind::kCeil:
      return std::ceil(x);
    case UnaryKind::kRound:
      return std::nearbyint(x);
    case UnaryKind::kSign:
      return x > 0 ? 1.0 : x < 0 ? -1.0 : x;
  }
  return x;
}

}  // namespace

float UnaryOf(UnaryKind kind, float x) {
  return static_cast<float>(One(kind, x));
}

void Unary(UnaryKind kind, const float* in, size_t count, float* out) {
  for (size_t i = 0; i < count; ++i) out[i] = UnaryOf(kind, in[i]);
}

}  // namespace reference
}  // namespace munja::kernels
#endif  // HWY_ONCE
