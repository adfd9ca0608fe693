#include "graph/passes/half_storage.h"

#include <cmath>
#include <cstring>
#include <map>
#include <utility>
#include <vector>

#include "tensor/half.h"

namespace munja::graph {
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

int StoreAsHalf(Graph* graph, int64_t min_elements) {
  int changed = 0;
  for (Subgraph& subgraph : graph->subgraphs) {
    std::map<ValueId, ValueId> replaced;
    std::vector<Node> nodes;
    const size_t count = subgraph.values.size();
    for (size_t i = 0; i < count; ++i) {
      if (!subgraph.values[i].constant ||
          subgraph.values[i].type != ElementType::kFloat32 ||
          subgraph.values[i].shape.elements() < min_elements)
        continue;
      std::vector<uint8_t> halves =
          ToHalves(subgraph.values[i].constant->bytes);
      if (halves.empty()) continue;
      Value wide = subgraph.values[i];
      wide.constant.reset();
      Value& stored = subgraph.values[i];
      stored.type = ElementType::kFloat16;
      stored.name += "/half";
      stored.constant = MakeConstant(std::move(halves));
      const ValueId from = static_cast<ValueId>(i);
      const ValueId to = subgraph.AddValue(std::move(wide));
      replaced[from] = to;
      Node node;
      node.op = "DEQUANTIZE";
      node.version = 3;
      node.inputs = {from};
      node.outputs = {to};
      nodes.push_back(std::move(node));
      ++changed;
    }
    for (Node& node : subgraph.nodes) {
      for (ValueId& v : node.inputs)
        if (const auto it = replaced.find(v); it != replaced.end())
          v = it->second;
      nodes.push_back(std::move(node));
    }
    subgraph.nodes = std::move(nodes);
  }
  return changed;
}

}  // namespace munja::graph
