#include "pruning_study/yolo_assignment.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

#include "pruning_study/yolo_boxes.h"

namespace munja::train {
namespace {

// An object is learned by at most so many predictions.
constexpr size_t kMostMatches = 10;
constexpr float kOverlapWeight = 3;
constexpr float kTiny = 1e-6f;

float Sigmoid(float x) { return 1 / (1 + std::exp(-x)); }

struct Candidate {
  YoloMatch place;
  ObjectBox box;    // Predicted.
  float score = 0;  // Score of the first kind.
};

bool Fits(const ObjectBox& object, const std::array<float, 2>& anchor) {
  const float w = object.width() / anchor[0], h = object.height() / anchor[1];
  return std::max({w, 1 / w, h, 1 / h}) < kLargestRatio;
}

// The cells of one object on one level, as row and column.
std::vector<std::array<int, 2>> Cells(const ObjectBox& object, float stride,
                                      const YoloMap& map) {
  const float x = (object.left + object.right) / 2 / stride;
  const float y = (object.top + object.bottom) / 2 / stride;
  const int column = static_cast<int>(x), row = static_cast<int>(y);
  const int across = x - static_cast<float>(column) < 0.5f ? -1 : 1;
  const int down = y - static_cast<float>(row) < 0.5f ? -1 : 1;
  std::vector<std::array<int, 2>> cells;
  for (const auto& [r, c] :
       {std::array{row, column}, {row, column + across}, {row + down, column}})
    if (r >= 0 && r < map.height && c >= 0 && c < map.width)
      cells.push_back({r, c});
  return cells;
}

Candidate Predict(const YoloMap& map, const YoloMatch& place, int classes,
                  int side) {
  const int plane = map.height * map.width;
  const int first = place.anchor * (kYoloBoxFields + classes);
  const auto field = [&](int f) {
    return Sigmoid(
        map.logits[(first + f) * plane + place.row * map.width + place.column]);
  };
  const auto stride =
      static_cast<float>(kYoloStrides[static_cast<size_t>(place.level)]);
  const auto anchor = AnchorSize(place.level, place.anchor, side);
  const float x = (2 * field(0) - 0.5f + static_cast<float>(place.column));
  const float y = (2 * field(1) - 0.5f + static_cast<float>(place.row));
  const float w = 4 * field(2) * field(2) * anchor[0];
  const float h = 4 * field(3) * field(3) * anchor[1];
  Candidate c;
  c.place = place;
  c.box = {x * stride - w / 2, y * stride - h / 2, x * stride + w / 2,
           y * stride + h / 2};
  c.score = field(4) * (classes > 1 ? field(kYoloBoxFields) : 1.0f);
  return c;
}

std::vector<Candidate> Candidates(const std::array<YoloMap, kYoloLevels>& maps,
                                  int classes, int side,
                                  std::span<const ObjectBox> objects) {
  std::map<std::tuple<int, int, int, int>, YoloMatch> places;
  for (size_t o = 0; o < objects.size(); ++o) {
    for (int level = 0; level < kYoloLevels; ++level) {
      const auto l = static_cast<size_t>(level);
      const auto stride = static_cast<float>(kYoloStrides[l]);
      for (int a = 0; a < kYoloAnchors; ++a) {
        if (!Fits(objects[o], AnchorSize(level, a, side))) continue;
        for (const auto& [row, column] : Cells(objects[o], stride, maps[l]))
          places[{level, a, row, column}] = {level, a, row, column,
                                             static_cast<int>(o)};
      }
    }
  }
  std::vector<Candidate> found;
  for (const auto& [key, place] : places)
    found.push_back(
        Predict(maps[static_cast<size_t>(place.level)], place, classes, side));
  return found;
}

}  // namespace

std::vector<YoloMatch> AssignObjects(
    const std::array<YoloMap, kYoloLevels>& maps, int classes, int side,
    std::span<const ObjectBox> objects) {
  std::vector<Candidate> candidates = Candidates(maps, classes, side, objects);
  std::vector<float> least(candidates.size(), INFINITY);
  std::vector<int> owner(candidates.size(), -1);
  for (size_t o = 0; o < objects.size(); ++o) {
    std::vector<float> overlaps, costs;
    for (const Candidate& c : candidates) {
      const float overlap = IntersectionOverUnion(c.box, objects[o]);
      overlaps.push_back(overlap);
      costs.push_back(-std::log(std::max(kTiny, std::sqrt(c.score))) -
                      kOverlapWeight * std::log(overlap + kTiny));
    }
    std::vector<float> best = overlaps;
    std::sort(best.begin(), best.end(), std::greater<>());
    best.resize(std::min(best.size(), kMostMatches));
    const float sum = std::accumulate(best.begin(), best.end(), 0.0f);
    std::vector<size_t> order(candidates.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return costs[a] < costs[b]; });
    order.resize(
        std::min(order.size(), std::max<size_t>(1, static_cast<size_t>(sum))));
    for (const size_t i : order) {
      if (costs[i] >= least[i]) continue;
      least[i] = costs[i];
      owner[i] = static_cast<int>(o);
    }
  }
  std::vector<YoloMatch> matches;
  for (size_t i = 0; i < candidates.size(); ++i) {
    if (owner[i] < 0) continue;
    matches.push_back(candidates[i].place);
    matches.back().object = owner[i];
  }
  return matches;
}

}  // namespace munja::train
