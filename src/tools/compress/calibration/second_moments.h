// Second moments of what the weights of a linear node are multiplied with: how
// errors of single weights add up to errors of the node's output.
#ifndef MUNJA_COMPRESS_CALIBRATION_SECOND_MOMENTS_H_
#define MUNJA_COMPRESS_CALIBRATION_SECOND_MOMENTS_H_

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/status.h"
#include "compress/calibration/observe.h"
#include "graph/graph.h"

namespace munja::compress {

// For patches x of `size` inputs, in the order of the weights of one output.
struct SecondMoments {
  size_t size = 0;    // Weights of one output.
  size_t groups = 0;  // 1, or the channels of a depthwise node.
  int64_t patches = 0;
  // groups x size x size: sums of x * x'. The upper triangle is filled: the
  // lower is its mirror. Empty if not requested.
  std::vector<float> products;
  std::vector<double> sums;  // groups x size.
};

// Per node; for CONV_2D without groups, DEPTHWISE_CONV_2D with one output for
// each input, and FULLY_CONNECTED, from at most `patches` positions of each
// sample. Nodes with more than `max_size` weights per output are omitted.
// Products take most of the time; without them there are only means.
Result<std::vector<std::optional<SecondMoments>>> CollectSecondMoments(
    const graph::Graph& graph, std::span<const Sample> samples,
    const std::shared_ptr<ThreadPool>& pool, int patches, size_t max_size,
    bool with_products);

}  // namespace munja::compress

#endif  // MUNJA_COMPRESS_CALIBRATION_SECOND_MOMENTS_H_
