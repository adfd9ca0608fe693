// Removes nodes whose results reach no output.
//
// A node stays when it has an effect beyond its results: it may change a
// variable, touches a resource or another subgraph, or has no results at all.
#include "graph/passes/pass.h"
#include "graph/rewrite/rewriter.h"

namespace munja::graph::dead_code {

Result<bool> Rewrite(Rewriter& rewriter, const Node& node) {
  return rewriter.RemoveUnread(node);
}

}  // namespace munja::graph::dead_code
