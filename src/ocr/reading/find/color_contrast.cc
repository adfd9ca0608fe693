#include "reading/find/color_contrast.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace munja::ocr {
namespace {

// Networks read well where brightness varies by this, of 255.
constexpr int kEnoughBrightness = 80;
// Another measure must vary so many times as much to be worth a look.
constexpr int kMoreByColor = 2;
// Pixels to look at, about.
constexpr int64_t kContrastSamples = 1 << 15;
// Specks: what one of so many pixels differs by is no contrast.
constexpr int kOneOf = 2000;

// A measure of a pixel, (r * red + g * green + b * blue) / parts. A
// difference lies between -255 and 255.
struct PixelMeasure {
  int red, green, blue, parts;
  int Of(const uint8_t* p) const {
    return (red * p[0] + green * p[1] + blue * p[2]) / parts;
  }
};
constexpr PixelMeasure kBrightness = {1, 2, 1, 4};
constexpr PixelMeasure kColors[] = {{1, 0, 0, 1},  {0, 1, 0, 1},
                                    {0, 0, 1, 1},  {1, -1, 0, 1},
                                    {0, 1, -1, 1}, {1, 0, -1, 1}};

// The levels between which nearly all pixels lie, and the middle one.
struct Levels {
  int low = 0, middle = 0, high = 0;
  int range() const { return high - low; }
};

class LevelCounts {
 public:
  void Add(int level) {
    ++counts_[static_cast<size_t>(level + 255)];
    ++all_;
  }
  Levels Get() const {
    return {At(all_ / kOneOf), At(all_ / 2), At(all_ - 1 - all_ / kOneOf)};
  }

 private:
  int At(int64_t rank) const {
    size_t i = 0;
    while (i + 1 < counts_.size() && (rank -= counts_[i]) >= 0) ++i;
    return static_cast<int>(i) - 255;
  }

  std::array<int, 511> counts_{};
  int64_t all_ = 0;
};

Levels Measured(const image::ImageView& page, const PixelMeasure& measure) {
  const int64_t pixels = int64_t{page.width} * page.height;
  int step = 1;
  while (pixels / (int64_t{step} * step) > kContrastSamples) ++step;
  LevelCounts counts;
  for (int y = step / 2; y < page.height; y += step) {
    const uint8_t* const row = page.row(y);
    for (int x = step / 2; x < page.width; x += step)
      counts.Add(measure.Of(row + 3 * static_cast<size_t>(x)));
  }
  return counts.Get();
}

}  // namespace

Result<std::optional<image::Image>> ContrastByColor(
    const image::ImageView& page) {
  const int brightness = Measured(page, kBrightness).range();
  if (brightness >= kEnoughBrightness) return std::optional<image::Image>();
  PixelMeasure best = kBrightness;
  Levels levels;
  for (const PixelMeasure& measure : kColors) {
    const Levels other = Measured(page, measure);
    if (other.range() <= levels.range()) continue;
    best = measure;
    levels = other;
  }
  if (levels.range() < std::max(kMoreByColor * brightness, kEnoughBrightness))
    return std::optional<image::Image>();
  MUNJA_ASSIGN_OR_RETURN(image::Image contrast,
                         image::Image::Create(page.width, page.height));
  const bool is_dark = levels.middle - levels.low < levels.high - levels.middle;
  for (int y = 0; y < page.height; ++y) {
    const uint8_t* in = page.row(y);
    uint8_t* out = contrast.row(y);
    for (int x = 0; x < page.width; ++x, in += 3, out += 3) {
      const int level = std::clamp(best.Of(in), levels.low, levels.high);
      const int part = is_dark ? levels.high - level : level - levels.low;
      std::fill_n(out, 3, static_cast<uint8_t>(part * 255 / levels.range()));
    }
  }
  return std::optional<image::Image>(std::move(contrast));
}

}  // namespace munja::ocr
