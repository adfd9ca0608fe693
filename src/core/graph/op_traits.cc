#include "graph/op_traits.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <string>

namespace munja::graph {
namespace {

using enum ShapeRule;
using enum QuantizationKind;
using Effect::kChange;
using Effect::kRandom;
using Fusion::kInSchema;
using Fusion::kIntoLinear;
using Reads::kNothing;
using Reads::kShapes;

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// Sorted by name. What activations.def says of activations is not said again.
// Weights are out, height, width, in; those of DEPTHWISE_CONV_2D 1, height,
// width, out, those of FULLY_CONNECTED out, in.
constexpr OpTraits kRows[] = {
    {.op = "ABS", .shape = kSame},
    {.op = "ADD", .shape = kBroadcast, .quantization = {kFree, 2, 3}},
    {.op = "ASSIGN_VARIABLE", .effect = kChange},
    {.op = "ATAN2", .shape = kBroadcast},
    {.op = "AVERAGE_POOL_2D",
     .shape = kPool,
     .quantization = {kSameScale, 2, 3},
     .keeps_factors = true},
    {.op = "BITWISE_XOR", .shape = kBroadcast},
    {.op = "BROADCAST_TO", .reads = kNothing},
    {.op = "CALL", .effect = kChange},
    {.op = "CALL_ONCE", .effect = kChange},
    {.op = "CAST", .shape = kSame},
    {.op = "CEIL", .shape = kSame},
    {.op = "CONCATENATION",
     .shape = kConcatenation,
     .reads = kNothing,
     .quantization = {kSameScale, 2, 3}},
    {.op = "CONCAT_CONV_2D", .shape = kConcatConv},
    {.op = "CONV_2D",
     .shape = kWindow,
     .linear = {0, 1, 2, 0, 4},
     .quantization = {kLinear, 3, 4}},
    {.op = "COS", .shape = kSame},
    {.op = "CUMSUM", .shape = kSame},
    {.op = "DELEGATE", .effect = kChange},
    {.op = "DEPTHWISE_CONV_2D",
     .shape = kWindow,
     .linear = {0, 1, 2, 3, 4},
     .quantization = {kLinear, 3, 5}},
    {.op = "DEPTH_TO_SPACE", .quantization = {kSameScale, 1, 0}},
    {.op = "DEQUANTIZE", .shape = kSame},
    {.op = "DIV", .shape = kBroadcast},
    {.op = "ELU",
     .shape = kSame,
     .activation = {.takes_int16_in_float = true},
     .quantization = {kFree, 1, 0}},
    {.op = "EQUAL", .shape = kBroadcast},
    {.op = "EXP", .shape = kSame},
    {.op = "EXPAND_DIMS",
     .reads = kNothing,
     .quantization = {kSameScale, 1, 1},
     .keeps_factors = true},
    {.op = "FAKE_QUANT", .shape = kSame},
    {.op = "FILL", .reads = kNothing},
    {.op = "FLOOR", .shape = kSame},
    {.op = "FLOOR_DIV", .shape = kBroadcast},
    {.op = "FLOOR_MOD", .shape = kBroadcast},
    {.op = "FULLY_CONNECTED",
     .shape = kFullyConnected,
     .linear = {0, 1, 2, 0, 2},
     .quantization = {kLinear, 4, 7}},
    {.op = "GATHER", .reads = kNothing},
    {.op = "GATHER_ND", .reads = kNothing},
    {.op = "GELU",
     .shape = kSame,
     .activation = {.takes_int16_in_float = true},
     .quantization = {kFree, 2, 0}},
    {.op = "GREATER", .shape = kBroadcast},
    {.op = "GREATER_EQUAL", .shape = kBroadcast},
    {.op = "HARD_SIGMOID",
     .shape = kSame,
     .activation = {.alpha_name = "activation_alpha",
                    .alpha = 1.0 / 6,
                    .beta = 0.5}},
    {.op = "HARD_SWISH",
     .shape = kSame,
     .activation = {.takes_int16_in_float = true},
     .quantization = {kFree, 1, 0}},
    {.op = "HASHTABLE", .effect = kChange},
    {.op = "HASHTABLE_FIND", .effect = kChange},
    {.op = "HASHTABLE_IMPORT", .effect = kChange},
    {.op = "HASHTABLE_SIZE", .effect = kChange},
    {.op = "IF", .effect = kChange},
    {.op = "L2_NORMALIZATION", .shape = kSame},
    {.op = "LATERAL_CONV_2D", .shape = kLateralConv},
    {.op = "LEAKY_RELU",
     .shape = kSame,
     .activation = {.alpha_name = "alpha"},
     .quantization = {kFree, 2, 2},
     .keeps_factors = true},
    {.op = "LESS", .shape = kBroadcast},
    {.op = "LESS_EQUAL", .shape = kBroadcast},
    {.op = "LOG", .shape = kSame},
    {.op = "LOGICAL_AND", .shape = kBroadcast},
    {.op = "LOGICAL_NOT", .shape = kSame},
    {.op = "LOGICAL_OR", .shape = kBroadcast},
    {.op = "LOGISTIC",
     .shape = kSame,
     .quantization = {kFixed, 2, 3, 1.0f / 256, -128, 1.0f / 32768}},
    {.op = "LOG_SOFTMAX", .shape = kSame},
    {.op = "MAXIMUM", .shape = kBroadcast, .quantization = {kSameScale, 2, 3}},
    {.op = "MAX_POOL_2D",
     .shape = kPool,
     .quantization = {kSameScale, 2, 3},
     .keeps_factors = true},
    {.op = "MEAN",
     .shape = kReduce,
     .quantization = {kFree, 2, 3},
     .keeps_factors = true},
    {.op = "MINIMUM", .shape = kBroadcast, .quantization = {kSameScale, 2, 3}},
    {.op = "MUL", .shape = kBroadcast, .quantization = {kFree, 2, 5}},
    {.op = "MULTINOMIAL", .effect = kRandom},
    {.op = "NEG", .shape = kSame},
    {.op = "NOT_EQUAL", .shape = kBroadcast},
    {.op = "PACK", .reads = kNothing},
    {.op = "PAD",
     .shape = kPad,
     .quantization = {kSameScale, 2, 3},
     .keeps_factors = true},
    {.op = "PADV2", .shape = kPad},
    {.op = "POW", .shape = kBroadcast},
    {.op = "PRELU", .shape = kBroadcast},
    {.op = "QUANTIZE", .shape = kSame},
    {.op = "RANDOM_STANDARD_NORMAL", .effect = kRandom},
    {.op = "RANDOM_UNIFORM", .effect = kRandom},
    {.op = "RANK", .reads = kShapes},
    {.op = "READ_VARIABLE", .effect = kChange},
    {.op = "REDUCE_MAX", .shape = kReduce},
    {.op = "REDUCE_MIN", .shape = kReduce},
    {.op = "REDUCE_PROD", .shape = kReduce},
    {.op = "RELU",
     .shape = kSame,
     .activation = {.fusion = kInSchema},
     .quantization = {kFree, 2, 3},
     .keeps_factors = true},
    {.op = "RELU6",
     .shape = kSame,
     .activation = {.fusion = kInSchema},
     .quantization = {kFree, 2, 3}},
    {.op = "RELU_0_TO_1", .shape = kSame, .quantization = {kFree, 1, 0}},
    {.op = "RELU_N1_TO_1",
     .shape = kSame,
     .activation = {.fusion = kInSchema},
     .quantization = {kFree, 1, 0}},
    {.op = "RESHAPE",
     .shape = kReshape,
     .reads = kNothing,
     .quantization = {kSameScale, 1, 1}},
    {.op = "RESIZE_BILINEAR",
     .shape = kResize,
     .quantization = {kSameScale, 2, 4},
     .keeps_factors = true},
    {.op = "RESIZE_NEAREST_NEIGHBOR",
     .shape = kResize,
     .quantization = {kSameScale, 2, 4},
     .keeps_factors = true},
    {.op = "REVERSE_V2", .shape = kSame, .reads = kNothing},
    {.op = "RIGHT_SHIFT", .shape = kBroadcast},
    {.op = "ROUND", .shape = kSame},
    {.op = "RSQRT", .shape = kSame},
    {.op = "SHAPE", .reads = kShapes},
    {.op = "SIGN", .shape = kSame},
    {.op = "SIN", .shape = kSame},
    {.op = "SLICE", .reads = kNothing, .quantization = {kSameScale, 2, 4}},
    {.op = "SOFTMAX",
     .shape = kSame,
     .quantization = {kFixed, 2, 3, 1.0f / 256, -128, 1.0f / 32768}},
    {.op = "SPACE_TO_DEPTH", .quantization = {kSameScale, 2, 0}},
    {.op = "SPLIT", .reads = kNothing, .quantization = {kSameScale, 2, 4}},
    {.op = "SPLIT_V", .reads = kNothing},
    {.op = "SQRT", .shape = kSame},
    {.op = "SQUARE", .shape = kSame},
    {.op = "SQUARED_DIFFERENCE", .shape = kBroadcast},
    {.op = "SQUEEZE",
     .reads = kNothing,
     .quantization = {kSameScale, 1, 1},
     .keeps_factors = true},
    {.op = "STABLEHLO_RNG_BIT_GENERATOR", .effect = kRandom},
    {.op = "STABLEHLO_WHILE", .effect = kChange},
    {.op = "STRIDED_SLICE",
     .reads = kNothing,
     .quantization = {kSameScale, 2, 4}},
    {.op = "SUB", .shape = kBroadcast, .quantization = {kFree, 2, 5}},
    {.op = "SUM", .shape = kReduce, .quantization = {kFree, 2, 0}},
    {.op = "TANH",
     .shape = kSame,
     .quantization = {kFixed, 2, 3, 1.0f / 128, 0, 1.0f / 32768}},
    {.op = "TILE", .reads = kNothing},
    {.op = "TRANSPOSE",
     .shape = kTranspose,
     .reads = kNothing,
     .quantization = {kSameScale, 2, 4}},
    {.op = "TRANSPOSE_CONV",
     .linear = {2, 1, 3, 0, 4},
     .quantization = {kLinear, 2, 3}},
    {.op = "UNPACK", .reads = kNothing},
    {.op = "VAR_HANDLE", .effect = kChange},
    {.op = "WHILE", .effect = kChange},
    {.op = "ZEROS_LIKE", .shape = kSame},
};

// The table with what activations.def says: convolutions and fully connected
// layers take all of its activations.
constexpr auto kTraits = [] {
  enum Rule : uint8_t { kClamp, kFormula };
  constexpr struct {
    std::string_view name;
    Rule rule;
    float low, high;
  } kActivations[] = {
#define ACTIVATION(kind, name, rule, low, high) {name, rule, low, high},
#include "tensor/activations.def"
#undef ACTIVATION
  };
  auto traits = std::to_array(kRows);
  for (OpTraits& row : traits) {
    for (const auto& activation : kActivations) {
      if (activation.name != row.op) continue;
      if (row.activation.fusion == Fusion::kNone)
        row.activation.fusion = kIntoLinear;
      if (activation.rule == kClamp)
        row.activation.clamp = Clamp{activation.low, activation.high};
    }
  }
  return traits;
}();

static_assert(std::adjacent_find(std::begin(kTraits), std::end(kTraits),
                                 [](const OpTraits& a, const OpTraits& b) {
                                   return a.op >= b.op;
                                 }) == std::end(kTraits),
              "sorted, and one row an operator");

}  // namespace

const OpTraits& TraitsOf(std::string_view op) {
  static constexpr OpTraits kNoFacts = {};
  const auto* row = std::lower_bound(
      std::begin(kTraits), std::end(kTraits), op,
      [](const OpTraits& a, std::string_view name) { return a.op < name; });
  return row != std::end(kTraits) && row->op == op ? *row : kNoFacts;
}

const OpTraits& TraitsOf(const Node& node) {
  return TraitsOf(node.is_custom ? std::string_view() : node.op);
}

const QuantizationRule* FindQuantizationRule(const Node& node) {
  const auto& rule = TraitsOf(node).quantization;
  return rule.kind == kFloat ? nullptr : &rule;
}

std::optional<Clamp> FindClamp(const Node& node) {
  return TraitsOf(node).activation.clamp;
}

Status SetFusedActivation(const Node& node, Attributes& attributes) {
  const auto& activation = TraitsOf(node).activation;
  if (activation.fusion == Fusion::kNone)
    return Internal(node.op + " is not an activation");
  std::string name = node.op;
  if (name == "GELU") {
    MUNJA_ASSIGN_OR_RETURN(const bool is_approximate,
                           node.attributes.Bool("approximate", false));
    if (is_approximate) name = "GELU_TANH";
  }
  if (!activation.alpha_name.empty()) {
    MUNJA_ASSIGN_OR_RETURN(
        const double alpha,
        node.attributes.Float(activation.alpha_name, activation.alpha));
    MUNJA_ASSIGN_OR_RETURN(
        const double beta,
        node.attributes.Float("activation_beta", activation.beta));
    attributes.Set("activation_alpha", alpha);
    attributes.Set("activation_beta", beta);
  }
  attributes.Set("fused_activation_function", name);
  return Status();
}

}  // namespace munja::graph
