// Equalization: brings the channels of an activation to similar ranges, so that
// one scale fits all of them.
#ifndef MUNJA_COMPRESS_QUANTIZATION_EQUALIZE_H_
#define MUNJA_COMPRESS_QUANTIZATION_EQUALIZE_H_

#include <vector>

#include "base/status.h"
#include "compress/calibration/observe.h"
#include "graph/graph.h"

namespace munja::compress {

struct EqualizationReport {
  int groups = 0;       // Sets of activations that were rescaled.
  double widest = 1.0;  // Largest factor between two channels of one.
};

// Divides a channel of an activation by a factor and multiplies the weights
// that read it by the same, wherever everything between the layers that write
// and read it is homogeneous (Nagel et al., "Data-Free Quantization",
// arXiv:1906.04721; here with measured ranges, and across additions, gates,
// pooling and resizing). The graph computes the same up to rounding.
// `statistics` are per value, with channel peaks.
Result<EqualizationReport> Equalize(
    const std::vector<ValueStatistics>& statistics, graph::Graph* graph);

}  // namespace munja::compress

#endif  // MUNJA_COMPRESS_QUANTIZATION_EQUALIZE_H_
