// Rewriter: the frame of the passes. A pass says what a node may become (match,
// ask whether it is legal, replace); all else is here.
#ifndef MUNJA_GRAPH_REWRITE_REWRITER_H_
#define MUNJA_GRAPH_REWRITE_REWRITER_H_

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"
#include "graph/graph.h"
#include "graph/rewrite/def_use.h"
#include "graph/rewrite/symbolic_shapes.h"
#include "tensor/shape.h"

namespace munja::graph {

struct PassOptions;

// References to nodes stay valid through a run, and show what a node became.
// Replacing or removing a node also removes the nodes before it whose results
// are no longer read.
class Rewriter {
 public:
  // Rewrites the node, or what is around it; true when it did.
  using Rewrite = Result<bool> (*)(Rewriter&, const Node& node);

  // Both outlive this.
  Rewriter(Subgraph& subgraph, const PassOptions& options)
      : subgraph_(subgraph), options_(options), uses_(subgraph) {}

  // Gives each node to `rewrite` once, in their order or the last one first.
  Result<bool> Run(Rewrite rewrite, bool is_backward);

  const Subgraph& subgraph() const { return subgraph_; }
  const PassOptions& options() const { return options_; }
  const DefUse& uses() const { return uses_; }
  // Covers the values that existed when a pass began. Shapes written in the
  // graph may be wrong: nothing that must be right may hang on them.
  const SymbolicShapes& shapes();
  // Whether the operator can run here.
  bool HasOp(std::string_view op) const;

  // Match and legality. "Here" is the place of the node that is being visited.

  // The node that writes v, if it may as well run here, so that it can be taken
  // apart or its inputs be read here: it has no effects, gives the same every
  // time, and nothing changes a variable that it reads in between. Else null.
  const Node* Producer(ValueId v) const;
  // Likewise, and v has no other reader: it goes when that reader lets go of v.
  const Node* OnlyProducer(ValueId v) const;
  // The only reader of v, if it is a function of its inputs.
  const Node* OnlyReader(ValueId v) const;
  std::vector<const Node*> Readers(ValueId v) const;

  // Replace.

  // `by` is where `old` was. What it reads is there at that place; what `old`
  // wrote is written by another node, or is not read.
  void Replace(const Node& old, Node by);
  // Likewise, and it writes what `later` wrote, which goes.
  void Merge(const Node& old, Node by, const Node& later);
  // A new node right before the visited one, after those inserted there.
  void Insert(Node node);
  void Remove(const Node& node);
  // Unless its results are read or it has effects. True if it was removed.
  bool RemoveUnread(const Node& node);

  ValueId AddValue(Value value) { return subgraph_.AddValue(std::move(value)); }
  // See constants.h.
  ValueId AddFloats(std::string name, const Shape& shape,
                    const std::vector<float>& data);
  // v, which a removed node wrote, becomes a constant.
  void SetConstant(ValueId v, const Shape& shape, Constant data);
  // v holds something else from now on; nothing: of unknown shape.
  void SetShape(ValueId v, const std::optional<Shape>& shape);

  // "node 17 (CONV_2D)"
  std::string Describe(const Node& node) const;

 private:
  int IndexOf(const Node& node) const {
    return static_cast<int>(&node - subgraph_.nodes.data());
  }
  bool MayRunHere(const Node& node) const;
  bool CanGo(const Node& node) const;
  // Removes the writers of the values, if they are not read.
  void Sweep(std::vector<ValueId> values);
  void Drop(const Node& node);
  void Finish();

  Subgraph& subgraph_;
  const PassOptions& options_;
  DefUse uses_;
  std::optional<SymbolicShapes> shapes_;
  // State of the current run.
  int here_ = 0;
  std::vector<bool> is_dead_;
  std::vector<std::pair<int, Node>> inserted_;  // Before that node.
};

}  // namespace munja::graph

#endif  // MUNJA_GRAPH_REWRITE_REWRITER_H_
