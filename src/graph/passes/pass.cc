#include "graph/passes/pass.h"

#include <iterator>

#include "base/control.h"
#include "graph/passes/compact.h"

namespace munja::graph {
namespace {

constexpr bool kCLEANUP = false;
constexpr bool kFUSION = true;

constexpr Pass kPasses[] = {
#define PASS(kind, stem) {#stem, k##kind, stem::Run},
#include "graph/passes/passes.def"
#undef PASS
};

// Each round fuses at least one node away, so this bounds only how long a
// chain of fusions that enable each other may get.
constexpr int kMaxRounds = 16;

}  // namespace

std::span<const Pass> AllPasses() { return {kPasses, std::size(kPasses)}; }

Status RunPasses(Graph& graph, const PassOptions& options) {
  for (Subgraph& subgraph : graph.subgraphs) {
    bool is_changed = true;
    for (int round = 0; is_changed && round < kMaxRounds; ++round) {
      is_changed = false;
      for (const Pass& pass : kPasses) {
        if (pass.is_fusion && !options.fuse) continue;
        MUNJA_RETURN_IF_ERROR(CheckControl());
        auto changed = pass.run(subgraph, options);
        if (!changed.ok())
          return std::move(changed).TakeStatus().With(pass.name);
        is_changed |= *changed;
      }
    }
  }
  CompactValues(graph);
  return Status();
}

}  // namespace munja::graph
