// Predicates of passes on single nodes.
#ifndef MUNJA_GRAPH_REWRITE_MATCH_H_
#define MUNJA_GRAPH_REWRITE_MATCH_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "graph/graph.h"

namespace munja::graph {

// The builtin operator of that name.
bool Is(const Node& node, std::string_view op);
// It has so many inputs, none of them absent, and one output.
bool Is(const Node& node, std::string_view op, size_t inputs);

bool IsFloat(const Subgraph& subgraph, ValueId v);

// The attribute is there and is this text; is true; is this number, or absent
// and `wanted` what that means.
bool TextIs(const Node& node, std::string_view name, std::string_view wanted);
bool IsSet(const Node& node, std::string_view name);
bool NumberIs(const Node& node, std::string_view name, int64_t wanted,
              int64_t absent);

// The attribute that selects an operator's activation.
inline constexpr const char* kActivationAttributes[] = {
    "fused_activation_function", "activation_alpha", "activation_beta"};

// fused_activation_function is absent or NONE.
bool HasNoActivation(const Node& node);
// Where the node has one, `to` gets it.
void CopyAttribute(const Node& node, std::string_view name, Node& to);
void CopyActivation(const Node& node, Node& to);
// The node already takes over an ADD.
bool HasResidual(const Node& node);

// The input, or kNoValue when the list is too short.
ValueId InputOrNone(const Node& node, int i);
// Sets input i, growing the list with kNoValue.
void SetInput(Node& node, int i, ValueId v);

// A node of two operands, one of them a constant of one element that cannot
// raise the rank of the other.
struct WithScalar {
  ValueId other;
  double scalar;
  bool is_scalar_first;
};
std::optional<WithScalar> FindScalar(const Subgraph& subgraph,
                                     const Node& node);

}  // namespace munja::graph

#endif  // MUNJA_GRAPH_REWRITE_MATCH_H_
