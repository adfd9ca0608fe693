#include "reading/find/low_score_boxes.h"

#include <algorithm>

#include "geometry/rect.h"

namespace munja::ocr {
namespace {

using Rect = geometry::Rect<float>;

// A box of which more than this share lies in another one is a part of that.
constexpr float kMaxCovered = 0.4f;

Rect BoundsOf(const TextBox& box) {
  return geometry::BoundsOf(box.outline ? *box.outline : box.quad);
}

}  // namespace

std::vector<TextBox> TakeLowScore(const DetectorConfig& config,
                                  std::vector<TextBox>* boxes) {
  std::vector<TextBox> low_score;
  for (const TextBox& box : *boxes) {
    if (box.score >= config.box_threshold || box.score < config.faint_threshold)
      continue;
    low_score.push_back(box);
    low_score.back().is_low_score = true;
  }
  std::erase_if(*boxes, [&](const TextBox& box) {
    return box.score < config.box_threshold;
  });
  return low_score;
}

void AddLowScore(const std::vector<TextBox>& low_score,
                 std::vector<TextBox>* boxes) {
  std::vector<Rect> others;
  for (const TextBox& box : *boxes) others.push_back(BoundsOf(box));
  for (const TextBox& box : low_score) {
    const Rect bounds = BoundsOf(box);
    const bool is_covered =
        std::any_of(others.begin(), others.end(), [&](const Rect& other) {
          return Intersection(bounds, other).area() >
                 kMaxCovered * bounds.area();
        });
    if (!is_covered) boxes->push_back(box);
  }
}

}  // namespace munja::ocr
