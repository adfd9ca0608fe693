#include "compress/quantization/prepare.h"

#include <algorithm>
#include <span>
#include <string>
#include <string_view>

#include "graph/passes/compact.h"
#include "graph/passes/pass.h"
#include "ops/op.h"
#include "runtime/fold.h"
#include "runtime/resolver.h"

namespace munja::compress {
namespace {

// Passes whose results the schema has operators for.
constexpr std::string_view kPasses[] = {
    "dead_code",       "fold_constants", "layout",   "fuse_hard_sigmoid",
    "fold_batch_norm", "fold_bias",      "fold_gate"};
constexpr std::string_view kConstantPasses[] = {"dead_code", "fold_constants"};

Status CheckIsFloat(const graph::Subgraph& main) {
  for (const graph::ValueId v : main.inputs) {
    const graph::Value& value = main.values[static_cast<size_t>(v)];
    if (value.quantization.is_quantized())
      return Unsupported("the model is quantized already: its input '",
                         value.name, "' is ", ElementTypeName(value.type));
  }
  for (const graph::Node& node : main.nodes) {
    if (node.op != "QUANTIZE") continue;
    return Unsupported("the model is quantized already: it has QUANTIZE nodes");
  }
  return Status();
}

// A copy on which these passes have run until nothing changes.
Result<graph::Graph> Passed(const graph::Graph& model,
                            std::span<const std::string_view> passes) {
  if (model.subgraphs.size() != 1)
    return Unsupported("a model of ", model.subgraphs.size(), " subgraphs");
  MUNJA_RETURN_IF_ERROR(CheckIsFloat(model.main()));
  graph::Graph prepared = model;
  const runtime::Resolver resolver;
  graph::PassOptions options;
  options.evaluate = [&](const graph::Subgraph& subgraph,
                         const graph::Node& node) {
    return runtime::FoldNode(subgraph, node, ops::MakeOptions{}, resolver);
  };
  // HARD_SIGMOID is no operator of the schema.
  options.has_op = [](std::string_view name) { return name != "HARD_SIGMOID"; };
  constexpr int kRounds = 16;
  bool is_changed = true;
  for (int round = 0; is_changed && round < kRounds; ++round) {
    is_changed = false;
    for (const graph::Pass& pass : graph::AllPasses()) {
      if (std::find(passes.begin(), passes.end(), pass.name) == passes.end())
        continue;
      auto changed = pass.run(prepared.main(), options);
      if (!changed.ok()) return std::move(changed).TakeStatus().With(pass.name);
      is_changed |= *changed;
    }
  }
  return prepared;
}

Status Finish(graph::Graph* prepared) {
  graph::CompactValues(*prepared);
  return graph::Verify(*prepared);
}

}  // namespace

Result<graph::Graph> Prepare(const graph::Graph& model) {
  MUNJA_ASSIGN_OR_RETURN(graph::Graph prepared, Passed(model, kPasses));
  // An addition may have become a multiplication.
  for (graph::Node& node : prepared.main().nodes)
    if (node.op == "MUL") node.attributes.Remove("pot_scale_int16");
  MUNJA_RETURN_IF_ERROR(Finish(&prepared));
  return prepared;
}

Result<graph::Graph> FoldConstants(const graph::Graph& model) {
  MUNJA_ASSIGN_OR_RETURN(graph::Graph folded, Passed(model, kConstantPasses));
  MUNJA_RETURN_IF_ERROR(Finish(&folded));
  return folded;
}

}  // namespace munja::compress
