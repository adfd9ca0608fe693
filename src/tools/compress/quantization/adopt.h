// Adopts the quantization of a model that was quantized elsewhere and expresses
// it by pairs of QUANTIZE and DEQUANTIZE around operators in float.
#ifndef MUNJA_COMPRESS_QUANTIZATION_ADOPT_H_
#define MUNJA_COMPRESS_QUANTIZATION_ADOPT_H_

#include <string>

#include "base/status.h"
#include "graph/graph.h"

namespace munja::compress {

struct Adopted {
  graph::Graph graph;
  // Number of operators that compute with int8, and that stay in float. No
  // integer operator: the graph is returned unchanged.
  int integer_nodes = 0, float_nodes = 0;
  std::string why_not;  // Set if there are pairs, but no integers.
};

// An operator computes with integers when all that it reads and writes has a
// pair, by the pairs' scales and zero points, and its weights are what int8
// stores without rounding (those that were rounded to 8 bits are). Elsewhere
// values lie between the pairs as they did, but are rounded only where an
// integer operator reads or writes them.
Result<Adopted> AdoptPairs(const graph::Graph& model);

}  // namespace munja::compress

#endif  // MUNJA_COMPRESS_QUANTIZATION_ADOPT_H_
