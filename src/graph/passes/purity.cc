#include "graph/passes/purity.h"

#include <algorithm>
#include <iterator>
#include <string_view>

namespace munja::graph {
namespace {

constexpr std::string_view kEffects[] = {
    "ASSIGN_VARIABLE",
    "CALL",
    "CALL_ONCE",
    "DELEGATE",
    "HASHTABLE",
    "HASHTABLE_FIND",
    "HASHTABLE_IMPORT",
    "HASHTABLE_SIZE",
    "IF",
    "READ_VARIABLE",
    "STABLEHLO_WHILE",
    "VAR_HANDLE",
    "WHILE",
};
constexpr std::string_view kRandom[] = {
    "MULTINOMIAL",
    "RANDOM_STANDARD_NORMAL",
    "RANDOM_UNIFORM",
    "STABLEHLO_RNG_BIT_GENERATOR",
};

template <size_t N>
bool Contains(const std::string_view (&list)[N], std::string_view op) {
  return std::find(std::begin(list), std::end(list), op) != std::end(list);
}

}  // namespace

bool HasEffects(const Subgraph& subgraph, const Node& node) {
  if (node.outputs.empty()) return true;
  if (!node.is_custom && Contains(kEffects, node.op)) return true;
  return std::any_of(node.inputs.begin(), node.inputs.end(), [&](ValueId v) {
    return v != kNoValue && subgraph.values[v].is_variable;
  });
}

bool IsPure(const Subgraph& subgraph, const Node& node) {
  return !node.is_custom && !Contains(kRandom, node.op) &&
         !HasEffects(subgraph, node);
}

}  // namespace munja::graph
