// Neutral model (NCHW) -> graph (NHWC, .tflite vocabulary).
#ifndef MUNJA_IMPORT_LOWERING_H_
#define MUNJA_IMPORT_LOWERING_H_

#include "base/status.h"
#include "graph/graph.h"
#include "import/model.h"

namespace munja::foreign {

// `model` should have been simplified. Rank-4 inputs and outputs become NHWC,
// others keep the order of their axes. kUnsupported names every operator that
// has no counterpart, or the one form of an operator that .tflite cannot
// express exactly.
Result<graph::Graph> Lower(const Model& model);

}  // namespace munja::foreign

#endif  // MUNJA_IMPORT_LOWERING_H_
