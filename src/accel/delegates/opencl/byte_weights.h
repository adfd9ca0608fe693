// Int8 weights: the model's own, and quantized float weights.
#ifndef MUNJA_DELEGATES_OPENCL_BYTE_WEIGHTS_H_
#define MUNJA_DELEGATES_OPENCL_BYTE_WEIGHTS_H_

#include <map>
#include <vector>

#include "base/status.h"
#include "graph/graph.h"

namespace munja::delegates::opencl {

// The steps of weights whose values are integer multiples, from -127 to 127, of
// one step per output channel.
struct ByteScales {
  int channel_axis = 0;  // The dimension of the weights that counts outputs.
  std::vector<float> scales;
};
using ScalesOfWeights = std::map<graph::ValueId, ByteScales>;

// Widens int8 weights of layers from float to float to the same values in
// float32. The runtime's own kernels quantize the input of such a layer
// dynamically, which does not concern its weights.
Status WidenWeights(graph::Subgraph& subgraph);
// Rounds float weights to the nearest values that int8 can hold.
Status RoundWeights(graph::Subgraph& subgraph);
// Float weights of layers that int8 holds exactly, because a pass widened them
// from int8 or a normalization scaled them.
Result<ScalesOfWeights> FindByteScales(const graph::Subgraph& subgraph);

}  // namespace munja::delegates::opencl

#endif  // MUNJA_DELEGATES_OPENCL_BYTE_WEIGHTS_H_
