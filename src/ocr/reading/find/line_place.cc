#include "reading/find/line_place.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace munja::ocr {
namespace {

using geometry::Length;
using geometry::Quad;

// Heights of a line in which there are enough letters to see which way they
// stand.
constexpr int kEnoughHeights = 5;

float Across(const Quad& quad) {
  return std::max(Length(quad[1] - quad[0]), Length(quad[2] - quad[3]));
}
float Down(const Quad& quad) {
  return std::max(Length(quad[3] - quad[0]), Length(quad[2] - quad[1]));
}

}  // namespace

LinePlace PlaceLine(const Quad& quad, const RecognizerConfig& config) {
  LinePlace place{quad};
  float across = Across(quad);
  float down = Down(quad);
  if (IsVertical(quad, config)) {
    // The top of the tall box is the left of the line: its right edge is
    // where the text has its top.
    std::rotate(place.polygon.begin(), place.polygon.begin() + 1,
                place.polygon.end());
    std::swap(across, down);
  }
  const double ratio = static_cast<double>(std::max(across, 1.0f)) /
                       static_cast<double>(std::max(down, 1.0f));
  place.width = static_cast<int>(
      std::clamp(std::ceil(config.height * ratio), 1.0, 65535.0));
  return place;
}

bool IsVertical(const Quad& quad, const RecognizerConfig& config) {
  return Down(quad) >= config.tall_ratio * Across(quad);
}

int LineWidth(const Quad& quad, const RecognizerConfig& config) {
  return PlaceLine(quad, config).width;
}

Quad WholeImage(const image::ImageView& image) {
  const float w = static_cast<float>(image.width);
  const float h = static_cast<float>(image.height);
  return {{{0, 0}, {w, 0}, {w, h}, {0, h}}};
}

bool IsBetterSample(int a, int b, int height) {
  const int enough = kEnoughHeights * height;
  if ((a >= enough) != (b >= enough)) return a >= enough;
  return a >= enough ? a < b : a > b;
}

}  // namespace munja::ocr
