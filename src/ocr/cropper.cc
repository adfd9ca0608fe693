#include "ocr/cropper.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "image/resize.h"
#include "image/transform.h"

namespace munja::ocr {
namespace {

using geometry::Length;
using geometry::Quad;

// The polygon's points `steps` further on: the start of the text moves.
void StartAt(int steps, Quad& quad) {
  std::rotate(quad.begin(), quad.begin() + steps, quad.end());
}

Result<LineImage> Scale(image::Image crop, const Quad& polygon,
                        const RecognizerContract& contract) {
  LineImage line;
  line.polygon = polygon;
  if (crop.height() >= contract.tall_ratio * crop.width()) {
    MUNJA_ASSIGN_OR_RETURN(crop, image::Rotate(crop.view(), 3));
    // The top of the tall crop is the left of the line: its right edge is
    // where the text has its top.
    StartAt(1, line.polygon);
  }
  const double ratio = static_cast<double>(crop.width()) / crop.height();
  const int width = static_cast<int>(
      std::clamp(std::ceil(contract.height * ratio), 1.0, 65535.0));
  if (width == crop.width() && contract.height == crop.height()) {
    line.pixels = std::move(crop);
    return line;
  }
  MUNJA_ASSIGN_OR_RETURN(line.pixels,
                         image::Image::Create(width, contract.height));
  MUNJA_RETURN_IF_ERROR(image::Resize(crop.view(), line.pixels));
  return line;
}

}  // namespace

Result<LineImage> CutLine(const image::ImageView& page, const Quad& quad,
                          const RecognizerContract& contract) {
  const float across =
      std::max(Length(quad[1] - quad[0]), Length(quad[2] - quad[3]));
  const float down =
      std::max(Length(quad[3] - quad[0]), Length(quad[2] - quad[1]));
  const int width = static_cast<int>(std::clamp(across, 1.0f, 65535.0f));
  const int height = static_cast<int>(std::clamp(down, 1.0f, 65535.0f));
  MUNJA_ASSIGN_OR_RETURN(image::Image crop,
                         image::Image::Create(width, height));
  std::array<std::array<float, 2>, 4> corners;
  for (int i = 0; i < 4; ++i) corners[i] = {quad[i].x, quad[i].y};
  MUNJA_ASSIGN_OR_RETURN(const image::Homography map,
                         image::QuadToRectangle(corners, width, height));
  MUNJA_RETURN_IF_ERROR(
      image::WarpPerspective(page, map, crop, image::Interpolation::kBicubic));
  return Scale(std::move(crop), quad, contract);
}

Result<LineImage> WholeLine(const image::ImageView& picture,
                            const RecognizerContract& contract) {
  MUNJA_ASSIGN_OR_RETURN(image::Image copy, image::Rotate(picture, 0));
  const float w = static_cast<float>(picture.width);
  const float h = static_cast<float>(picture.height);
  const Quad polygon = {{{0, 0}, {w, 0}, {w, h}, {0, h}}};
  return Scale(std::move(copy), polygon, contract);
}

Status TurnAround(LineImage& line) {
  MUNJA_ASSIGN_OR_RETURN(line.pixels, image::Rotate(line.pixels.view(), 2));
  StartAt(2, line.polygon);
  return Status();
}

}  // namespace munja::ocr
