#include "reading/find/dense_page.h"

#include <algorithm>
#include <vector>

#include "base/median.h"

namespace munja::ocr {
namespace {

// Fewer boxes may be a few small lines in a street scene, or all that is seen
// of a page that is far away.
constexpr size_t kManyBoxes = 12;

// A limit that is less than this times the usual one changes nothing.
constexpr double kWorthwhile = 1.15;

}  // namespace

std::optional<int> DenseLimit(std::span<const TextBox> boxes,
                              const DetectorConfig& config, int page_width,
                              int page_height) {
  const int longer = std::max(page_width, page_height);
  const int most = std::min(config.dense_limit_side, longer);
  const double least = config.limit_side * kWorthwhile;
  if (config.limit_type != LimitType::kMax || boxes.empty() || most < least) {
    return std::nullopt;
  }
  std::vector<float> heights;
  for (const TextBox& box : boxes)
    heights.push_back(geometry::ShorterSide(box.quad));
  const double good =
      longer * config.dense_height / std::max(Median(heights), 1.0f);
  if (good < least) return std::nullopt;
  return good < most ? static_cast<int>(good) : most;
}

bool HighResolutionCounts(std::span<const TextBox> closer,
                          std::span<const TextBox> first) {
  return first.size() >= kManyBoxes || ShowMoreText(closer, first);
}

}  // namespace munja::ocr
