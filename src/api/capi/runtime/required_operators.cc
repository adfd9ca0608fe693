// The operators that models need.
#include <memory>
#include <set>
#include <string>

#include "capi/runtime/arguments.h"
#include "capi/runtime/guard.h"
#include "capi/runtime/handles.h"
#include "graph/graph.h"
#include "munja/tools/inspect.h"
#include "ops/op.h"
#include "runtime/program.h"
#include "runtime/resolver.h"

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

}  // namespace

extern "C" {

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

}  // extern "C"
