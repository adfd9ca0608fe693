#include "compress/operator_rules.h"

#include <limits>

namespace munja::compress {
namespace {

using enum RuleKind;

constexpr OperatorRule kRules[] = {
    {"CONV_2D", kLinear, 3, 4},
    {"DEPTHWISE_CONV_2D", kLinear, 3, 5},
    {"TRANSPOSE_CONV", kLinear, 2, 3},
    {"FULLY_CONNECTED", kLinear, 4, 7},
    {"ADD", kFree, 2, 3},
    {"SUB", kFree, 2, 5},
    {"MUL", kFree, 2, 5},
    {"MEAN", kFree, 2, 3},
    {"SUM", kFree, 2, 0},
    {"RELU", kFree, 2, 3},
    {"RELU6", kFree, 2, 3},
    {"RELU_N1_TO_1", kFree, 1, 0},
    {"RELU_0_TO_1", kFree, 1, 0},
    {"LEAKY_RELU", kFree, 2, 2},
    {"HARD_SWISH", kFree, 1, 0},
    {"GELU", kFree, 2, 0},
    {"ELU", kFree, 1, 0},
    {"MAX_POOL_2D", kSameScale, 2, 3},
    {"AVERAGE_POOL_2D", kSameScale, 2, 3},
    {"CONCATENATION", kSameScale, 2, 3},
    {"PAD", kSameScale, 2, 3},
    {"RESHAPE", kSameScale, 1, 1},
    {"SQUEEZE", kSameScale, 1, 1},
    {"EXPAND_DIMS", kSameScale, 1, 1},
    {"TRANSPOSE", kSameScale, 2, 4},
    {"SLICE", kSameScale, 2, 4},
    {"STRIDED_SLICE", kSameScale, 2, 4},
    {"SPLIT", kSameScale, 2, 4},
    {"RESIZE_BILINEAR", kSameScale, 2, 4},
    {"RESIZE_NEAREST_NEIGHBOR", kSameScale, 2, 4},
    {"DEPTH_TO_SPACE", kSameScale, 1, 0},
    {"SPACE_TO_DEPTH", kSameScale, 2, 0},
    {"MAXIMUM", kSameScale, 2, 3},
    {"MINIMUM", kSameScale, 2, 3},
    {"LOGISTIC", kFixed, 2, 3, 1.0f / 256, -128, 1.0f / 32768},
    {"SOFTMAX", kFixed, 2, 3, 1.0f / 256, -128, 1.0f / 32768},
    {"TANH", kFixed, 2, 3, 1.0f / 128, 0, 1.0f / 32768},
};

}  // namespace

const OperatorRule* FindRule(const graph::Node& node) {
  if (node.is_custom) return nullptr;
  for (const OperatorRule& rule : kRules)
    if (rule.op == node.op) return &rule;
  return nullptr;
}

std::optional<Clamp> FindClamp(const graph::Node& node) {
  constexpr double kEndless = std::numeric_limits<double>::infinity();
  if (node.is_custom) return std::nullopt;
  if (node.op == "RELU") return Clamp{0, kEndless};
  if (node.op == "RELU6") return Clamp{0, 6};
  if (node.op == "RELU_0_TO_1") return Clamp{0, 1};
  if (node.op == "RELU_N1_TO_1") return Clamp{-1, 1};
  return std::nullopt;
}

}  // namespace munja::compress
