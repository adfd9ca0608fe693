// Model inspection: intermediate tensors, required operators.
#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "capi/runtime/arguments.h"
#include "capi/runtime/guard.h"
#include "capi/runtime/handles.h"
#include "graph/graph.h"
#include "munja/tools/inspect.h"
#include "ops/op.h"
#include "runtime/program.h"
#include "runtime/resolver.h"

using munja::ElementType;
using munja::InvalidArgument;
using munja::Result;
using munja::Status;
using munja::capi::CopyText;
using munja::capi::Guard;
using munja::capi::RequireAll;
using munja::runtime::Program;
using munja::runtime::Resolver;

namespace {

// Stands in for a custom operator that a program brings along.
class Absent final : public munja::ops::Kernel {
 public:
  Status Prepare(munja::ops::PrepareContext&) const override {
    return munja::Unsupported("the operator is not here");
  }
  Status Eval(munja::ops::EvalContext&) const override { return Status(); }
};

Result<std::unique_ptr<munja::ops::Kernel>> MakeAbsent(
    const munja::ops::NodeInfo&) {
  return std::unique_ptr<munja::ops::Kernel>(std::make_unique<Absent>());
}

// Adds the operators of the file, which fold constants and remain when passes
// are skipped, and those that passes create from them.
Status AddOperators(const munja::graph::Graph& graph,
                    std::set<std::string>* names) {
  const Resolver library;
  Resolver resolver;
  const auto add = [&](const munja::graph::Node& node) {
    if (!node.is_custom || library.Find(node)) {
      names->insert(node.op);
    } else {
      resolver.Add(node.op, true, {1, 1, MakeAbsent, false});
    }
  };
  for (const munja::graph::Subgraph& subgraph : graph.subgraphs)
    for (const munja::graph::Node& node : subgraph.nodes) add(node);
  for (size_t s = 0; s < graph.subgraphs.size(); ++s) {
    MUNJA_ASSIGN_OR_RETURN(
        const auto program,
        Program::Compile(graph, static_cast<int>(s), {}, resolver));
    for (const munja::graph::Node& node : program->subgraph().nodes) add(node);
  }
  return Status();
}

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

munja_status munja_network_operators(const munja_network* const* models,
                                     int32_t count, char** names) {
  return Guard([&]() -> Status {
    MUNJA_RETURN_IF_ERROR(RequireAll(models, names));
    std::set<std::string> found;
    for (int32_t i = 0; i < count; ++i) {
      MUNJA_RETURN_IF_ERROR(RequireAll(models[i]));
      MUNJA_RETURN_IF_ERROR(AddOperators(*models[i]->graph, &found));
    }
    std::string text;
    for (const std::string& name : found) text += name + "\n";
    return CopyText(text, names);
  });
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
