#include "import/half_storage.h"

#include <cmath>
#include <cstring>
#include <map>
#include <utility>
#include <vector>

#include "tensor/half.h"

namespace munja::foreign {
namespace {

constexpr float kLargestHalf = 65504.0f;

// The float bytes as halves; empty when one does not fit.
std::vector<uint8_t> ToHalves(std::span<const uint8_t> bytes) {
  std::vector<uint8_t> halves(bytes.size() / 2);
  for (size_t i = 0; i < bytes.size() / sizeof(float); ++i) {
    float value = 0;
    std::memcpy(&value, bytes.data() + i * sizeof value, sizeof value);
    if (!(std::fabs(value) <= kLargestHalf)) return {};
    const uint16_t half = FloatToHalf(value);
    std::memcpy(halves.data() + i * sizeof half, &half, sizeof half);
  }
  return halves;
}

}  // namespace

int StoreAsHalf(graph::Graph* graph, int64_t min_elements) {
  int changed = 0;
  for (graph::Subgraph& subgraph : graph->subgraphs) {
    std::map<graph::ValueId, graph::ValueId> replaced;
    std::vector<graph::Node> nodes;
    const size_t count = subgraph.values.size();
    for (size_t i = 0; i < count; ++i) {
      if (!subgraph.values[i].constant ||
          subgraph.values[i].type != ElementType::kFloat32 ||
          subgraph.values[i].shape.elements() < min_elements)
        continue;
      std::vector<uint8_t> halves =
          ToHalves(subgraph.values[i].constant->bytes);
      if (halves.empty()) continue;
      graph::Value wide = subgraph.values[i];
      wide.constant.reset();
      graph::Value& stored = subgraph.values[i];
      stored.type = ElementType::kFloat16;
      stored.name += "/half";
      stored.constant = graph::MakeConstant(std::move(halves));
      const graph::ValueId from = static_cast<graph::ValueId>(i);
      const graph::ValueId to = subgraph.AddValue(std::move(wide));
      replaced[from] = to;
      graph::Node node;
      node.op = "DEQUANTIZE";
      node.version = 3;
      node.inputs = {from};
      node.outputs = {to};
      nodes.push_back(std::move(node));
      ++changed;
    }
    for (graph::Node& node : subgraph.nodes) {
      for (graph::ValueId& v : node.inputs)
        if (const auto it = replaced.find(v); it != replaced.end())
          v = it->second;
      nodes.push_back(std::move(node));
    }
    subgraph.nodes = std::move(nodes);
  }
  return changed;
}

}  // namespace munja::foreign
