// Neutral model (NCHW) -> graph (NHWC, .tflite vocabulary).
#ifndef MUNJA_IMPORT_LOWER_LOWERING_H_
#define MUNJA_IMPORT_LOWER_LOWERING_H_

#include <string>
#include <vector>

#include "base/status.h"
#include "graph/graph.h"
#include "import/ir/model.h"

namespace munja::importer {

// A value of the neutral model and the tensor of the graph that holds the same
// elements: axis i of the tensor is axis layout[i] of the value.
struct TensorMapping {
  ValueId value = kNoValue;
  std::string tensor;
  std::vector<int> layout;
};

// `model` should have been simplified. Rank-4 inputs and outputs become NHWC
// unless `keep_layout`, others keep the order of their axes. kUnsupported names
// every operator that has no equivalent, or the one form of an operator that
// .tflite cannot express exactly. `mappings` gets one entry for each value
// that is still there.
Result<graph::Graph> Lower(const Model& model,
                           std::vector<TensorMapping>* mappings = nullptr,
                           bool keep_layout = false);

}  // namespace munja::importer

#endif  // MUNJA_IMPORT_LOWER_LOWERING_H_
