// Statistics of feature maps inside and outside of the boxes of objects.
#ifndef MUNJA_COMPRESS_PRUNING_BOX_STATISTICS_H_
#define MUNJA_COMPRESS_PRUNING_BOX_STATISTICS_H_

#include <memory>
#include <span>
#include <vector>

#include "base/status.h"
#include "base/thread_pool.h"
#include "compress/calibration/observe.h"
#include "compress/pruning/k_means.h"
#include "graph/graph.h"

namespace munja::compress {

// The box of an object, in fractions of the image's width and height.
struct Box {
  double left = 0, top = 0, right = 0, bottom = 0;
};

// One sample, and the boxes of the objects in its image.
struct BoxedSample {
  Sample sample;
  std::vector<Box> boxes;
};

// Mean and variance of each channel of the values in `maps`, over all samples,
// of the elements inside any box and of those outside. An element is inside if
// its center is. A value without height and width counts as inside. Where there
// is no element, both are 0.
Result<std::vector<std::vector<MapPoint>>> MeasureBoxes(
    const graph::Graph& graph, std::span<const graph::ValueId> maps,
    std::span<const BoxedSample> samples,
    const std::shared_ptr<ThreadPool>& pool);

}  // namespace munja::compress

#endif  // MUNJA_COMPRESS_PRUNING_BOX_STATISTICS_H_
