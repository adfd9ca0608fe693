#include "tflite_api/relaxed_graph.h"

#include <utility>

namespace munja::compat {
namespace {

Shape Open(const graph::Value& value, const Shape& wanted) {
  Shape shape = wanted;
  const bool same_rank = value.has_shape && value.shape.rank() == wanted.rank();
  for (int i = 0; i < shape.rank(); ++i)
    shape[i] = same_rank && value.shape[i] == wanted[i] ? wanted[i] : kDynamic;
  return shape;
}

}  // namespace

std::shared_ptr<const graph::Graph> RelaxInputs(
    const graph::Graph& graph, int subgraph,
    const std::map<graph::ValueId, Shape>& shapes) {
  auto relaxed = std::make_shared<graph::Graph>(graph);
  for (graph::Subgraph& s : relaxed->subgraphs) {
    for (const graph::Node& node : s.nodes) {
      for (const graph::ValueId v : node.outputs) {
        if (v == graph::kNoValue) continue;
        graph::Value& value = s.values[static_cast<size_t>(v)];
        // Many scales need a dimension that they count along.
        if (!value.quantization.is_per_axis()) {
          value.shape = Shape();
          value.has_shape = false;
        }
      }
    }
  }
  const auto index = static_cast<size_t>(subgraph);
  // Called subgraphs get other shapes, too.
  for (size_t s = 0; s < relaxed->subgraphs.size(); ++s) {
    if (s == index) continue;
    for (const graph::ValueId v : relaxed->subgraphs[s].inputs) {
      graph::Value& value =
          relaxed->subgraphs[s].values[static_cast<size_t>(v)];
      if (!value.constant && !value.quantization.is_per_axis()) {
        value.shape = Shape();
        value.has_shape = false;
      }
    }
  }
  graph::Subgraph& main = relaxed->subgraphs[index];
  for (const auto& [v, wanted] : shapes) {
    graph::Value& value = main.values[static_cast<size_t>(v)];
    value.shape = Open(value, wanted);
    value.has_shape = true;
  }
  return relaxed;
}

}  // namespace munja::compat
