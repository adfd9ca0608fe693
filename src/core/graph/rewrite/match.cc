#include "graph/rewrite/match.h"

#include <algorithm>
#include <string>

#include "graph/rewrite/constants.h"

namespace munja::graph {

bool Is(const Node& node, std::string_view op) {
  return !node.is_custom && node.op == op;
}

bool Is(const Node& node, std::string_view op, size_t inputs) {
  return Is(node, op) && node.inputs.size() == inputs &&
         node.outputs.size() == 1 &&
         std::find(node.inputs.begin(), node.inputs.end(), kNoValue) ==
             node.inputs.end();
}

bool IsFloat(const Subgraph& subgraph, ValueId v) {
  return v != kNoValue && subgraph.values[v].type == ElementType::kFloat32;
}

bool TextIs(const Node& node, std::string_view name, std::string_view wanted) {
  const AttributeValue* value = node.attributes.Find(name);
  return value != nullptr && *value == AttributeValue(std::string(wanted));
}

bool IsSet(const Node& node, std::string_view name) {
  const AttributeValue* value = node.attributes.Find(name);
  return value != nullptr && *value == AttributeValue(true);
}

bool NumberIs(const Node& node, std::string_view name, int64_t wanted,
              int64_t absent) {
  const auto value = node.attributes.Int(name, absent);
  return value.ok() && *value == wanted;
}

bool HasNoActivation(const Node& node) {
  return !node.attributes.Has("fused_activation_function") ||
         TextIs(node, "fused_activation_function", "NONE");
}

void CopyAttribute(const Node& node, std::string_view name, Node& to) {
  if (const AttributeValue* value = node.attributes.Find(name))
    to.attributes.Set(name, *value);
}

void CopyActivation(const Node& node, Node& to) {
  CopyAttribute(node, "fused_activation_function", to);
}

bool HasResidual(const Node& node) { return IsSet(node, "has_residual"); }

ValueId InputOrNone(const Node& node, int i) {
  return i < static_cast<int>(node.inputs.size()) ? node.inputs[i] : kNoValue;
}

void SetInput(Node& node, int i, ValueId v) {
  if (i >= static_cast<int>(node.inputs.size()))
    node.inputs.resize(i + 1, kNoValue);
  node.inputs[i] = v;
}

std::optional<WithScalar> FindScalar(const Subgraph& subgraph,
                                     const Node& node) {
  if (node.inputs.size() != 2) return std::nullopt;
  for (const int side : {1, 0}) {
    const ValueId other = node.inputs[1 - side];
    if (other == kNoValue) continue;
    const auto scalar = ReadScalar(subgraph, node.inputs[side], other);
    if (scalar) return WithScalar{other, *scalar, side == 0};
  }
  return std::nullopt;
}

}  // namespace munja::graph
