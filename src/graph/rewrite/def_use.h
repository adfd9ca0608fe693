// DefUse: who writes and who reads each value of a subgraph.
#ifndef MUNJA_GRAPH_REWRITE_DEF_USE_H_
#define MUNJA_GRAPH_REWRITE_DEF_USE_H_

#include <vector>

#include "graph/graph.h"

namespace munja::graph {

inline constexpr int kNoNode = -1;

// A snapshot: build it again after a change of the subgraph.
class DefUse {
 public:
  explicit DefUse(const Subgraph& subgraph);

  // The node that writes the value, which a pass may move or take apart;
  // kNoNode for inputs, constants, variables and kNoValue. Also for what a node
  // writes that reads a variable: another node may change the variable between
  // that place and any later one, so it is read where the model reads it.
  int producer(ValueId v) const { return v < 0 ? kNoNode : rows_[v].producer; }
  // How often nodes read it (twice for x * x), plus one for each time that it
  // is an output of the subgraph.
  int count(ValueId v) const { return v < 0 ? 0 : rows_[v].count; }
  // The node that reads it, when that is the only use; else kNoNode.
  int only_reader(ValueId v) const {
    return count(v) == 1 ? rows_[v].reader : kNoNode;
  }

 private:
  struct Row {
    int producer = kNoNode;
    int reader = kNoNode;  // Any one of them; kNoNode when only an output.
    int count = 0;
  };
  std::vector<Row> rows_;
};

// Removes the nodes marked true.
void RemoveNodes(Subgraph& subgraph, const std::vector<bool>& is_dead);

// Makes every node that reads `from` read `to` instead; outputs of the subgraph
// stay. True when there was one.
bool ReplaceInputs(Subgraph& subgraph, ValueId from, ValueId to);

}  // namespace munja::graph

#endif  // MUNJA_GRAPH_REWRITE_DEF_USE_H_
