#include "reading/read/cropper.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
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

// Where a line lies in its box, and how wide it is at the network's height.
struct LinePlace {
  Quad polygon;
  int width = 1;
};

float Across(const Quad& quad) {
  return std::max(Length(quad[1] - quad[0]), Length(quad[2] - quad[3]));
}
float Down(const Quad& quad) {
  return std::max(Length(quad[3] - quad[0]), Length(quad[2] - quad[1]));
}

LinePlace Place(const Quad& quad, const RecognizerContract& contract) {
  LinePlace place{quad};
  float across = Across(quad);
  float down = Down(quad);
  if (IsOnEnd(quad, contract)) {
    // The top of the tall box is the left of the line: its right edge is
    // where the text has its top.
    StartAt(1, place.polygon);
    std::swap(across, down);
  }
  const double ratio = static_cast<double>(std::max(across, 1.0f)) /
                       static_cast<double>(std::max(down, 1.0f));
  place.width = static_cast<int>(
      std::clamp(std::ceil(contract.height * ratio), 1.0, 65535.0));
  return place;
}

}  // namespace

bool IsOnEnd(const Quad& quad, const RecognizerContract& contract) {
  return Down(quad) >= contract.tall_ratio * Across(quad);
}

int LineWidth(const Quad& quad, const RecognizerContract& contract) {
  return Place(quad, contract).width;
}

Result<LineImage> CutLine(const image::ImageView& page, const Quad& quad,
                          const RecognizerContract& contract) {
  LineImage line;
  MUNJA_RETURN_IF_ERROR(CutLine(page, quad, contract, line));
  return line;
}

Status CutLine(const image::ImageView& page, const Quad& quad,
               const RecognizerContract& contract, LineImage& line) {
  const auto [polygon, width] = Place(quad, contract);
  line.polygon = polygon;
  MUNJA_RETURN_IF_ERROR(line.pixels.Resize(width, contract.height));
  std::array<std::array<float, 2>, 4> corners;
  for (int i = 0; i < 4; ++i)
    corners[i] = {line.polygon[i].x, line.polygon[i].y};
  MUNJA_ASSIGN_OR_RETURN(
      const image::Homography map,
      image::QuadToRectangle(corners, width, contract.height));
  // One interpolation from page to line. Bilinear: small text that is enlarged
  // by a cubic gets halos that the recognizer was not trained on.
  return image::WarpPerspective(page, map, line.pixels,
                                image::Interpolation::kBilinear);
}

Quad WholePicture(const image::ImageView& picture) {
  const float w = static_cast<float>(picture.width);
  const float h = static_cast<float>(picture.height);
  return {{{0, 0}, {w, 0}, {w, h}, {0, h}}};
}

void TurnAround(LineImage& line) {
  // Rows are dense: the last pixel of all becomes the first.
  uint8_t* first = line.pixels.row(0);
  uint8_t* last =
      line.pixels.row(line.pixels.height() - 1) + line.pixels.stride() - 3;
  for (; first < last; first += 3, last -= 3)
    std::swap_ranges(first, first + 3, last);
  StartAt(2, line.polygon);
}

}  // namespace munja::ocr
