#include "reading/find/boxes.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>

#include "base/control.h"
#include "geometry/contours.h"
#include "geometry/min_area_rect.h"
#include "geometry/offset.h"
#include "geometry/polygon_mean.h"
#include "reading/find/text_regions.h"

namespace munja::ocr {
namespace {

using geometry::Point;
using geometry::Polygon;
using geometry::Quad;

// The boxes of two passes differ a little.
constexpr float kClearlyMore = 1.2f;

// 1 where the map is above the threshold.
void Binarize(const ProbabilityMap& map, float threshold, uint8_t* bitmap) {
  const float* values = map.values.data();
  const size_t count = map.values.size();
  for (size_t i = 0; i < count; ++i) bitmap[i] = values[i] > threshold;
}

// Each pixel takes the maximum of itself and its right, lower and lower-right
// neighbors' mirror images: OpenCV's dilate with a 2x2 kernel, whose anchor is
// the kernel's lower right pixel.
void Dilate(int width, int height, uint8_t* bitmap) {
  for (int y = height - 1; y >= 0; --y) {
    uint8_t* row = bitmap + static_cast<size_t>(y) * width;
    const uint8_t* above = y > 0 ? row - width : row;
    for (int x = width - 1; x >= 0; --x) {
      const int left = std::max(x - 1, 0);
      row[x] = row[x] | row[left] | above[x] | above[left];
    }
  }
}

// The box of one region on the map, or nothing when it is too weak, or falls
// apart as it grows.
Result<std::optional<TextBox>> BoxOfRegion(const ProbabilityMap& map,
                                           const DetectorConfig& config,
                                           const geometry::RotatedRect& rect) {
  const std::optional<TextBox> none;
  const Quad quad = geometry::OrderedQuad(rect);
  const Polygon outline(quad.begin(), quad.end());
  const float score =
      geometry::PolygonMean(map.values.data(), map.width, map.height, outline);
  if (score < config.box_threshold) return none;

  const double distance = static_cast<double>(geometry::Area(quad)) *
                          config.unclip_ratio / geometry::Perimeter(quad);
  MUNJA_ASSIGN_OR_RETURN(const std::vector<Polygon> grown,
                         geometry::Grow(outline, distance));
  if (grown.size() != 1) return none;
  const geometry::RotatedRect grown_rect = geometry::MinAreaRect(grown[0]);
  if (ShortSide(grown_rect) < config.min_side + 2) return none;
  return std::optional(TextBox{geometry::OrderedQuad(grown_rect), score});
}

}  // namespace

Result<std::vector<TextBox>> FindBoxes(const ProbabilityMap& map,
                                       const DetectorConfig& config,
                                       int page_width, int page_height,
                                       BoxMemory* memory) {
  BoxMemory own;
  if (memory == nullptr) memory = &own;
  Buffer& bitmap = memory->bitmap;
  if (bitmap.size() < map.values.size()) {
    bitmap = Buffer();
    MUNJA_ASSIGN_OR_RETURN(bitmap, Buffer::Allocate(map.values.size()));
  }
  Binarize(map, config.threshold, bitmap.data());
  if (config.use_dilation) Dilate(map.width, map.height, bitmap.data());
  MUNJA_ASSIGN_OR_RETURN(
      const geometry::Contours contours,
      geometry::FindContours(
          bitmap.data(), map.width, map.height, static_cast<size_t>(map.width),
          static_cast<size_t>(config.max_candidates), &memory->marks));

  std::vector<TextRegion> regions = RegionsOf(contours, config.min_side);
  if (config.cut_bent)
    MUNJA_RETURN_IF_ERROR(CutBent(map, config.threshold, &regions));
  if (config.align_short)
    AlignShort(config.rules.Has(Rule::kSingleCells), &regions);
  const Placement& place = map.placement;
  std::vector<TextBox> boxes;
  for (const TextRegion& region : regions) {
    MUNJA_RETURN_IF_ERROR(CheckControl());
    MUNJA_ASSIGN_OR_RETURN(std::optional<TextBox> box,
                           BoxOfRegion(map, config, region.rect));
    if (!box) continue;
    for (Point& p : box->quad) {
      p.x = (p.x - place.offset_x) * place.scale_x;
      p.y = (p.y - place.offset_y) * place.scale_y;
    }
    const auto quad = geometry::CutTo(box->quad, page_width, page_height);
    // Beside the page there is only what fills the network's input.
    if (!quad) continue;
    box->quad = *quad;
    boxes.push_back(*box);
  }
  return boxes;
}

bool ShowMoreText(std::span<const TextBox> now,
                  std::span<const TextBox> before) {
  const auto length = [](std::span<const TextBox> boxes) {
    float sum = 0;
    for (const TextBox& box : boxes)
      if (!box.is_low_score) sum += box.score * geometry::LongerSide(box.quad);
    return sum;
  };
  return length(now) > kClearlyMore * length(before);
}

}  // namespace munja::ocr
