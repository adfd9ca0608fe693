// Passes: rewrites of a graph into one that computes the same with less work.
#ifndef MUNJA_GRAPH_PASSES_PASS_H_
#define MUNJA_GRAPH_PASSES_PASS_H_

#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "graph/graph.h"
#include "tensor/shape.h"

namespace munja::graph {

class Rewriter;

// One output of a node that was computed before any run.
struct FoldedOutput {
  Shape shape;
  Constant data;
};

struct PassOptions {
  // Computes the outputs of a node all of whose inputs are constants; the
  // graph itself does not know what operators mean. A failure only means that
  // the node stays where it is. Null: nothing is computed.
  std::function<Result<std::vector<FoldedOutput>>(const Subgraph&, const Node&)>
      evaluate;
  // Whether the operator that a pass would create can run here. Null: all can.
  std::function<bool(std::string_view op)> has_op;
  // Without fusion only dead code and constants are treated, which kernels
  // rely on: they take weights as constants.
  bool fuse = true;
};

// Runs every pass of passes.def in that order until none finds anything more.
// Inputs and outputs keep number, order and names; shapes that cannot be right,
// given those of the inputs, are corrected. Results differ from those
// of the unchanged graph by float rounding at most. `graph` has passed Verify.
Status RunPasses(Graph& graph, const PassOptions& options);

// One pass, by the stem of its file.
struct Pass {
  std::string_view name;
  bool is_fusion;
  bool is_backward;  // See Rewriter::Run.
  Result<bool> (*rewrite)(Rewriter&, const Node&);
  // Once over a subgraph, alone; true when it changed something.
  Result<bool> run(Subgraph& subgraph, const PassOptions& options) const;
};
std::span<const Pass> AllPasses();

#define PASS(kind, stem)                        \
  namespace stem {                              \
  Result<bool> Rewrite(Rewriter&, const Node&); \
  }
#include "graph/passes/passes.def"
#undef PASS

}  // namespace munja::graph

#endif  // MUNJA_GRAPH_PASSES_PASS_H_
