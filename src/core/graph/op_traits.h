// OpTraits: what passes, plans and the quantizer must know of an operator
// without running it. One table for all of them.
#ifndef MUNJA_GRAPH_OP_TRAITS_H_
#define MUNJA_GRAPH_OP_TRAITS_H_

#include <cstdint>
#include <optional>
#include <string_view>

#include "graph/graph.h"

namespace munja::graph {

// How the shape of the only output follows from the inputs.
enum class ShapeRule : uint8_t {
  kUnknown,
  kSame,           // As input 0.
  kBroadcast,      // Inputs 0 and 1, broadcast.
  kWindow,         // A convolution: input 0, weights, stride, padding.
  kPool,           // Likewise, with the window in attributes.
  kConcatenation,  // All inputs, along an axis.
  kResize,         // Input 1 is height and width.
  kReshape,        // Input 1 is the shape.
  kTranspose,      // Input 1 is the permutation.
  kPad,            // Input 1 is what comes before and after.
  kReduce,         // Input 1 is the axes that go, or become 1.
  kFullyConnected,
  kConcatConv,   // CONCAT_CONV_2D
  kLateralConv,  // LATERAL_CONV_2D
};

// An operator that updates variables among its inputs (SVDF, LSTM) has no row:
// passes take all others without an effect to leave their inputs alone.
enum class Effect : uint8_t {
  kNone,
  kRandom,  // Not a function of its inputs.
  kChange,  // Reads or changes a variable or resource, or runs a subgraph.
};

// Which elements of the inputs are read.
enum class Reads : uint8_t {
  kElements,
  kNothing,  // Elements only move; Prepare sets the shapes of the outputs.
  kShapes,   // The outputs follow from shapes, whatever the data.
};

// Where an operator that multiplies by weights keeps its operands: indexes into
// Node::inputs.
struct LinearOp {
  int input = -1, weights = -1, bias = -1;  // -1: there are no weights.
  int channel_axis = 0;  // The dimension of the weights that counts outputs.
  int rank = 0;  // Rank of the weights and of the maps that passes treat.
};

struct Clamp {
  double low, high;
};

enum class Fusion : uint8_t {
  kNone,  // Not an activation.
  kIntoLinear,
  kInSchema,  // As fused_activation_function: also into ADD and MUL.
};

// A function of each element that an operator before it may apply: see
// SetFusedActivation. Operators of tensor/activations.def have their clamp, and
// kIntoLinear where their row says no other fusion, from there.
struct ActivationTraits {
  Fusion fusion = Fusion::kNone;
  std::optional<Clamp> clamp = {};  // It does nothing else.
  // The attribute that holds alpha, or empty: there are no parameters. Beta is
  // activation_beta.
  std::string_view alpha_name = {};
  double alpha = 0, beta = 0;  // Without attributes.
  // Also from int16 to int16, computed in float: an extension.
  bool takes_int16_in_float = false;
};

// Requirements of the TFLite 8-bit specification.
enum class QuantizationKind : uint8_t {
  kFloat,      // Stays in float.
  kLinear,     // Weights for each channel, bias in the scale of the sums.
  kFree,       // Every operand has a scale of its own.
  kSameScale,  // Moves or chooses values: all operands share one scale.
  kFixed,      // The output's scale is prescribed.
};

struct QuantizationRule {
  QuantizationKind kind = QuantizationKind::kFloat;
  // First versions of the schema's operator that take these types; 0: none.
  int int8_version = 0, int16_version = 0;
  // Quantization of the output, kFixed only.
  float int8_scale = 0;
  int int8_zero = 0;
  float int16_scale = 0;
};

struct OpTraits {
  std::string_view op;
  ShapeRule shape = ShapeRule::kUnknown;
  Effect effect = Effect::kNone;
  Reads reads = Reads::kElements;
  LinearOp linear = {};
  ActivationTraits activation = {};
  QuantizationRule quantization = {};
  // Channels of the first input that are scaled by factors above 0 come out
  // scaled alike. (Not so for the bounds of RELU6 and its kin.)
  bool keeps_factors = false;
};

// The row of the builtin operator. One without a row has no facts: unknown
// shape, no effects, reads elements, stays in float; its `op` is empty.
const OpTraits& TraitsOf(std::string_view op);
// Likewise; of a custom operator nothing is known.
const OpTraits& TraitsOf(const Node& node);

// Null: the operator stays in float.
const QuantizationRule* FindQuantizationRule(const Node& node);

// The bounds, when the node clamps its only input and does nothing else: an
// integer operator before it that stores into just that range does the same by
// saturation.
std::optional<Clamp> FindClamp(const Node& node);

// Sets what lets another operator apply the activation `node` itself:
// fused_activation_function, activation_alpha, activation_beta.
Status SetFusedActivation(const Node& node, Attributes& attributes);

}  // namespace munja::graph

#endif  // MUNJA_GRAPH_OP_TRAITS_H_
