// A graph for other input shapes than the model states.
#ifndef MUNJA_TFLITE_API_RELAXED_GRAPH_H_
#define MUNJA_TFLITE_API_RELAXED_GRAPH_H_

#include <map>
#include <memory>

#include "graph/graph.h"
#include "tensor/shape.h"

namespace munja::compat {

// A copy in which the inputs of the subgraph that `shapes` lists (by value)
// take any size where the shape given is not what the model says. Nothing is
// said any more about the shapes of what nodes write. Constants are shared.
std::shared_ptr<const graph::Graph> RelaxInputs(
    const graph::Graph& graph, int subgraph,
    const std::map<graph::ValueId, Shape>& shapes);

}  // namespace munja::compat

#endif  // MUNJA_TFLITE_API_RELAXED_GRAPH_H_
