// Model inspection: intermediate tensors and dumps.
#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "capi/runtime/arguments.h"
#include "capi/runtime/guard.h"
#include "capi/runtime/handles.h"
#include "graph/graph.h"
#include "munja/tools/inspect.h"

using munja::ElementType;
using munja::InvalidArgument;
using munja::Status;
using munja::capi::CopyText;
using munja::capi::Guard;
using munja::capi::RequireAll;

namespace {

// Which values come from a product of floats with stored integers, for each
// value of the subgraph.
std::vector<bool> FindHybrid(const munja::graph::Subgraph& subgraph) {
  std::vector<bool> is_hybrid(subgraph.values.size(), false);
  for (const munja::graph::Node& node : subgraph.nodes) {
    bool has_floats = false, has_integers = false, follows = false;
    for (const munja::graph::ValueId v : node.inputs) {
      if (v == munja::graph::kNoValue) continue;
      const munja::graph::Value& value = subgraph.values[v];
      has_floats |= !value.constant && value.type == ElementType::kFloat32;
      has_integers |= value.constant && value.quantization.is_quantized() &&
                      value.type != ElementType::kInt32 &&
                      value.type != ElementType::kFloat32;
      follows |= is_hybrid[v];
    }
    if (!follows && !(has_floats && has_integers)) continue;
    for (const munja::graph::ValueId v : node.outputs)
      if (v != munja::graph::kNoValue) is_hybrid[v] = true;
  }
  return is_hybrid;
}

}  // namespace

extern "C" {

munja_status munja_network_expose_all(const munja_network* model,
                                      munja_network** exposed) {
  return Guard([&]() -> Status {
    MUNJA_RETURN_IF_ERROR(RequireAll(model, exposed));
    auto graph = std::make_shared<munja::graph::Graph>(*model->graph);
    graph->signatures.clear();
    munja::graph::Subgraph& main = graph->main();
    main.outputs.clear();
    for (const munja::graph::Node& node : main.nodes) {
      for (const munja::graph::ValueId v : node.outputs) {
        if (v == munja::graph::kNoValue) continue;
        const munja::graph::Value& value = main.values[v];
        if (value.is_variable || value.type == ElementType::kResource ||
            value.type == ElementType::kVariant)
          continue;
        main.outputs.push_back(v);
      }
    }
    *exposed = new munja_network{std::move(graph)};
    return Status();
  });
}

munja_status munja_network_producer(const munja_network* model, int32_t output,
                                    int32_t* node, const char** op) {
  return Guard([&]() -> Status {
    MUNJA_RETURN_IF_ERROR(RequireAll(model, node, op));
    const munja::graph::Subgraph& main = model->graph->main();
    if (output < 0 || static_cast<size_t>(output) >= main.outputs.size())
      return InvalidArgument("there is no output " + std::to_string(output));
    const munja::graph::ValueId wanted = main.outputs[output];
    for (size_t n = 0; n < main.nodes.size(); ++n) {
      const auto& written = main.nodes[n].outputs;
      if (std::find(written.begin(), written.end(), wanted) == written.end())
        continue;
      *node = static_cast<int32_t>(n);
      *op = main.nodes[n].op.c_str();
      return Status();
    }
    return munja::NotFound("no node computes it");
  });
}

int32_t munja_network_output_is_hybrid(const munja_network* model,
                                       int32_t output) {
  if (model == nullptr) return 0;
  const munja::graph::Subgraph& main = model->graph->main();
  if (output < 0 || static_cast<size_t>(output) >= main.outputs.size())
    return 0;
  return FindHybrid(
      main)[static_cast<size_t>(main.outputs[static_cast<size_t>(output)])];
}

munja_status munja_network_to_text(const munja_network* model, char** text) {
  return Guard([&]() -> Status {
    MUNJA_RETURN_IF_ERROR(RequireAll(model, text));
    return CopyText(munja::graph::ToText(*model->graph), text);
  });
}

munja_status munja_network_to_dot(const munja_network* model, char** dot) {
  return Guard([&]() -> Status {
    MUNJA_RETURN_IF_ERROR(RequireAll(model, dot));
    return CopyText(munja::graph::ToDot(*model->graph), dot);
  });
}

}  // extern "C"
