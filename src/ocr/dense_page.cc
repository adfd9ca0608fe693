#include "ocr/dense_page.h"

#include <algorithm>
#include <vector>

namespace munja::ocr {
namespace {

// A few small lines in a street scene do not make a page.
constexpr size_t kManyBoxes = 12;

// Height of a box in pixels of the detector's input. A box stands out over its
// letters by about a third on each side: below this they are 8 pixels high or
// less and run into those of the next line.
constexpr float kLowBox = 15.0f;

// A limit that the page exceeds by less than this changes nothing.
constexpr double kWorthwhile = 1.15;

float Height(const geometry::Quad& q) {
  return std::min(geometry::Length(q[1] - q[0]), geometry::Length(q[3] - q[0]));
}

}  // namespace

std::optional<int> DenseLimit(std::span<const TextBox> boxes,
                              const DetectorContract& contract, int page_width,
                              int page_height) {
  const int longer = std::max(page_width, page_height);
  const int limit = std::min(contract.dense_limit_side, longer);
  if (contract.limit_type != LimitType::kMax || boxes.size() < kManyBoxes ||
      limit < contract.limit_side * kWorthwhile) {
    return std::nullopt;
  }
  std::vector<float> heights;
  for (const TextBox& box : boxes) heights.push_back(Height(box.quad));
  const auto middle = heights.begin() + heights.size() / 2;
  std::nth_element(heights.begin(), middle, heights.end());
  const float scale =
      static_cast<float>(contract.limit_side) / static_cast<float>(longer);
  if (*middle * scale >= kLowBox) return std::nullopt;
  return limit;
}

}  // namespace munja::ocr
