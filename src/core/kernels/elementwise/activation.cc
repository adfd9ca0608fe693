#include "kernels/elementwise/activation.h"

#include <algorithm>
#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/elementwise/activation.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include "hwy/highway.h"
#include "kernels/cpu/tail-inl.h"
#include "kernels/elementwise/activation-inl.h"

HWY_BEFORE_NAMESPACE();
namespace munja::kernels::HWY_NAMESPACE {

template <ActivationKind kKind>
void ActivateLoop(const Activation& a, const float* in, size_t count,
                  float* out) {
  const hn::ScalableTag<float> d;
  const size_t lanes = hn::Lanes(d);
  size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    hn::StoreU(ActivateOne<kKind>(d, a, hn::LoadU(d, in + i)), d, out + i);
  }
  if (i < count) {
    const auto x = LoadTail(d, in + i, count - i);
    StoreTail(ActivateOne<kKind>(d, a, x), d, out + i, count - i);
  }
}

void Activate(const Activation& a, const float* in, size_t count, float* out) {
  WithActivationKind(a.kind, [&]<ActivationKind kKind>() {
    ActivateLoop<kKind>(a, in, count, out);
  });
}

}  // namespace munja::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace munja::kernels {

HWY_EXPORT(Activate);
void Activate(const Activation& activation, const float* in, size_t count,
              float* out) {
  HWY_DYNAMIC_DISPATCH(Activate)(activation, in, count, out);
}

namespace reference {
namespace {

double ActivateDouble(const Activation& a, double x) {
  const double infinity = HUGE_VAL;
  switch (a.kind) {
    case ActivationKind::kNone:
      return x;
    case ActivationKind::kRelu:
      return x < 0 ? 0.0 : x;
    case ActivationKind::kRelu6:
      return std::clamp(x, 0.0, 6.0);
    case ActivationKind::kReluN1To1:
      return std::clamp(x, -1.0, 1.0);
    case ActivationKind::kRelu0To1:
      return std::clamp(x, 0.0, 1.0);
    case ActivationKind::kTanh:
      return std::tanh(x);
    case ActivationKind::kSigmoid:
      return 1.0 / (1.0 + std::exp(-x));
    case ActivationKind::kHardSigmoid:
      return std::clamp(a.alpha * x + a.beta, 0.0, 1.0);
    case ActivationKind::kHardSwish:
      return x < -3.0 ? 0.0 : x * std::clamp(x + 3.0, 0.0, 6.0) / 6.0;
    case ActivationKind::kGelu:
      return x == -infinity ? 0.0 : 0.5 * x * std::erfc(-x * std::sqrt(0.5));
    case ActivationKind::kGeluTanh: {
      const double u = 0.7978845608028654 * (x + 0.044715 * x * x * x);
      return x == -infinity ? 0.0 : x / (1.0 + std::exp(-2.0 * u));
    }
    case ActivationKind::kLeakyRelu:
      return x < 0 ? a.alpha * x : x;
    case ActivationKind::kElu:
      return x < 0 ? std::expm1(x) : x;
  }
  return x;
}

}  // namespace

float Activate(const Activation& activation, float x) {
  return static_cast<float>(ActivateDouble(activation, x));
}

void Activate(const Activation& activation, const float* in, size_t count,
              float* out) {
  for (size_t i = 0; i < count; ++i) out[i] = Activate(activation, in[i]);
}

}  // namespace reference
}  // namespace munja::kernels
#endif  // HWY_ONCE
