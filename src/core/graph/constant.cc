#include <memory>
#include <utility>
#include <vector>

#include "graph/graph.h"

namespace munja::graph {

Constant MakeConstant(std::vector<uint8_t> bytes) {
  auto owner = std::make_shared<const std::vector<uint8_t>>(std::move(bytes));
  const std::span<const uint8_t> span(owner->data(), owner->size());
  return Constant{span, std::move(owner)};
}

}  // namespace munja::graph
