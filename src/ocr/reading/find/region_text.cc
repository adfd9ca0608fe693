#include "reading/find/region_text.h"

namespace munja::ocr {
namespace {

// Pixels looked at, in those of the map.
constexpr size_t kMaxLooks = 8;

}  // namespace

bool RegionText::Fill(const geometry::Polygon& border) {
  if (looks_ >= kMaxLooks * map_.values.size()) return false;
  std::vector<geometry::PixelPoint> outline;
  outline.reserve(border.size());
  for (const geometry::Point& p : border)
    outline.push_back({static_cast<int32_t>(std::lround(p.x)),
                       static_cast<int32_t>(std::lround(p.y))});
  spans_ = geometry::FillPolygon(outline, map_.width, map_.height);
  for (const geometry::PixelSpan& span : spans_)
    looks_ += static_cast<size_t>(span.end - span.begin);
  return true;
}

}  // namespace munja::ocr
