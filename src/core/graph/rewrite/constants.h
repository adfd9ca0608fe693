// Reading and making the small constants that passes compute with.
#ifndef MUNJA_GRAPH_REWRITE_CONSTANTS_H_
#define MUNJA_GRAPH_REWRITE_CONSTANTS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "graph/graph.h"
#include "tensor/shape.h"

namespace munja::graph {

// The elements of a float32 or float16 constant; nothing for other values.
std::optional<std::vector<float>> ReadFloats(const Subgraph& subgraph,
                                             ValueId v);
// The elements of an int32 or int64 constant.
std::optional<std::vector<int64_t>> ReadInts(const Subgraph& subgraph,
                                             ValueId v);

// A float constant of one element whose rank cannot raise the rank of
// `beside`, the other operand.
std::optional<float> ReadScalar(const Subgraph& subgraph, ValueId v,
                                ValueId beside);

// A float constant that gives one number to each of the `channels` of the last
// dimension and cannot change the shape of an operand of rank `rank`. One
// element counts for all channels.
std::optional<std::vector<float>> ReadPerChannel(const Subgraph& subgraph,
                                                 ValueId v, int32_t channels,
                                                 int rank);

// A new float32 constant; `data` has the shape's number of elements.
ValueId AddFloats(Subgraph& subgraph, std::string name, const Shape& shape,
                  const std::vector<float>& data);

}  // namespace munja::graph

#endif  // MUNJA_GRAPH_REWRITE_CONSTANTS_H_
