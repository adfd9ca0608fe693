// DefUse: who writes and who reads each value of a subgraph.
#ifndef MUNJA_GRAPH_REWRITE_DEF_USE_H_
#define MUNJA_GRAPH_REWRITE_DEF_USE_H_

#include <cstdint>
#include <vector>

#include "graph/graph.h"

namespace munja::graph {

inline constexpr int kNoNode = -1;

// As the subgraph was, but for what Add and Remove have told since.
class DefUse {
 public:
  explicit DefUse(const Subgraph& subgraph);

  // The node that writes the value; kNoNode for inputs, constants, variables
  // and kNoValue.
  int producer(ValueId v) const { return At(v).producer; }
  // How often nodes read it (twice for x * x), plus one for each time that it
  // is an output of the subgraph.
  int count(ValueId v) const { return At(v).count; }
  // The node that reads it, when that is the only use; else kNoNode.
  int only_reader(ValueId v) const {
    return count(v) == 1 ? static_cast<int>(At(v).readers) : kNoNode;
  }

  // A node that came or went. kNoNode: one without a number yet.
  void Add(int n, const Node& node) { Count(n, node, 1); }
  void Remove(int n, const Node& node) { Count(n, node, -1); }

 private:
  struct Row {
    int producer = kNoNode;
    int count = 0;
    int64_t readers = 0;  // The sum of their numbers, kNoNode for an output.
  };
  Row At(ValueId v) const {
    return v < 0 || static_cast<size_t>(v) >= rows_.size() ? Row() : rows_[v];
  }
  Row& Grow(ValueId v);
  void Count(int n, const Node& node, int times);

  std::vector<Row> rows_;
};

}  // namespace munja::graph

#endif  // MUNJA_GRAPH_REWRITE_DEF_USE_H_
