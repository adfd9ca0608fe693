#include "reading/read/cropper.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "image/transform.h"

namespace munja::ocr {
using geometry::Quad;

Result<LineImage> CutLine(const image::ImageView& page, const Quad& quad,
                          const RecognizerConfig& config) {
  LineImage line;
  MUNJA_RETURN_IF_ERROR(CutLine(page, quad, config, line));
  return line;
}

Status CutLine(const image::ImageView& page, const Quad& quad,
               const RecognizerConfig& config, LineImage& line) {
  const auto [polygon, width] = PlaceLine(quad, config);
  line.polygon = polygon;
  MUNJA_RETURN_IF_ERROR(line.pixels.Resize(width, config.height));
  std::array<std::array<float, 2>, 4> corners;
  for (int i = 0; i < 4; ++i)
    corners[i] = {line.polygon[i].x, line.polygon[i].y};
  MUNJA_ASSIGN_OR_RETURN(const image::Homography map,
                         image::QuadToRectangle(corners, width, config.height));
  // One interpolation from page to line. Bilinear: small text that is enlarged
  // by a cubic gets halos that the recognizer was not trained on.
  return image::WarpPerspective(page, map, line.pixels,
                                image::Interpolation::kBilinear);
}

void TurnAround(LineImage& line) {
  // Rows are dense: the last pixel of all becomes the first.
  uint8_t* first = line.pixels.row(0);
  uint8_t* last =
      line.pixels.row(line.pixels.height() - 1) + line.pixels.stride() - 3;
  for (; first < last; first += 3, last -= 3)
    std::swap_ranges(first, first + 3, last);
  std::rotate(line.polygon.begin(), line.polygon.begin() + 2,
              line.polygon.end());
}

}  // namespace munja::ocr
