// Finds "linear operator, then an elementwise operator with a constant".
#ifndef MUNJA_GRAPH_PASSES_CHANNEL_OPERAND_H_
#define MUNJA_GRAPH_PASSES_CHANNEL_OPERAND_H_

#include <optional>
#include <vector>

#include "graph/rewrite/linear_op.h"
#include "graph/rewrite/rewriter.h"

namespace munja::graph {

// node(linear(x), constant) with one number for each output channel.
struct ChannelOperand {
  const Node* node;  // The linear one, whose only reader is the other one.
  const LinearOp* linear;
  std::vector<float> constant;  // By output channel.
  bool is_constant_first;       // constant - linear(x)
};

// Nothing unless the linear operator is a float one without activation.
std::optional<ChannelOperand> FindChannelOperand(const Rewriter& rewriter,
                                                 const Node& node);

}  // namespace munja::graph

#endif  // MUNJA_GRAPH_PASSES_CHANNEL_OPERAND_H_
