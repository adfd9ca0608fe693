#include "synth/dot_matrix.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "synth/coverage.h"

namespace munja::train {
namespace {

// A dot is set where the letter covers about half of its cell: strokes stay one
// or two dots wide.
constexpr uint8_t kCovered = 112;

void AddDot(Point center, float radius, bool square, Path& path) {
  if (square) {
    path.AddBox({center.x - radius, center.y - radius, center.x + radius,
                 center.y + radius});
    return;
  }
  // Eight corners are round enough for a few pixels.
  Point corners[8];
  for (int i = 0; i < 8; ++i) {
    const float angle = 0.3927f + 0.7854f * static_cast<float>(i);
    corners[i] =
        center + Point{std::cos(angle), std::sin(angle)} * (1.04f * radius);
  }
  path.AddPolygon(corners);
}

}  // namespace

void DotLine(SetLine& line, float em, int rows, float radius, bool square) {
  const float cell = em / static_cast<float>(rows);
  for (SetGlyph& glyph : line.glyphs) {
    if (glyph.outline.empty()) continue;
    // Letters start on the grid.
    glyph.x = std::round(glyph.x / cell) * cell;
    const Box box = glyph.outline.Bounds();
    const float left = std::floor(box.left / cell) * cell,
                top = std::floor(box.top / cell) * cell;
    const int columns =
        static_cast<int>(std::ceil((box.right - left) / cell)) + 1;
    const int lines =
        static_cast<int>(std::ceil((box.bottom - top) / cell)) + 1;
    CoverageBuilder builder(columns, lines);
    builder.Add(glyph.outline, 1 / cell, {-left / cell, -top / cell}, nullptr,
                PageMap());
    const Coverage coverage = builder.Take();
    Path dots;
    for (int y = 0; y < coverage.height; ++y) {
      for (int x = 0; x < coverage.width; ++x) {
        if (coverage.row(y)[x] < kCovered) continue;
        const Point center = {
            left + (static_cast<float>(coverage.left + x) + 0.5f) * cell,
            top + (static_cast<float>(coverage.top + y) + 0.5f) * cell};
        AddDot(center, radius * cell, square, dots);
      }
    }
    glyph.outline = std::move(dots);
  }
}

}  // namespace munja::train
