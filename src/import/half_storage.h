// Weights stored as float16.
#ifndef MUNJA_IMPORT_HALF_STORAGE_H_
#define MUNJA_IMPORT_HALF_STORAGE_H_

#include "graph/graph.h"

namespace munja::foreign {

// Float constants of at least `min_elements` elements become float16 with a
// DEQUANTIZE behind each: the usual float16 form of .tflite, which any
// interpreter runs. Constants with a number beyond float16's range stay.
// Returns how many constants changed.
int StoreAsHalf(graph::Graph* graph, int64_t min_elements = 256);

}  // namespace munja::foreign

#endif  // MUNJA_IMPORT_HALF_STORAGE_H_
