#include "ops/support/linear/linear_scheme.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "kernels/quant/fixed_point.h"
#include "ops/support/operands.h"
#include "ops/support/quantized/quantized.h"
#include "ops/support/window.h"

namespace munja::ops {
namespace {

// The scale of each output channel; one when all share it.
Result<std::vector<float>> WeightScales(const TensorView& weights, int axis,
                                        int32_t channels) {
  const Quantization* q = weights.quantization;
  if (q == nullptr || !q->is_quantized())
    return Malformed("the weights have no scale");
  if (q->is_per_axis() &&
      (q->axis != axis || q->scales.size() != static_cast<size_t>(channels))) {
    return Malformed("the weights have " + std::to_string(q->scales.size()) +
                     " scales along dimension " + std::to_string(q->axis) +
                     ", want " + std::to_string(channels) +
                     " along dimension " + std::to_string(axis));
  }
  for (const float scale : q->scales) {
    if (!(scale >= 0.0f) || !std::isfinite(scale))
      return Malformed("the weights have scale " + std::to_string(scale));
  }
  return q->scales;
}

Status CheckTypes(const PrepareContext& context, const LinearOperands& at) {
  using enum ElementType;
  const TensorView& in = context.input(at.input);
  const TensorView& weights = context.input(at.weights);
  const TensorView& out = context.output(0);
  MUNJA_RETURN_IF_ERROR(
      CheckType(in, "the input", {kFloat32, kInt8, kUInt8, kInt16}));
  if (in.type == kUInt8)
    MUNJA_RETURN_IF_ERROR(CheckType(weights, "the weight matrix", {kUInt8}));
  else
    MUNJA_RETURN_IF_ERROR(
        CheckType(weights, "the weight matrix", {kInt8, kInt4}));
  if (in.type == kUInt8)
    MUNJA_RETURN_IF_ERROR(CheckType(out, "the output", {kUInt8, kInt16}));
  else
    MUNJA_RETURN_IF_ERROR(CheckType(out, "the output", {in.type}));
  if (!context.has_input(at.bias)) return Status();
  const TensorView& bias = context.input(at.bias);
  switch (in.type) {
    case kFloat32:
      return CheckType(bias, "the bias", {kFloat32});
    case kInt16:
      return CheckType(bias, "the bias", {kInt32, kInt64});
    default:
      return CheckType(bias, "the bias", {kInt32});
  }
}

// The legacy scheme states the scale of the bias; it must be that of the
// sums, which is what the arithmetic takes it for.
Status CheckBiasScale(const TensorView& bias, double product, float output) {
  if (bias.quantization == nullptr || !bias.quantization->is_quantized())
    return Status();
  const double difference = std::fabs(product - double{bias.scale()});
  if (difference / output <= 0.02) return Status();
  return Malformed("the bias has scale " + std::to_string(bias.scale()) +
                   ", input and weights together " + std::to_string(product));
}

}  // namespace

Status ParseLinearAttributes(const graph::Attributes& attributes,
                             LinearRules& rules) {
  MUNJA_ASSIGN_OR_RETURN(rules.activation, ParseActivation(attributes));
  MUNJA_ASSIGN_OR_RETURN(const std::string name,
                         attributes.Text("quantized_bias_type", "FLOAT32"));
  if (name == "FLOAT32")
    rules.bias_type = ElementType::kFloat32;
  else if (name == "INT32")
    rules.bias_type = ElementType::kInt32;
  else if (name == "INT64")
    rules.bias_type = ElementType::kInt64;
  else
    return Unsupported("sums of type " + name + " are not implemented");
  return Status();
}

bool IsIntegerWeightType(ElementType type) {
  return type == ElementType::kInt8 || type == ElementType::kUInt8 ||
         type == ElementType::kInt4;
}

Result<int32_t> WeightZero(const Quantization& q, ElementType type) {
  if (q.zero_points.empty()) return 0;
  const auto is_zero = [](int64_t z) { return z == 0; };
  if (q.is_per_axis()) {
    if (std::all_of(q.zero_points.begin(), q.zero_points.end(), is_zero))
      return 0;
    return Unsupported("weights with a zero point for each channel");
  }
  const int64_t zero = q.zero_points[0];
  const StoredRange range =
      type == ElementType::kInt4 ? StoredRange{-8, 7} : RangeOf(type);
  if (zero < range.low || zero > range.high)
    return Malformed("the weights have zero point " + std::to_string(zero));
  return static_cast<int32_t>(zero);
}

void UnpackWeights(const TensorView& weights, int32_t zero, int16_t* out) {
  const auto count = static_cast<size_t>(weights.shape.elements());
  if (weights.type == ElementType::kInt4) {
    // The low half of a byte comes first.
    const uint8_t* bytes = weights.as<uint8_t>();
    for (size_t i = 0; i < count; ++i) {
      const int32_t half = bytes[i / 2] >> (i % 2 * 4) & 15;
      out[i] = static_cast<int16_t>((half ^ 8) - 8 - zero);
    }
  } else if (weights.type == ElementType::kUInt8) {
    const uint8_t* bytes = weights.as<uint8_t>();
    for (size_t i = 0; i < count; ++i)
      out[i] = static_cast<int16_t>(bytes[i] - zero);
  } else {
    const int8_t* bytes = weights.as<int8_t>();
    for (size_t i = 0; i < count; ++i)
      out[i] = static_cast<int16_t>(bytes[i] - zero);
  }
}

Status MakeScheme(const PrepareContext& context, const LinearOperands& at,
                  const LinearRules& rules, const kernels::Conv2dShape& shape,
                  LinearScheme& scheme) {
  MUNJA_RETURN_IF_ERROR(CheckTypes(context, at));
  const TensorView& in = context.input(at.input);
  const TensorView& weights = context.input(at.weights);
  const TensorView& out = context.output(0);
  MUNJA_ASSIGN_OR_RETURN(const std::vector<float> scales,
                         WeightScales(weights, at.channel_axis, shape.out_c));
  MUNJA_ASSIGN_OR_RETURN(scheme.weight_zero,
                         WeightZero(*weights.quantization, weights.type));
  const auto count = static_cast<size_t>(shape.out_c);
  const bool is_per_axis = scales.size() > 1;
  scheme.input_type = in.type;
  kernels::IntEpilogue& epilogue = scheme.epilogue;
  epilogue.type = out.type;
  if (in.type == ElementType::kFloat32) {
    const bool is_mixed =
        std::any_of(scales.begin(), scales.end(),
                    [&](float scale) { return scale != scales[0]; });
    scheme.is_hybrid = true;
    // Groups share no sums, but TensorFlow Lite quantizes their input alike.
    scheme.is_asymmetric = rules.hybrid == HybridRule::kAsymmetric ||
                           (rules.hybrid == HybridRule::kByWeights &&
                            (is_mixed || shape.groups > 1));
    scheme.scales = scales;
    if (!is_per_axis) scheme.scales.assign(count, scales[0]);
    epilogue.scales = scheme.scales.data();
    epilogue.activation = rules.activation;
    return Status();
  }
  MUNJA_ASSIGN_OR_RETURN(const Affine input, PerTensor(in, "the input"));
  MUNJA_ASSIGN_OR_RETURN(const Affine output, PerTensor(out, "the output"));
  MUNJA_ASSIGN_OR_RETURN(
      const StoredRange range,
      ActivationRange(rules.activation.kind, output, out.type));
  scheme.input_zero = input.zero;
  epilogue.zero = output.zero;
  epilogue.low = range.low;
  epilogue.high = range.high;
  const bool has_bias = context.has_input(at.bias);
  if (in.type == ElementType::kInt16) {
    const bool has_narrow_bias =
        has_bias ? context.input(at.bias).type == ElementType::kInt32
                 : rules.is_narrow_without_bias;
    epilogue.is_wide =
        rules.is_always_wide || rules.bias_type == ElementType::kInt64 ||
        (rules.bias_type == ElementType::kFloat32 && !has_narrow_bias);
    if (!epilogue.is_wide && has_bias && !has_narrow_bias)
      return Malformed("the bias is int64, the sums are int32");
  }
  const bool rounds =
      !is_per_axis && (rules.rounds_product || in.type == ElementType::kUInt8);
  scheme.mantissas.resize(count);
  scheme.exponents.resize(count);
  for (size_t c = 0; c < count; ++c) {
    const float scale = scales[is_per_axis ? c : 0];
    const double product = rounds ? double{input.scale * scale}
                                  : double{input.scale} * double{scale};
    if (c == 0 && rounds && has_bias) {
      MUNJA_RETURN_IF_ERROR(
          CheckBiasScale(context.input(at.bias), product, output.scale));
    }
    const kernels::Multiplier m =
        kernels::QuantizeMultiplier(product / double{output.scale});
    // Sums of 64 bits are never scaled up that far.
    if (epilogue.is_wide && m.exponent > 14)
      return Unsupported("an output scale far below that of the sums");
    scheme.mantissas[c] = m.mantissa;
    scheme.exponents[c] = m.exponent;
  }
  epilogue.mantissas = scheme.mantissas.data();
  epilogue.exponents = scheme.exponents.data();
  return Status();
}

}  // namespace munja::ops
