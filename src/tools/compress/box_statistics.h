// What feature maps are like inside of objects' boxes and outside.
#ifndef MUNJA_COMPRESS_BOX_STATISTICS_H_
#define MUNJA_COMPRESS_BOX_STATISTICS_H_

#include <memory>
#include <span>
#include <vector>

#include "base/status.h"
#include "base/thread_pool.h"
#include "compress/k_means.h"
#include "compress/observe.h"
#include "graph/graph.h"

namespace munja::compress {

// Of an object, in shares of the picture's width and height.
struct Box {
  double left = 0, top = 0, right = 0, bottom = 0;
};

// One run of a model, and where the objects in its picture are.
struct BoxedSample {
  Sample sample;
  std::vector<Box> boxes;
};

// Points of the channels of each value in `maps`, over all samples: mean and
// variance of the elements inside any box, and of those outside. An element is
// inside where its center is. A value without height and width counts as
// inside. Where there is no element, both numbers are 0.
Result<std::vector<std::vector<MapPoint>>> MeasureBoxes(
    const graph::Graph& graph, std::span<const graph::ValueId> maps,
    std::span<const BoxedSample> samples,
    const std::shared_ptr<ThreadPool>& pool);

}  // namespace munja::compress

#endif  // MUNJA_COMPRESS_BOX_STATISTICS_H_
