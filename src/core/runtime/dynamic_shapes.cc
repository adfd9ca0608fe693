#include "runtime/dynamic_shapes.h"

#include <utility>

namespace munja::runtime {

graph::Subgraph WithDynamicShapes(const graph::Subgraph& subgraph) {
  graph::Subgraph open = subgraph;
  const auto forget = [&](graph::ValueId v) {
    if (v == graph::kNoValue) return;
    graph::Value& value = open.values[static_cast<size_t>(v)];
    if (value.constant || value.is_variable || value.quantization.is_per_axis())
      return;
    value.shape = Shape();
    value.has_shape = false;
  };
  for (const graph::ValueId v : open.inputs) forget(v);
  for (const graph::Node& node : open.nodes)
    for (const graph::ValueId v : node.outputs) forget(v);
  return open;
}

}  // namespace munja::runtime
