#include "pruning_study/yolo_boxes.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace munja::train {

std::array<float, 2> AnchorSize(int level, int anchor, int side) {
  const auto& sizes = kPublishedAnchors[static_cast<size_t>(level)];
  const float scale = static_cast<float>(side) / kAnchorSide;
  return {sizes[static_cast<size_t>(2 * anchor)] * scale,
          sizes[static_cast<size_t>(2 * anchor + 1)] * scale};
}

void DecodeLevel(int level, std::span<const float> values, int height,
                 int width, int classes, int side, float least_score,
                 std::vector<DetectedObject>* objects) {
  const auto stride =
      static_cast<float>(kYoloStrides[static_cast<size_t>(level)]);
  const float* p = values.data();
  for (int row = 0; row < height; ++row) {
    for (int column = 0; column < width; ++column) {
      for (int a = 0; a < kYoloAnchors; ++a, p += kYoloBoxFields + classes) {
        const float* kinds = p + kYoloBoxFields;
        const float* best = std::max_element(kinds, kinds + classes);
        // One kind: objectness says it all.
        const float score = classes == 1 ? p[4] : p[4] * *best;
        if (score < least_score) continue;
        const auto [anchor_width, anchor_height] = AnchorSize(level, a, side);
        const float x = (2 * p[0] - 0.5f + static_cast<float>(column)) * stride;
        const float y = (2 * p[1] - 0.5f + static_cast<float>(row)) * stride;
        const float w = 4 * p[2] * p[2] * anchor_width;
        const float h = 4 * p[3] * p[3] * anchor_height;
        objects->push_back({{x - w / 2, y - h / 2, x + w / 2, y + h / 2},
                            score,
                            static_cast<int>(best - kinds)});
      }
    }
  }
}

std::vector<DetectedObject> SuppressOverlaps(
    std::vector<DetectedObject> objects, float overlap) {
  std::stable_sort(
      objects.begin(), objects.end(),
      [](const auto& a, const auto& b) { return a.score > b.score; });
  std::vector<DetectedObject> kept;
  for (const DetectedObject& object : objects) {
    const bool is_covered =
        std::any_of(kept.begin(), kept.end(), [&](const DetectedObject& k) {
          return k.kind == object.kind &&
                 IntersectionOverUnion(k.box, object.box) > overlap;
        });
    if (!is_covered) kept.push_back(object);
  }
  return kept;
}

double AveragePrecision(std::span<const ObjectResult> results, float overlap) {
  struct Row {
    float score;
    bool is_right;
  };
  std::vector<Row> rows;
  size_t truths = 0;
  for (const ObjectResult& result : results) {
    truths += result.truth.size();
    std::vector<bool> is_taken(result.truth.size(), false);
    std::vector<DetectedObject> found = result.found;
    std::stable_sort(
        found.begin(), found.end(),
        [](const auto& a, const auto& b) { return a.score > b.score; });
    for (const DetectedObject& object : found) {
      size_t best = result.truth.size();
      float most = overlap;
      for (size_t i = 0; i < result.truth.size(); ++i) {
        const float iou = IntersectionOverUnion(object.box, result.truth[i]);
        if (is_taken[i] || iou < most) continue;
        most = iou;
        best = i;
      }
      const bool is_right = best < result.truth.size();
      if (is_right) is_taken[best] = true;
      rows.push_back({object.score, is_right});
    }
  }
  if (truths == 0) return 0;
  std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
    return a.score > b.score;
  });
  // Precision at each right box, from the last to the first.
  std::vector<double> precisions;
  double right = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    if (!rows[i].is_right) continue;
    ++right;
    precisions.push_back(right / static_cast<double>(i + 1));
  }
  double area = 0, best = 0;
  for (size_t i = precisions.size(); i-- > 0;) {
    best = std::max(best, precisions[i]);
    area += best;
  }
  return area / static_cast<double>(truths);
}

}  // namespace munja::train
