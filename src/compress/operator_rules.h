// What the TFLite 8-bit specification asks of each operator.
#ifndef MUNJA_COMPRESS_OPERATOR_RULES_H_
#define MUNJA_COMPRESS_OPERATOR_RULES_H_

#include <optional>
#include <string_view>

#include "graph/graph.h"

namespace munja::compress {

enum class RuleKind {
  kLinear,     // Weights for each channel, bias in the scale of the sums.
  kFree,       // Every operand has a scale of its own.
  kSameScale,  // Moves or chooses values: all operands share one scale.
  kFixed,      // The output's scale is prescribed.
};

struct OperatorRule {
  std::string_view op;
  RuleKind kind;
  // First versions of the schema's operator that take these types; 0: none.
  int int8_version, int16_version;
  // Of the output, kFixed only.
  float int8_scale = 0;
  int int8_zero = 0;
  float int16_scale = 0;
};

// Null: the operator stays in float.
const OperatorRule* FindRule(const graph::Node& node);

// Whether the node clamps its only input and does nothing else: RELU and its
// kin. Then the bounds; an integer operator before it that stores into just
// that range does the same by saturation.
struct Clamp {
  double low, high;
};
std::optional<Clamp> FindClamp(const graph::Node& node);

}  // namespace munja::compress

#endif  // MUNJA_COMPRESS_OPERATOR_RULES_H_
