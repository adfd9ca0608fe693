// A subgraph for other input shapes than the model states.
#ifndef MUNJA_RUNTIME_DYNAMIC_SHAPES_H_
#define MUNJA_RUNTIME_DYNAMIC_SHAPES_H_

#include "graph/graph.h"

namespace munja::runtime {

// A copy whose inputs take any shape, and where nothing is said about the
// shapes of what nodes write. For loop bodies: their variables may change in
// shape from one turn to the next, and models often state the first one.
// Values with a scale for each index of an axis keep their shapes.
graph::Subgraph WithDynamicShapes(const graph::Subgraph& subgraph);

}  // namespace munja::runtime

#endif  // MUNJA_RUNTIME_DYNAMIC_SHAPES_H_
