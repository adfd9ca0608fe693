// Operators and packed files of a model.
#include <iterator>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "capi/runtime/arguments.h"
#include "capi/runtime/guard.h"
#include "capi/runtime/handles.h"
#include "capi/runtime/op_context.h"
#include "munja/runtime.h"

using munja::InvalidArgument;
using munja::NotFound;
using munja::Status;
using munja::capi::Guard;
using munja::capi::RequireAll;
using munja::capi::WriteStruct;
using munja::graph::Graph;
using munja::graph::Node;

namespace {

// Null: there is no such part.
const std::map<std::string, std::vector<uint8_t>>* PartsOf(
    const munja_network& model, munja_network_part part) {
  switch (part) {
    case MUNJA_NETWORK_METADATA:
      return &model.graph->metadata;
    case MUNJA_NETWORK_FILE:
      return &model.graph->associated_files;
  }
  return nullptr;
}

// By name, whether it is custom, and version: one node that stands for all,
// and their number.
using OpKey = std::tuple<std::string_view, bool, int>;
std::map<OpKey, std::pair<const Node*, int32_t>> OpsOf(const Graph& graph) {
  std::map<OpKey, std::pair<const Node*, int32_t>> ops;
  for (const auto& subgraph : graph.subgraphs) {
    for (const Node& node : subgraph.nodes) {
      auto& [first, count] =
          ops[{node.op, node.is_custom, node.is_custom ? 1 : node.version}];
      if (first == nullptr) first = &node;
      ++count;
    }
  }
  return ops;
}

}  // namespace

extern "C" {

int32_t munja_network_part_count(const munja_network* model,
                                 munja_network_part part) {
  const auto* const parts = model ? PartsOf(*model, part) : nullptr;
  return parts ? static_cast<int32_t>(parts->size()) : 0;
}

const char* munja_network_part_name(const munja_network* model,
                                    munja_network_part part, int32_t index) {
  if (model == nullptr || index < 0) return nullptr;
  const auto* const parts = PartsOf(*model, part);
  if (parts == nullptr || static_cast<size_t>(index) >= parts->size())
    return nullptr;
  return std::next(parts->begin(), index)->first.c_str();
}

munja_status munja_network_part_bytes(const munja_network* model,
                                      munja_network_part part, const char* name,
                                      const void** bytes, size_t* size) {
  return Guard([&]() -> Status {
    MUNJA_RETURN_IF_ERROR(RequireAll(model, name, bytes, size));
    const auto* const parts = PartsOf(*model, part);
    if (parts == nullptr)
      return InvalidArgument("unknown part " +
                             std::to_string(static_cast<int>(part)));
    const auto found = parts->find(name);
    if (found == parts->end())
      return NotFound("the model has no '" + std::string(name) + "'");
    *bytes = found->second.data();
    *size = found->second.size();
    return Status();
  });
}

int32_t munja_network_op_count(const munja_network* model) {
  if (model == nullptr) return 0;
  int32_t count = 0;
  (void)Guard([&] {
    count = static_cast<int32_t>(OpsOf(*model->graph).size());
    return Status();
  });
  return count;
}

munja_status munja_network_op(const munja_network* model,
                              const munja_resolver* resolver, int32_t index,
                              munja_op_use* use) {
  return Guard([&]() -> Status {
    MUNJA_RETURN_IF_ERROR(RequireAll(model, use));
    const auto ops = OpsOf(*model->graph);
    if (index < 0 || static_cast<size_t>(index) >= ops.size())
      return InvalidArgument("there is no operator " + std::to_string(index));
    const auto& [node, count] = std::next(ops.begin(), index)->second;
    const auto found =
        (resolver != nullptr ? resolver->resolver : munja::runtime::Resolver())
            .Find(*node);
    return WriteStruct(
        munja_op_use{0, node->op.c_str(), node->is_custom ? 1 : 0,
                     node->version, count,
                     found && found->Takes(*node) ? 0 : 1},
        use);
  });
}

}  // extern "C"
