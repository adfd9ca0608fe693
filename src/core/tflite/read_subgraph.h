// One subgraph of a .tflite file.
#ifndef MUNJA_TFLITE_READ_SUBGRAPH_H_
#define MUNJA_TFLITE_READ_SUBGRAPH_H_

#include "base/status.h"
#include "graph/graph.h"
#include "tflite/model_file.h"

namespace munja::tflite {

// `knows_rank`: the file says which tensors have a rank (older ones do not,
// there an empty shape is a scalar).
Result<graph::Subgraph> ReadSubgraph(ModelFile& file, const fb::SubGraph& from,
                                     bool knows_rank);

// `is_input`: the caller of the subgraph gives the data, so data in the file
// does not make the tensor a constant.
Result<graph::Value> ReadTensor(ModelFile& file, const fb::Tensor& from,
                                bool knows_rank, bool is_input);
Result<graph::Node> ReadNode(ModelFile& file, const fb::Operator& from);

}  // namespace munja::tflite

#endif  // MUNJA_TFLITE_READ_SUBGRAPH_H_
