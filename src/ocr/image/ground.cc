#include "image/ground.h"

#include <algorithm>
#include <cstdint>

namespace munja::image {
namespace {

// An image whose samples are all at least this shows next to nothing.
constexpr int kNearlyWhite = 200;

struct LevelRange {
  int low = 255, high = 0;
  int size() const { return high - low; }
};

// Most images show something after a few rows.
bool IsNearlyWhite(const Image& image) {
  for (int y = 0; y < image.height(); ++y) {
    const uint8_t* const row = image.row(y);
    if (std::any_of(row, row + image.stride(),
                    [](uint8_t level) { return level < kNearlyWhite; }))
      return false;
  }
  return true;
}

LevelRange LevelsOf(const Image& image) {
  LevelRange range;
  for (int y = 0; y < image.height(); ++y) {
    const uint8_t* const row = image.row(y);
    const auto [low, high] = std::minmax_element(row, row + image.stride());
    range = {std::min<int>(range.low, *low), std::max<int>(range.high, *high)};
  }
  return range;
}

}  // namespace

Result<Image> OverWhiteOrBlack(
    bool may_be_transparent, FunctionRef<Result<Image>(uint8_t ground)> draw) {
  Result<Image> white = draw(255);
  if (!white.ok() || !may_be_transparent) return white;
  if (!IsNearlyWhite(*white)) return white;
  Result<Image> black = draw(0);
  return black.ok() && LevelsOf(*black).size() > LevelsOf(*white).size()
             ? std::move(black)
             : std::move(white);
}

}  // namespace munja::image
