// Brings a model into the form in which it is quantized.
#ifndef MUNJA_COMPRESS_QUANTIZATION_PREPARE_H_
#define MUNJA_COMPRESS_QUANTIZATION_PREPARE_H_

#include "base/status.h"
#include "graph/graph.h"

namespace munja::compress {

// A copy whose operators are still those of the schema: constants folded (so
// float16 weights become float32), batch normalization, bias and gates folded,
// hard swish recognized; what only a session understands is left alone.
// kUnsupported: a model of several subgraphs, or one that is quantized already.
Result<graph::Graph> Prepare(const graph::Graph& model);

// Likewise, but only constants are folded into constants: layers, and batch
// normalization next to them, stay.
Result<graph::Graph> FoldConstants(const graph::Graph& model);

}  // namespace munja::compress

#endif  // MUNJA_COMPRESS_QUANTIZATION_PREPARE_H_
