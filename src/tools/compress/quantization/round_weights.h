// Rounding the weights of a linear node to int8.
#ifndef MUNJA_COMPRESS_QUANTIZATION_ROUND_WEIGHTS_H_
#define MUNJA_COMPRESS_QUANTIZATION_ROUND_WEIGHTS_H_

#include "base/status.h"
#include "compress/calibration/second_moments.h"
#include "compress/quantization/assignment.h"
#include "graph/graph.h"

namespace munja::compress {

struct RoundingOptions {
  // Rounds each weight in turn and compensates its error in the remaining
  // weights, as far as their inputs correlate (Frantar et al., "GPTQ",
  // arXiv:2210.17323, after "Optimal Brain Compression", arXiv:2208.11110).
  // Otherwise rounds each to its nearest value.
  bool error_feedback = true;
  // Adds to the bias what rounding takes from the mean of each output (Nagel
  // et al., "Data-Free Quantization", arXiv:1906.04721, with measured means).
  bool correct_bias = true;
};

// Symmetric, one scale for each output channel, -127 to 127. `moments` may be
// null: nearest rounding, no correction. `node` satisfies FindFloatLinearOp.
Result<RoundedLayer> RoundWeights(const graph::Subgraph& subgraph,
                                  const graph::Node& node,
                                  const SecondMoments* moments,
                                  const RoundingOptions& options);

}  // namespace munja::compress

#endif  // MUNJA_COMPRESS_QUANTIZATION_ROUND_WEIGHTS_H_
