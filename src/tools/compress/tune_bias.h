// Moves biases so that what the integer layers give out has the mean that it
// has in float.
#ifndef MUNJA_COMPRESS_TUNE_BIAS_H_
#define MUNJA_COMPRESS_TUNE_BIAS_H_

#include <memory>
#include <span>

#include "base/status.h"
#include "base/thread_pool.h"
#include "compress/assignment.h"
#include "compress/observe.h"
#include "graph/graph.h"

namespace munja::compress {

// From the first layer to the last, since each sees what those before it make
// (Nagel et al., "Data-Free Quantization through Weight Equalization and Bias
// Correction", arXiv:1906.04721, section 4.2, on calibration data). Layers with
// an activation are left alone: their mean says too little about their sum's.
Status TuneBias(const graph::Graph& prepared, std::span<const Sample> samples,
                const std::shared_ptr<ThreadPool>& pool,
                Assignment* assignment);

}  // namespace munja::compress

#endif  // MUNJA_COMPRESS_TUNE_BIAS_H_
