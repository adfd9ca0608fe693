#include "kernels/elementwise/binary.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/elementwise/binary.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include "hwy/highway.h"
#include "kernels/cpu/tail-inl.h"
#include "kernels/elementwise/activation-inl.h"

HWY_BEFORE_NAMESPACE();
namespace munja::kernels::HWY_NAMESPACE {

template <BinaryKind kKind, class V>
HWY_INLINE V Combine(V a, V b) {
  if constexpr (kKind == BinaryKind::kAdd) return hn::Add(a, b);
  if constexpr (kKind == BinaryKind::kSub) return hn::Sub(a, b);
  if constexpr (kKind == BinaryKind::kMul) return hn::Mul(a, b);
  if constexpr (kKind == BinaryKind::kDiv) return hn::Div(a, b);
  if constexpr (kKind == BinaryKind::kMinimum) return hn::Min(a, b);
  if constexpr (kKind == BinaryKind::kMaximum) return hn::Max(a, b);
  if constexpr (kKind == BinaryKind::kSquaredDifference) {
    const V difference = hn::Sub(a, b);
    return hn::Mul(difference, difference);
  }
  if constexpr (kKind == BinaryKind::kPrelu) {
    const hn::DFromV<V> d;
    return hn::IfThenElse(hn::Lt(a, hn::Zero(d)), hn::Mul(a, b), a);
  }
}

template <BinaryKind kKind, ActivationKind kActivation>
void Rows(const Activation& activation, const BinaryBlock& block) {
  const hn::ScalableTag<float> d;
  const size_t lanes = hn::Lanes(d);
  const size_t cols = block.cols;
  for (size_t r = 0; r < block.rows; ++r) {
    const float* a = block.a + r * block.a_row_stride;
    const float* b = block.b + r * block.b_row_stride;
    float* out = block.out + r * cols;
    const auto one = [&](auto x, auto y) HWY_ATTR {
      return ActivateOne<kActivation>(d, activation, Combine<kKind>(x, y));
    };
    size_t i = 0;
    if (block.a_repeats || block.b_repeats) {
      const auto a_set = hn::Set(d, block.a_repeats ? a[0] : 0.0f);
      const auto b_set = hn::Set(d, block.b_repeats ? b[0] : 0.0f);
      for (; i + lanes <= cols; i += lanes) {
        const auto x = block.a_repeats ? a_set : hn::LoadU(d, a + i);
        const auto y = block.b_repeats ? b_set : hn::LoadU(d, b + i);
        hn::StoreU(one(x, y), d, out + i);
      }
      if (i < cols) {
        const auto x = block.a_repeats ? a_set : LoadTail(d, a + i, cols - i);
        const auto y = block.b_repeats ? b_set : LoadTail(d, b + i, cols - i);
        StoreTail(one(x, y), d, out + i, cols - i);
      }
      continue;
    }
    for (; i + lanes <= cols; i += lanes)
      hn::StoreU(one(hn::LoadU(d, a + i), hn::LoadU(d, b + i)), d, out + i);
    if (i < cols) {
      const auto x = LoadTail(d, a + i, cols - i);
      const auto y = LoadTail(d, b + i, cols - i);
      StoreTail(one(x, y), d, out + i, cols - i);
    }
  }
}

// The activations that follow arithmetic in practice are compiled in; others
// are applied in a second pass over what was written.
template <BinaryKind kKind>
void WithActivation(const Activation& activation, const BinaryBlock& block) {
  switch (activation.kind) {
    case ActivationKind::kNone:
      return Rows<kKind, ActivationKind::kNone>(activation, block);
    case ActivationKind::kRelu:
      return Rows<kKind, ActivationKind::kRelu>(activation, block);
    case ActivationKind::kRelu6:
      return Rows<kKind, ActivationKind::kRelu6>(activation, block);
    default:
      Rows<kKind, ActivationKind::kNone>(activation, block);
      for (size_t r = 0; r < block.rows; ++r) {
        float* out = block.out + r * block.cols;
        kernels::Activate(activation, out, block.cols, out);
      }
  }
}

void Binary(BinaryKind kind, const Activation& activation,
            const BinaryBlock& block) {
  switch (kind) {
    case BinaryKind::kAdd:
      return WithActivation<BinaryKind::kAdd>(activation, block);
    case BinaryKind::kSub:
      return WithActivation<BinaryKind::kSub>(activation, block);
    case BinaryKind::kMul:
      return WithActivation<BinaryKind::kMul>(activation, block);
    case BinaryKind::kDiv:
      return WithActivation<BinaryKind::kDiv>(activation, block);
    case BinaryKind::kMinimum:
      return WithActivation<BinaryKind::kMinimum>(activation, block);
    case BinaryKind::kMaximum:
      return WithActivation<BinaryKind::kMaximum>(activation, block);
    case BinaryKind::kSquaredDifference:
      return WithActivation<BinaryKind::kSquaredDifference>(activation, block);
    case BinaryKind::kPrelu:
      return WithActivation<BinaryKind::kPrelu>(activation, block);
  }
}

}  // namespace munja::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace munja::kernels {

HWY_EXPORT(Binary);
void Binary(BinaryKind kind, const Activation& activation,
            const BinaryBlock& block) {
  HWY_DYNAMIC_DISPATCH(Binary)(kind, activation, block);
}

namespace reference {
namespace {

float Combine(BinaryKind kind, float a, float b) {
  switch (kind) {
    case BinaryKind::kAdd:
      return a + b;
    case BinaryKind::kSub:
      return a - b;
    case BinaryKind::kMul:
      return a * b;
    case BinaryKind::kDiv:
      return a / b;
    case BinaryKind::kMinimum:
      return std::min(a, b);
    case BinaryKind::kMaximum:
      return std::max(a, b);
    case BinaryKind::kSquaredDifference:
      return (a - b) * (a - b);
    case BinaryKind::kPrelu:
      return a < 0.0f ? a * b : a;
  }
  return 0.0f;
}

}  // namespace

void Binary(BinaryKind kind, const Activation& activation,
            const BinaryBlock& block) {
  for (size_t r = 0; r < block.rows; ++r) {
    for (size_t c = 0; c < block.cols; ++c) {
      const float a =
          block.a[r * block.a_row_stride + (block.a_repeats ? 0 : c)];
      const float b =
          block.b[r * block.b_row_stride + (block.b_repeats ? 0 : c)];
      block.out[r * block.cols + c] = Activate(activation, Combine(kind, a, b));
    }
  }
}

}  // namespace reference
}  // namespace munja::kernels
#endif  // HWY_ONCE
