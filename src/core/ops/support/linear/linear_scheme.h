// How convolutions and fully connected layers with integer weights are scaled:
// which types go together, their zero points, and the multiplier of each
// output channel.
#ifndef MUNJA_OPS_SUPPORT_LINEAR_LINEAR_SCHEME_H_
#define MUNJA_OPS_SUPPORT_LINEAR_LINEAR_SCHEME_H_

#include <cstdint>
#include <vector>

#include "base/status.h"
#include "kernels/conv/conv_2d.h"
#include "kernels/elementwise/activation.h"
#include "kernels/quant/int_epilogue.h"
#include "ops/op.h"
#include "tensor/view.h"

namespace munja::ops {

// Where an operator has its operands.
struct LinearOperands {
  int input = 0, weights = 1, bias = 2;
  int channel_axis = 0;  // Output channel axis of the weights.
};

// Float activations with integer weights: how they are quantized dynamically.
enum class HybridRule {
  kSymmetric,
  kAsymmetric,
  // Asymmetric if the weights have scales that differ, or groups.
  kByWeights,
};

// The ways in which operators are scaled differently.
struct LinearRules {
  HybridRule hybrid = HybridRule::kAsymmetric;
  // With one scale for all weights the product of the input's and the
  // weights' scale is rounded to float before it becomes a multiplier.
  bool rounds_product = false;
  // int16 activations: sums have 64 bits whatever the type of the bias.
  bool is_always_wide = false;
  // int16 activations without a bias: sums have 32 bits.
  bool is_narrow_without_bias = false;
  // Attributes of the node, see ParseLinearAttributes.
  kernels::Activation activation = {};
  ElementType bias_type = ElementType::kFloat32;
};

struct LinearScheme {
  ElementType input_type = ElementType::kInt8;
  bool is_hybrid = false;      // Float activations.
  bool is_asymmetric = false;  // Asymmetric hybrid quantization.
  int32_t input_zero = 0;
  int32_t weight_zero = 0;
  std::vector<int32_t> mantissas, exponents;  // For each output channel.
  std::vector<float> scales;                  // Likewise, hybrid only.
  // All but the bias and the output's memory; points into the above.
  kernels::IntEpilogue epilogue;

  LinearScheme() = default;
  LinearScheme(const LinearScheme&) = delete;
  LinearScheme& operator=(const LinearScheme&) = delete;
};

// Reads the activation, and quantized_bias_type, the element type of the sums
// of int16 activations: kFloat32 when it is not specified.
Status ParseLinearAttributes(const graph::Attributes& attributes,
                             LinearRules& rules);

// Weights of these types are read by UnpackWeights.
bool IsIntegerWeightType(ElementType type);
// The one zero point of the weights; kUnsupported with one for each channel
// that are not all 0.
Result<int32_t> WeightZero(const Quantization& quantization, ElementType type);
// weights - zero, for all elements (which the view holds).
void UnpackWeights(const TensorView& weights, int32_t zero, int16_t* out);

// Fills `scheme` for the operands of the context. kUnsupported for types that
// do not go together, kMalformed for scales that do not fit.
Status MakeScheme(const PrepareContext& context, const LinearOperands& operands,
                  const LinearRules& rules, const kernels::Conv2dShape& shape,
                  LinearScheme& scheme);

}  // namespace munja::ops

#endif  // MUNJA_OPS_SUPPORT_LINEAR_LINEAR_SCHEME_H_
