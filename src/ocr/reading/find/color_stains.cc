#include "reading/find/color_stains.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "image/gray.h"

namespace munja::ocr {
namespace {

// Pixels to look at, at most, and the side of a place, in pixels of the page
// and of those.
constexpr double kStainSamples = 1 << 16;
constexpr int kPlace = 32, kPlaceSamples = 8;
// One of so many pixels of a place shows what it holds; so do three at least.
constexpr int kOneIn = 100, kLeastShown = 3;
// Channels differ by so much in ink of a color, and by less in dark print,
// which is below this, and in paper, which is above that.
constexpr int kColored = 64, kNeutral = 48, kDark = 110, kLight = 150;
// The parts of the page that are colored, at most, and paper, at least.
constexpr double kMostColored = 0.15, kLeastPaper = 0.5;
// Nearly all of the colored ink is of one hue, a third of the circle.
constexpr double kOneHue = 0.85;
// A stamp meets print at so many places at least, which fill this part of the
// rectangle around them: the fringes of scans and colored words lie all over
// the page.
constexpr size_t kLeastPlaces = 3;
constexpr float kCompact = 0.25f;
// Darker ink cannot be told from print.
constexpr int kLightInk = 150;

// The sixth of the circle of hues, by which channels are larger than the next.
size_t HueOf(const uint8_t* p) {
  constexpr size_t kSixths[] = {0, 5, 1, 0, 3, 4, 2, 0};
  return kSixths[(p[0] >= p[1]) + 2 * (p[1] >= p[2]) + 4 * (p[2] >= p[0])];
}

}  // namespace

ColorStains FindColorStains(const image::ImageView& page) {
  const double pixels = static_cast<double>(page.width) * page.height;
  const int step = std::max(
      1, static_cast<int>(std::ceil(std::sqrt(pixels / kStainSamples))));
  const int side = std::max(kPlace, kPlaceSamples * step);
  struct Place {
    int colored = 0, print = 0;
  };
  std::vector<Place> row(static_cast<size_t>((page.width - 1) / side + 1));
  std::array<int, 6> hues{};
  std::array<uint32_t, 256> levels{};
  int colored = 0, paper = 0, all = 0;
  const int shown = std::max(kLeastShown, side / step * (side / step) / kOneIn);
  ColorStains stains;
  geometry::Rect<float> around = {static_cast<float>(page.width),
                                  static_cast<float>(page.height), 0, 0};
  float area = 0;
  for (int top = 0; top < page.height; top += side) {
    std::fill(row.begin(), row.end(), Place());
    const int bottom = std::min(top + side, page.height);
    for (int y = top; y < bottom; y += step) {
      for (int x = 0; x < page.width; x += step, ++all) {
        const uint8_t* p = page.row(y) + 3 * static_cast<size_t>(x);
        const auto [least, most] = std::minmax({p[0], p[1], p[2]});
        const int chroma = most - least;
        Place& place = row[static_cast<size_t>(x / side)];
        if (chroma > kColored) {
          ++colored;
          ++hues[HueOf(p)];
          ++levels[most];
          ++place.colored;
        } else if (chroma < kNeutral) {
          paper += least > kLight;
          place.print += most < kDark;
        }
      }
    }
    for (size_t i = 0; i < row.size(); ++i) {
      if (row[i].colored < shown || row[i].print < shown) continue;
      const auto left = static_cast<float>(static_cast<int>(i) * side);
      const geometry::Rect<float> place = {left, static_cast<float>(top),
                                           left + static_cast<float>(side),
                                           static_cast<float>(bottom)};
      around = {std::min(around.left, place.left),
                std::min(around.top, place.top),
                std::max(around.right, place.right),
                std::max(around.bottom, place.bottom)};
      area += place.area();
      stains.places.push_back(place);
    }
  }
  int one_hue = 0;
  for (size_t i = 0; i < hues.size(); ++i)
    one_hue = std::max(one_hue, hues[i] + hues[(i + 1) % hues.size()]);
  stains.level = image::LevelOfRank(levels, static_cast<size_t>(colored) / 2);
  if (stains.level < kLightInk || one_hue < kOneHue * colored ||
      colored > kMostColored * all || paper < kLeastPaper * all ||
      stains.places.size() < kLeastPlaces || area < kCompact * around.area())
    stains.places.clear();
  return stains;
}

Result<image::Image> WithoutColor(const image::ImageView& page, int level) {
  MUNJA_ASSIGN_OR_RETURN(image::Image gray,
                         image::Image::Create(page.width, page.height));
  for (int y = 0; y < page.height; ++y) {
    const uint8_t* from = page.row(y);
    uint8_t* to = gray.row(y);
    for (int x = 0; x < page.width; ++x, from += 3, to += 3) {
      const int most = std::max({from[0], from[1], from[2]});
      std::fill_n(to, 3,
                  static_cast<uint8_t>(std::min(255, most * 255 / level)));
    }
  }
  return gray;
}

}  // namespace munja::ocr
