// Graph -> .tflite file.
#ifndef MUNJA_TFLITE_WRITE_H_
#define MUNJA_TFLITE_WRITE_H_

#include <cstdint>
#include <vector>

#include "base/status.h"
#include "graph/graph.h"

namespace munja::tflite {

// The canonical file of a graph: equal graphs give equal bytes, equal
// constants share one buffer, operator codes come in the order of first use.
// Read gives back the same graph, except that
//   - node names are lost (the format has none),
//   - options that were left out come back with the schema's defaults,
//   - absent zero points of a quantized tensor come back as zeros,
//   - a graph with associated files gets a TFLITE_METADATA entry that names
//     them, unless it has one.
// kMalformed: the graph does not pass graph::Verify. kInvalidArgument: an
// operator or attribute that the schema does not have. kUnsupported: a value
// with data that was not interpreted, or a file beyond 2 GiB.
Result<std::vector<uint8_t>> Write(const graph::Graph& graph);

}  // namespace munja::tflite

#endif  // MUNJA_TFLITE_WRITE_H_
