#include "ocr/cropper.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "image/transform.h"

namespace munja::ocr {
namespace {

using geometry::Length;
using geometry::Quad;

// The polygon's points `steps` further on: the start of the text moves.
void StartAt(int steps, Quad& quad) {
  std::rotate(quad.begin(), quad.begin() + steps, quad.end());
}

}  // namespace

Result<LineImage> CutLine(const image::ImageView& page, const Quad& quad,
                          const RecognizerContract& contract) {
  LineImage line;
  line.polygon = quad;
  float across = std::max(Length(quad[1] - quad[0]), Length(quad[2] - quad[3]));
  float down = std::max(Length(quad[3] - quad[0]), Length(quad[2] - quad[1]));
  if (down >= contract.tall_ratio * across) {
    // The top of the tall box is the left of the line: its right edge is
    // where the text has its top.
    StartAt(1, line.polygon);
    std::swap(across, down);
  }
  const double ratio = static_cast<double>(std::max(across, 1.0f)) /
                       static_cast<double>(std::max(down, 1.0f));
  const int width = static_cast<int>(
      std::clamp(std::ceil(contract.height * ratio), 1.0, 65535.0));
  MUNJA_ASSIGN_OR_RETURN(line.pixels,
                         image::Image::Create(width, contract.height));
  std::array<std::array<float, 2>, 4> corners;
  for (int i = 0; i < 4; ++i)
    corners[i] = {line.polygon[i].x, line.polygon[i].y};
  MUNJA_ASSIGN_OR_RETURN(
      const image::Homography map,
      image::QuadToRectangle(corners, width, contract.height));
  // One interpolation from page to line. Bilinear: small text that is enlarged
  // by a cubic gets halos that the recognizer was not trained on.
  MUNJA_RETURN_IF_ERROR(image::WarpPerspective(
      page, map, line.pixels, image::Interpolation::kBilinear));
  return line;
}

Quad WholePicture(const image::ImageView& picture) {
  const float w = static_cast<float>(picture.width);
  const float h = static_cast<float>(picture.height);
  return {{{0, 0}, {w, 0}, {w, h}, {0, h}}};
}

Status TurnAround(LineImage& line) {
  MUNJA_ASSIGN_OR_RETURN(line.pixels, image::Rotate(line.pixels.view(), 2));
  StartAt(2, line.polygon);
  return Status();
}

}  // namespace munja::ocr
