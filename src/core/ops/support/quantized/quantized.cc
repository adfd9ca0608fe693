#include "ops/support/quantized/quantized.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "kernels/quant/fixed_point.h"

namespace munja::ops {

bool IsQuantizedType(ElementType type) {
  return type == ElementType::kInt8 || type == ElementType::kUInt8 ||
         type == ElementType::kInt16;
}

bool TakesQuantized(const NodeInfo& info) {
  const graph::Value* input = info.input(0);
  if (input == nullptr || !IsQuantizedType(input->type)) return false;
  return input->type != ElementType::kInt16 ||
         input->quantization.is_quantized();
}

StoredRange RangeOf(ElementType type) {
  switch (type) {
    case ElementType::kInt8:
      return {-128, 127};
    case ElementType::kUInt8:
      return {0, 255};
    case ElementType::kInt16:
      return {-32768, 32767};
    default:
      return {std::numeric_limits<int32_t>::min(),
              std::numeric_limits<int32_t>::max()};
  }
}

Result<Affine> PerTensorWithAnyZero(const TensorView& view,
                                    std::string_view what) {
  const std::string name(what);
  if (view.quantization == nullptr || !view.quantization->is_quantized())
    return Malformed(name + " has no scale");
  if (view.quantization->is_per_axis())
    return Unsupported(name + " has a scale for each index of an axis");
  const Affine affine{view.scale(), view.zero_point()};
  if (!(affine.scale > 0.0f) || !std::isfinite(affine.scale))
    return Malformed(name + " has scale " + std::to_string(affine.scale));
  const StoredRange range = RangeOf(view.type);
  const int64_t zero = view.quantization->zero_points.empty()
                           ? 0
                           : view.quantization->zero_points[0];
  if (zero < range.low || zero > range.high)
    return Malformed(name + " has zero point " + std::to_string(zero));
  return affine;
}

Result<Affine> PerTensor(const TensorView& view, std::string_view what) {
  MUNJA_ASSIGN_OR_RETURN(const Affine affine, PerTensorWithAnyZero(view, what));
  if (view.type == ElementType::kInt16 && affine.zero != 0) {
    return Malformed(std::string(what) + " has zero point " +
                     std::to_string(affine.zero));
  }
  return affine;
}

std::optional<int> PowerOfTwo(float scale) {
  const float exponent = std::log2(scale);
  const float whole = std::round(exponent);
  if (!(std::abs(exponent - whole) < 1e-3f)) return std::nullopt;
  return static_cast<int>(whole);
}

Result<StoredRange> ActivationRange(kernels::ActivationKind kind,
                                    const Affine& output, ElementType type) {
  const kernels::ClampBounds clamp = kernels::ClampOf(kind);
  if (!clamp.is_whole_activation)
    return Unsupported("this fused activation does not exist for integers");
  const StoredRange range = RangeOf(type);
  const auto stored = [&](float real) {
    return kernels::Quantize(real, output.scale, output.zero, range.low,
                             range.high);
  };
  return StoredRange{clamp.has_low() ? stored(clamp.low) : range.low,
                     clamp.has_high() ? stored(clamp.high) : range.high};
}

}  // namespace munja::ops
