// Nodes that multiply by weights, and what passes ask of them.
#ifndef MUNJA_GRAPH_REWRITE_LINEAR_OP_H_
#define MUNJA_GRAPH_REWRITE_LINEAR_OP_H_

#include <cstdint>

#include "graph/graph.h"
#include "graph/op_traits.h"
#include "graph/rewrite/match.h"

namespace munja::graph {

// CONV_2D, DEPTHWISE_CONV_2D, TRANSPOSE_CONV, FULLY_CONNECTED; null otherwise.
const LinearOp* FindLinearOp(const Node& node);

// A linear operator in float that passes may change: weights a float32 or
// float16 constant in the plain layout, bias a constant or absent, input and
// output float32. Null otherwise.
const LinearOp* FindFloatLinearOp(const Subgraph& subgraph, const Node& node);

// The same with constant weights of int8: activations become integers for the
// run, and results are float again. Only what comes before or after may be
// fused, not what would change the weights.
const LinearOp* FindHybridLinearOp(const Subgraph& subgraph, const Node& node);

// The number of output channels; `node` satisfies FindFloatLinearOp.
int32_t OutputChannels(const Subgraph& subgraph, const Node& node,
                       const LinearOp& linear);

// A float CONV_2D of one tap and stride 1 that reads every pixel once: each
// pixel is multiplied by the same matrix.
bool IsPointwiseConv(const Subgraph& subgraph, const Node& node);

}  // namespace munja::graph

#endif  // MUNJA_GRAPH_REWRITE_LINEAR_OP_H_
