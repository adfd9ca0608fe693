#include "graph/passes/pass.h"

#include <iterator>

#include "base/control.h"
#include "graph/passes/compact.h"
#include "graph/rewrite/rewriter.h"

namespace munja::graph {
namespace {

constexpr Pass kPasses[] = {
#define CLEANUP false, false
#define FUSION true, false
#define FUSION_BACKWARD true, true
#define PASS(kind, stem) {#stem, kind, stem::Rewrite},
#include "graph/passes/passes.def"
#undef PASS
#undef FUSION_BACKWARD
#undef FUSION
#undef CLEANUP
};

// Each round fuses at least one node away, so this bounds only how long a
// chain of fusions that enable each other may get.
constexpr int kMaxRounds = 16;

Status RunPassesOn(Subgraph& subgraph, const PassOptions& options) {
  Rewriter rewriter(subgraph, options);
  bool is_changed = true;
  for (int round = 0; is_changed && round < kMaxRounds; ++round) {
    is_changed = false;
    for (const Pass& pass : kPasses) {
      if (pass.is_fusion && !options.fuse) continue;
      MUNJA_RETURN_IF_ERROR(CheckControl());
      auto changed = rewriter.Run(pass.rewrite, pass.is_backward);
      if (!changed.ok()) return std::move(changed).TakeStatus().With(pass.name);
      is_changed |= *changed;
    }
  }
  CorrectShapes(rewriter.shapes(), subgraph);
  return Status();
}

}  // namespace

std::span<const Pass> AllPasses() { return {kPasses, std::size(kPasses)}; }

Result<bool> Pass::run(Subgraph& subgraph, const PassOptions& options) const {
  return Rewriter(subgraph, options).Run(rewrite, is_backward);
}

Status RunPasses(Graph& graph, const PassOptions& options) {
  for (Subgraph& subgraph : graph.subgraphs)
    MUNJA_RETURN_IF_ERROR(RunPassesOn(subgraph, options));
  CompactValues(graph);
  return Status();
}

}  // namespace munja::graph
