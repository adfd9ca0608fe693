// Writes a graph with the integers that an assignment asks for.
#ifndef MUNJA_COMPRESS_QUANTIZATION_EMIT_H_
#define MUNJA_COMPRESS_QUANTIZATION_EMIT_H_

#include "base/status.h"
#include "compress/quantization/assignment.h"
#include "graph/graph.h"

namespace munja::compress {

// `prepared` is the result of Prepare. QUANTIZE and DEQUANTIZE are inserted
// where two precisions meet and, unless integer_io, at the inputs and outputs.
// Values keep their ids (some become unused); new ones come after them. A clamp
// (RELU and its variants) after an int8 operator whose output range does the
// same is omitted.
Result<graph::Graph> Emit(const graph::Graph& prepared,
                          const Assignment& assignment);

}  // namespace munja::compress

#endif  // MUNJA_COMPRESS_QUANTIZATION_EMIT_H_
