// Adjusts biases so that the outputs of integer layers have the same mean as in
// float.
#ifndef MUNJA_COMPRESS_QUANTIZATION_TUNE_BIAS_H_
#define MUNJA_COMPRESS_QUANTIZATION_TUNE_BIAS_H_

#include <memory>
#include <span>

#include "base/status.h"
#include "base/thread_pool.h"
#include "compress/calibration/observe.h"
#include "compress/quantization/assignment.h"
#include "graph/graph.h"

namespace munja::compress {

// Goes from the first layer to the last, since each sees the outputs of those
// before it (Nagel et al., "Data-Free Quantization through Weight Equalization
// and Bias Correction", arXiv:1906.04721, section 4.2, on calibration data).
// Layers with an activation are left unchanged: their mean says too little
// about the mean of their accumulators.
Status TuneBias(const graph::Graph& prepared, std::span<const Sample> samples,
                const std::shared_ptr<ThreadPool>& pool,
                Assignment* assignment);

}  // namespace munja::compress

#endif  // MUNJA_COMPRESS_QUANTIZATION_TUNE_BIAS_H_
