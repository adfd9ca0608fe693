// Writes a graph with the integers that an assignment asks for.
#ifndef MUNJA_COMPRESS_EMIT_H_
#define MUNJA_COMPRESS_EMIT_H_

#include "base/status.h"
#include "compress/assignment.h"
#include "graph/graph.h"

namespace munja::compress {

// `prepared` as Prepare gave it. QUANTIZE and DEQUANTIZE stand where two
// precisions meet and, unless integer_io, at the inputs and outputs. Values
// keep their numbers (some are no longer mentioned); new ones come after them.
// A clamp (RELU and its kin)
// after an int8 operator whose output range does the same is left out.
Result<graph::Graph> Emit(const graph::Graph& prepared,
                          const Assignment& assignment);

}  // namespace munja::compress

#endif  // MUNJA_COMPRESS_EMIT_H_
