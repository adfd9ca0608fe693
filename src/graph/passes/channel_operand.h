// Finds "linear operator, then an elementwise operator with a constant".
#ifndef MUNJA_GRAPH_PASSES_CHANNEL_OPERAND_H_
#define MUNJA_GRAPH_PASSES_CHANNEL_OPERAND_H_

#include <optional>
#include <vector>

#include "graph/graph.h"
#include "graph/rewrite/def_use.h"
#include "graph/rewrite/linear_op.h"

namespace munja::graph {

// node(linear(x), constant) with one number for each output channel.
struct ChannelOperand {
  int producer;  // The linear node, whose only reader is the other one.
  const LinearOp* linear;
  std::vector<float> constant;  // By output channel.
  bool is_constant_first;       // constant - linear(x)
};

// Nothing unless the linear operator is a float one without activation.
std::optional<ChannelOperand> FindChannelOperand(const Subgraph& subgraph,
                                                 const DefUse& uses,
                                                 const Node& node);

// After the constant went into the linear operator: it takes over the
// activation and the output of `node`.
void TakeOver(Node& linear, const Node& node);

}  // namespace munja::graph

#endif  // MUNJA_GRAPH_PASSES_CHANNEL_OPERAND_H_
