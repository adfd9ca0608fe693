// Weights of 8 bits: those that a model has, and those that floats become.
#ifndef MUNJA_DELEGATES_OPENCL_BYTE_WEIGHTS_H_
#define MUNJA_DELEGATES_OPENCL_BYTE_WEIGHTS_H_

#include <map>
#include <vector>

#include "base/status.h"
#include "graph/graph.h"

namespace munja::delegates::opencl {

// Of weights whose numbers are all whole multiples, from -127 to 127, of a step
// that their output channel has: these steps.
struct ByteScales {
  int channel_axis = 0;  // The dimension of the weights that counts outputs.
  std::vector<float> scales;
};
using ScalesOfWeights = std::map<graph::ValueId, ByteScales>;

// Layers from float to float with weights of int8 get the same numbers as
// float32. The runtime's own kernels round what such a layer reads to 8 bits in
// each run, which says nothing about its weights.
Status WidenWeights(graph::Subgraph& subgraph);
// Weights of float become the nearest ones that bytes can hold.
Status RoundWeights(graph::Subgraph& subgraph);
// Constants of float that layers multiply by, where bytes hold them, whatever
// they were before: int8 that a pass widened, or scaled by a normalization.
Result<ScalesOfWeights> FindByteScales(const graph::Subgraph& subgraph);

}  // namespace munja::delegates::opencl

#endif  // MUNJA_DELEGATES_OPENCL_BYTE_WEIGHTS_H_
