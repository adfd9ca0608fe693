#include "track/change.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace munja::track {
namespace {

// The tiles of a side that a range of pixels of the frame touches.
int FirstTile(float position, int factor) {
  return static_cast<int>(
      std::floor(position / static_cast<float>(factor * ChangeMap::kTile)));
}

struct TileRange {
  int left, top, right, bottom;  // Right and bottom are inside.
};

TileRange TilesOf(const geometry::Rect<float>& box, const ChangeMap& map) {
  return {std::max(FirstTile(box.left, map.factor), 0),
          std::max(FirstTile(box.top, map.factor), 0),
          std::min(FirstTile(box.right, map.factor), map.columns - 1),
          std::min(FirstTile(box.bottom, map.factor), map.rows - 1)};
}

// The earlier frame as it would look from where the camera is now; pixels that
// it does not have are marked.
struct Warped {
  GrayImage image;
  std::vector<uint8_t> is_known;
};

Warped Warp(const GrayImage& before, const Affine& map) {
  Warped out;
  out.image.width = before.width;
  out.image.height = before.height;
  out.image.pixels.resize(before.pixels.size());
  out.is_known.assign(before.pixels.size(), 0);
  size_t i = 0;
  for (int y = 0; y < before.height; ++y) {
    // Coordinates in units of 1/256 pixel.
    const double fx = map.b * y + map.c, fy = map.e * y + map.f;
    for (int x = 0; x < before.width; ++x, ++i) {
      const int sx = static_cast<int>((map.a * x + fx) * 256.0 + 0.5),
                sy = static_cast<int>((map.d * x + fy) * 256.0 + 0.5);
      const int x0 = sx >> 8, y0 = sy >> 8;
      if (sx < 0 || sy < 0 || x0 + 1 >= before.width ||
          y0 + 1 >= before.height) {
        // The last row and column have no neighbor, which none needs there.
        if (sx < 0 || sy < 0 || x0 >= before.width || y0 >= before.height)
          continue;
        out.image.pixels[i] = before.row(y0)[x0];
        out.is_known[i] = 1;
        continue;
      }
      const int wx = sx & 255, wy = sy & 255;
      const uint8_t* const p = before.row(y0) + x0;
      const uint8_t* const q = before.row(y0 + 1) + x0;
      const int top = p[0] * (256 - wx) + p[1] * wx;
      const int bottom = q[0] * (256 - wx) + q[1] * wx;
      out.image.pixels[i] = static_cast<uint8_t>(
          (top * (256 - wy) + bottom * wy + (1 << 15)) >> 16);
      out.is_known[i] = 1;
    }
  }
  return out;
}

// Levels of gray that noise changes a tile by, in the mean.
constexpr int kNoise = 4;

}  // namespace

bool ChangeMap::Any() const {
  return std::any_of(tiles.begin(), tiles.end(),
                     [](uint8_t tile) { return tile != 0; });
}

bool ChangeMap::AnyIn(const geometry::Rect<float>& box) const {
  const TileRange r = TilesOf(box, *this);
  for (int y = r.top; y <= r.bottom; ++y)
    for (int x = r.left; x <= r.right; ++x)
      if (tiles[static_cast<size_t>(y * columns + x)] != 0) return true;
  return false;
}

void ChangeMap::KeepOnly(const geometry::Rect<float>& box) {
  const TileRange r = TilesOf(box, *this);
  for (int y = 0; y < rows; ++y)
    for (int x = 0; x < columns; ++x)
      if (y < r.top || y > r.bottom || x < r.left || x > r.right)
        tiles[static_cast<size_t>(y * columns + x)] = 0;
}

ChangeMap FindChanges(const GrayFrame& now, const GrayFrame& before,
                      const Affine& to_before) {
  const GrayImage& image = now.levels[0];
  ChangeMap map;
  map.factor = now.factor;
  map.columns = (image.width + ChangeMap::kTile - 1) / ChangeMap::kTile;
  map.rows = (image.height + ChangeMap::kTile - 1) / ChangeMap::kTile;
  map.tiles.assign(static_cast<size_t>(map.columns * map.rows), 0);
  const bool is_still = to_before == Affine{};
  Warped warped;
  if (!is_still) warped = Warp(before.levels[0], to_before);
  const GrayImage& old = is_still ? before.levels[0] : warped.image;
  // A change of exposure multiplies all levels.
  const double gain = std::clamp(
      static_cast<double>(now.mean + 1) / static_cast<double>(before.mean + 1),
      0.7, 1.4);
  const int scale = static_cast<int>(std::lround(gain * 256));
  for (int row = 0; row < map.rows; ++row) {
    const int top = row * ChangeMap::kTile;
    const int bottom = std::min(top + ChangeMap::kTile, image.height);
    for (int column = 0; column < map.columns; ++column) {
      const int left = column * ChangeMap::kTile;
      const int right = std::min(left + ChangeMap::kTile, image.width);
      int sum = 0, slope = 0, known = 0;
      for (int y = top; y < bottom; ++y) {
        const uint8_t* const p = image.row(y);
        const uint8_t* const q = old.row(y);
        if (is_still) {
          for (int x = left; x < right; ++x)
            sum += std::abs(p[x] - (q[x] * scale + 128) / 256);
          known += right - left;
          continue;
        }
        const uint8_t* const k =
            warped.is_known.data() +
            static_cast<size_t>(y) * static_cast<size_t>(image.width);
        for (int x = left; x < right; ++x) {
          if (k[x] == 0) continue;
          ++known;
          sum += std::abs(p[x] - (q[x] * scale + 128) / 256);
          if (x + 1 < right) slope += std::abs(p[x + 1] - p[x]);
          if (y + 1 < bottom) slope += std::abs(image.row(y + 1)[x] - p[x]);
        }
      }
      const int count = (right - left) * (bottom - top);
      // Half of the slope is what half a pixel explains.
      const bool is_changed = known * 2 < count ||
                              sum > kNoise * known + (is_still ? 0 : slope / 2);
      map.tiles[static_cast<size_t>(row * map.columns + column)] =
          is_changed ? 1 : 0;
    }
  }
  return map;
}

}  // namespace munja::track
