#include "reading/find/line_margins.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>

#include "geometry/rect.h"
#include "image/gray.h"
#include "reading/find/line_place.h"

namespace munja::ocr {
namespace {

using Pixel = std::array<uint8_t, 3>;

// Least difference of ink and ground in a channel, of 255.
constexpr int kLeastInkContrast = 24;
// Margins that stay around the ink, in its heights, as in the crops of pages.
constexpr float kInkMargin = 0.2f;
// An image is read whole unless the ink and its margins are lower than this
// part of it.
constexpr float kEnoughOfImage = 0.75f;
// Ink that is lower than this part of the image is a dash or a dot, the height
// of whose line is not known.
constexpr float kLeastOfImage = 0.1f;

Pixel PixelAt(const image::ImageView& image, int x, int y) {
  const uint8_t* p = image.row(y) + 3 * static_cast<ptrdiff_t>(x);
  return {p[0], p[1], p[2]};
}

// The color of which the rim has as much above as below, by channel.
Pixel GroundOf(const image::ImageView& image) {
  std::array<std::array<uint32_t, 256>, 3> counts{};
  size_t pixels = 0;
  const auto count = [&](int x, int y) {
    const Pixel pixel = PixelAt(image, x, y);
    for (size_t c = 0; c < 3; ++c) ++counts[c][pixel[c]];
    ++pixels;
  };
  for (int x = 0; x < image.width; ++x) {
    count(x, 0);
    count(x, image.height - 1);
  }
  for (int y = 0; y < image.height; ++y) {
    count(0, y);
    count(image.width - 1, y);
  }
  Pixel ground{};
  for (size_t c = 0; c < 3; ++c)
    ground[c] = static_cast<uint8_t>(image::LevelOfRank(counts[c], pixels / 2));
  return ground;
}

// The smallest box of the pixels that differ from the ground by at least half
// of what any does; empty if that is no ink.
geometry::Rect<int> InkBounds(const image::ImageView& image) {
  const Pixel ground = GroundOf(image);
  const auto difference = [&](int x, int y) {
    const Pixel pixel = PixelAt(image, x, y);
    int largest = 0;
    for (size_t c = 0; c < 3; ++c)
      largest = std::max(largest, std::abs(pixel[c] - ground[c]));
    return largest;
  };
  int largest = 0;
  for (int y = 0; y < image.height; ++y)
    for (int x = 0; x < image.width; ++x)
      largest = std::max(largest, difference(x, y));
  if (largest < kLeastInkContrast) return {};
  geometry::Rect<int> ink = {image.width, image.height, 0, 0};
  for (int y = 0; y < image.height; ++y) {
    for (int x = 0; x < image.width; ++x) {
      if (2 * difference(x, y) < largest) continue;
      ink.left = std::min(ink.left, x);
      ink.right = std::max(ink.right, x + 1);
      ink.top = std::min(ink.top, y);
      ink.bottom = y + 1;
    }
  }
  return ink;
}

}  // namespace

geometry::Quad InkBox(const image::ImageView& line,
                      const RecognizerConfig& config) {
  const geometry::Quad whole = WholeImage(line);
  const geometry::Rect<int> ink = InkBounds(line);
  if (ink.area() == 0) return whole;
  const auto width = static_cast<float>(line.width);
  const auto height = static_cast<float>(line.height);
  const bool is_vertical = IsVertical(whole, config);
  const auto size =
      static_cast<float>(is_vertical ? ink.width() : ink.height());
  const float side = is_vertical ? width : height;
  const float margin = kInkMargin * size;
  if (size + 2 * margin >= kEnoughOfImage * side || size < kLeastOfImage * side)
    return whole;
  geometry::Rect<float> box = {static_cast<float>(ink.left) - margin,
                               static_cast<float>(ink.top) - margin,
                               static_cast<float>(ink.right) + margin,
                               static_cast<float>(ink.bottom) + margin};
  if (!is_vertical && box.width() < box.height()) {
    const float missing = (box.height() - box.width()) / 2;
    box.left -= missing;
    box.right += missing;
  }
  box = Intersection(box, {0, 0, width, height});
  return geometry::CornersOf(box);
}

}  // namespace munja::ocr
