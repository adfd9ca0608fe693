#include "kernels/quant/dequantize_epilogue.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/quant/dequantize_epilogue.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include "hwy/highway.h"
#include "kernels/cpu/tail-inl.h"
#include "kernels/elementwise/activation-inl.h"

HWY_BEFORE_NAMESPACE();
namespace munja::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Products and sums are rounded one by one, as in the reference: no fused
// multiplication and addition.
template <ActivationKind kKind>
void RealRows(const IntEpilogue& s, const int32_t* sums, size_t stride,
              const RowTarget* targets, size_t rows, size_t column,
              size_t columns) {
  const hn::ScalableTag<float> d;
  const hn::RebindToSigned<decltype(d)> d32;
  const size_t lanes = hn::Lanes(d);
  const bool has_bias = s.float_bias != nullptr,
             has_residual = s.residual != nullptr;
  for (size_t i = 0; i < columns; i += lanes) {
    const size_t count = HWY_MIN(lanes, columns - i);
    const bool is_full = count == lanes;
    const auto load = [&](auto tag, const auto* from) HWY_ATTR {
      return is_full ? hn::LoadU(tag, from) : LoadTail(tag, from, count);
    };
    const size_t first = column + i;
    const auto scale = load(d, s.scales + first);
    const auto bias = has_bias ? load(d, s.float_bias + first) : hn::Zero(d);
    for (size_t r = 0; r < rows; ++r) {
      const size_t at = targets[r].offset + first;
      const auto sum = load(d32, sums + r * stride + i);
      auto x = hn::Mul(hn::ConvertTo(d, sum),
                       hn::Mul(hn::Set(d, targets[r].scale), scale));
      if (has_bias) x = hn::Add(x, bias);
      if (has_residual) x = hn::Add(x, load(d, s.residual + at));
      x = ActivateOne<kKind>(d, s.activation, x);
      float* to = static_cast<float*>(s.out) + at;
      if (is_full)
        hn::StoreU(x, d, to);
      else
        StoreTail(x, d, to, count);
    }
  }
}

void Reals(const IntEpilogue& s, const int32_t* sums, size_t stride,
           const RowTarget* targets, size_t rows, size_t column,
           size_t columns) {
  WithActivationKind(s.activation.kind, [&]<ActivationKind kKind>() {
    RealRows<kKind>(s, sums, stride, targets, rows, column, columns);
  });
}

}  // namespace munja::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace munja::kernels {

HWY_EXPORT(Reals);

void StoreReals(const IntEpilogue& epilogue, const int32_t* sums, size_t stride,
                const RowTarget* targets, size_t rows, size_t column,
                size_t columns) {
  HWY_DYNAMIC_DISPATCH(Reals)
  (epilogue, sums, stride, targets, rows, column, columns);
}

}  // namespace munja::kernels
#endif  // HWY_ONCE
