// Weights stored as float16.
#ifndef MUNJA_GRAPH_PASSES_HALF_STORAGE_H_
#define MUNJA_GRAPH_PASSES_HALF_STORAGE_H_

#include "graph/graph.h"

namespace munja::graph {

// Float constants of at least `min_elements` elements become float16 with a
// DEQUANTIZE behind each: the usual float16 form of .tflite, which any
// interpreter runs. Constants with a number beyond float16's range stay.
// Returns how many constants changed.
int StoreAsHalf(Graph* graph, int64_t min_elements = 256);

}  // namespace munja::graph

#endif  // MUNJA_GRAPH_PASSES_HALF_STORAGE_H_
