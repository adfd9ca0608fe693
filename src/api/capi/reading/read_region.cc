#include "capi/reading/read_region.h"

#include <cmath>
#include <string>

namespace munja::capi {

Result<image::ImageView> RegionOf(image::ImageView image,
                                  const int32_t* region) {
  const int64_t left = region[0], top = region[1];
  const int64_t width = region[2], height = region[3];
  if (left == 0 && top == 0 && width == 0 && height == 0) return image;
  if (left < 0 || top < 0 || width < 1 || height < 1 ||
      left + width > image.width || top + height > image.height)
    return InvalidArgument("the region is not inside of the image");
  image.data = image.row(region[1]) + 3 * static_cast<size_t>(left);
  image.width = region[2];
  image.height = region[3];
  return image;
}

Result<std::vector<geometry::Quad>> QuadsOf(const munja_read_options& o) {
  std::vector<geometry::Quad> quads;
  if (o.task != MUNJA_TASK_BOXES) return quads;
  if (o.box_count < 0 || (o.box_count > 0 && o.boxes == nullptr))
    return InvalidArgument("box_count does not fit the boxes");
  for (int32_t i = 0; i < o.box_count; ++i) {
    geometry::Quad& quad = quads.emplace_back();
    for (size_t k = 0; k < 4; ++k) {
      const float* const corner = o.boxes + 8 * static_cast<size_t>(i) + 2 * k;
      if (!std::isfinite(corner[0]) || !std::isfinite(corner[1]))
        return InvalidArgument("box " + std::to_string(i) +
                               " has a corner that is not a number");
      quad[k] = {corner[0] - static_cast<float>(o.region[0]),
                 corner[1] - static_cast<float>(o.region[1])};
    }
  }
  return quads;
}

void MoveBy(int32_t x, int32_t y, document::Document* document) {
  const auto move = [&](geometry::Quad& quad) {
    for (geometry::Point& p : quad) {
      p.x += static_cast<float>(x);
      p.y += static_cast<float>(y);
    }
  };
  for (document::Line& line : document->lines) {
    move(line.polygon);
    for (document::Character& c : line.characters) move(c.polygon);
  }
}

}  // namespace munja::capi
