#include "ocr/dense_page.h"

#include <algorithm>
#include <vector>

#include "base/median.h"

namespace munja::ocr {
namespace {

// A few small lines in a street scene do not make a page.
constexpr size_t kManyBoxes = 12;

// The height that the lines of a page should have in pixels of the detector's
// input. A box stands out over its letters by about two fifths on each side, so
// these are 10 pixels high and stay apart from those of the next line. More
// pixels take more time, in the square, and find no more text.
constexpr double kGoodHeight = 18;

// A limit that is less than this times the usual one changes nothing.
constexpr double kWorthwhile = 1.15;

float Height(const geometry::Quad& q) {
  return std::min(geometry::Length(q[1] - q[0]), geometry::Length(q[3] - q[0]));
}

}  // namespace

std::optional<int> DenseLimit(std::span<const TextBox> boxes,
                              const DetectorContract& contract, int page_width,
                              int page_height) {
  const int longer = std::max(page_width, page_height);
  const int most = std::min(contract.dense_limit_side, longer);
  const double least = contract.limit_side * kWorthwhile;
  if (contract.limit_type != LimitType::kMax || boxes.size() < kManyBoxes ||
      most < least) {
    return std::nullopt;
  }
  std::vector<float> heights;
  for (const TextBox& box : boxes) heights.push_back(Height(box.quad));
  const double good = longer * kGoodHeight / std::max(Median(heights), 1.0f);
  if (good < least) return std::nullopt;
  return good < most ? static_cast<int>(good) : most;
}

}  // namespace munja::ocr
