#include "compress/pruning/box_statistics.h"

#include <algorithm>
#include <map>
#include <utility>

namespace munja::compress {
namespace {

struct MapSums {
  double count = 0;
  std::vector<double> sum, squares;  // By channel.

  void Add(const float* x, size_t channels) {
    sum.resize(channels);
    squares.resize(channels);
    for (size_t c = 0; c < channels; ++c) {
      const double value = x[c];
      sum[c] += value;
      squares[c] += value * value;
    }
    ++count;
  }
  std::pair<double, double> MeanAndVariance(size_t channel) const {
    if (count == 0) return {0, 0};
    const double mean = sum[channel] / count;
    return {mean, std::max(0.0, squares[channel] / count - mean * mean)};
  }
};

bool IsInside(const std::vector<Box>& boxes, double x, double y) {
  return std::any_of(boxes.begin(), boxes.end(), [&](const Box& box) {
    return x >= box.left && x < box.right && y >= box.top && y < box.bottom;
  });
}

}  // namespace

Result<std::vector<std::vector<MapPoint>>> MeasureBoxes(
    const graph::Graph& graph, std::span<const graph::ValueId> maps,
    std::span<const BoxedSample> samples,
    const std::shared_ptr<ThreadPool>& pool) {
  std::vector<Sample> plain;
  for (const BoxedSample& s : samples) plain.push_back(s.sample);
  struct Row {
    MapSums inside, outside;
    size_t channels = 0;
  };
  std::map<graph::ValueId, Row> rows;
  MUNJA_RETURN_IF_ERROR(Observe(
      graph, maps, plain, pool,
      [&](size_t i, graph::ValueId v, const TensorView& view) -> Status {
        const Shape& shape = view.shape;
        if (shape.rank() == 0 || shape.elements() <= 0) return Status();
        Row& row = rows[v];
        const auto channels = static_cast<size_t>(shape.back());
        if (row.channels != 0 && row.channels != channels)
          return Unsupported("the number of channels changes with the input");
        row.channels = channels;
        const bool is_map = shape.rank() == 4;
        const int64_t height = is_map ? shape[1] : 1;
        const int64_t width = is_map ? shape[2] : 1;
        const int64_t count = shape.elements() / static_cast<int64_t>(channels);
        const float* x = view.as<float>();
        for (int64_t k = 0; k < count; ++k, x += channels) {
          const double across = static_cast<double>(k % width) + 0.5;
          const double down = static_cast<double>(k / width % height) + 0.5;
          const bool inside =
              !is_map ||
              IsInside(samples[i].boxes, across / static_cast<double>(width),
                       down / static_cast<double>(height));
          (inside ? row.inside : row.outside).Add(x, channels);
        }
        return Status();
      }));
  std::vector<std::vector<MapPoint>> points;
  for (const graph::ValueId v : maps) {
    const Row& row = rows[v];
    std::vector<MapPoint>& list = points.emplace_back();
    for (size_t c = 0; c < row.channels; ++c) {
      const auto [mean, variance] = row.inside.MeanAndVariance(c);
      const auto [around, spread] = row.outside.MeanAndVariance(c);
      list.push_back({mean, variance, around, spread});
    }
  }
  return points;
}

}  // namespace munja::compress
