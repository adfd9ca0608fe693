#include "runtime/known_nodes.h"

#include <algorithm>
#include <cstddef>

#include "runtime/partition.h"
#include "tensor/shape.h"

namespace munja::runtime {
namespace {

constexpr int32_t kUsualSize = 64;

}  // namespace

void AssumeSizes(const graph::Subgraph& subgraph, ShapeInference& known) {
  for (const graph::ValueId v : subgraph.inputs) {
    const graph::Value& value = subgraph.values[v];
    if (known.knows(v) || !value.has_shape) continue;
    Shape shape = value.shape;
    for (int i = 0; i < shape.rank(); ++i)
      if (shape[i] < 0) shape[i] = i == 0 ? 1 : kUsualSize;
    known.Set(v, shape);
  }
}

bool IsKnown(const graph::Node& node, const ShapeInference& known) {
  return !node.outputs.empty() &&
         std::ranges::all_of(node.outputs, [&](graph::ValueId v) {
           return v != graph::kNoValue && known.knows(v) &&
                  known.data(v) != nullptr;
         });
}

void TakeKnown(const graph::Subgraph& subgraph, const ShapeInference& known,
               std::vector<Delegate::NodeSupport>* support) {
  std::vector<bool> wanted, is_read_outside(subgraph.values.size());
  for (const auto& node : *support) wanted.push_back(node.is_supported);
  for (const graph::ValueId v : subgraph.outputs) is_read_outside[v] = true;
  for (size_t n = subgraph.nodes.size(); n-- > 0;) {
    const graph::Node& node = subgraph.nodes[n];
    if (!wanted[n] && IsKnown(node, known))
      wanted[n] = std::ranges::none_of(
          node.outputs, [&](graph::ValueId v) { return is_read_outside[v]; });
    if (wanted[n]) continue;
    for (const graph::ValueId v : node.inputs)
      if (v != graph::kNoValue) is_read_outside[v] = true;
  }
  for (const auto& partition : PartitionNodes(subgraph, wanted))
    for (const graph::ValueId v : partition.outputs)
      if (known.data(v) != nullptr) return;
  for (size_t n = 0; n < wanted.size(); ++n)
    if (wanted[n]) (*support)[n] = {true, ""};
}

}  // namespace munja::runtime
