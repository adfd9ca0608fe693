#include "geometry/fill.h"

#include <algorithm>
#include <cstdlib>

namespace munja::geometry {
namespace {

constexpr int kFractionBits = 16;

class Filler {
 public:
  Filler(int width, int height) : width_(width), height_(height) {}

  // Bresenham's line from the left end to the right one, a span a row.
  void DrawLine(PixelPoint a, PixelPoint b) {
    if (a.x > b.x) std::swap(a, b);
    const int64_t dx = b.x - a.x, dy = std::abs(b.y - a.y);
    const int step_y = b.y < a.y ? -1 : 1;
    if (dy > dx) {
      for (int64_t i = 0; i <= dy; ++i) {
        const int x = a.x + static_cast<int>(HalfDown(i, dx, dy));
        Add(a.y + step_y * static_cast<int>(i), x, x);
      }
      return;
    }
    for (int64_t i = 0; i <= dx;) {
      const int64_t row = dx == 0 ? 0 : HalfDown(i, dy, dx);
      // The last i of this row: i * dy / dx <= row + 1/2.
      const int64_t last =
          dy == 0 ? dx : std::min(dx, (2 * row + 1) * dx / (2 * dy));
      Add(a.y + step_y * static_cast<int>(row), a.x + static_cast<int>(i),
          a.x + static_cast<int>(last));
      i = last + 1;
    }
  }

  // Between the first and the second crossing of each row with the outline,
  // the third and the fourth, and so on.
  void FillInside(std::span<const PixelPoint> polygon) {
    int top = height_, bottom = 0;
    for (const PixelPoint& p : polygon) {
      top = std::min(top, p.y);
      bottom = std::max(bottom, p.y);
    }
    top = std::max(top, 0);
    bottom = std::min(bottom, height_);
    if (top >= bottom) return;
    // Crossings sorted into rows: (row, x).
    std::vector<Crossing> crossings;
    for (size_t i = 0; i < polygon.size(); ++i) {
      PixelPoint a = polygon[i], b = polygon[(i + 1) % polygon.size()];
      if (a.y == b.y) continue;
      if (a.y > b.y) std::swap(a, b);
      constexpr int64_t kOne = int64_t{1} << kFractionBits;
      const int64_t slope = (b.x - a.x) * kOne / (b.y - a.y);
      const int first = std::max(a.y, top), end = std::min(b.y, bottom);
      for (int y = first; y < end; ++y)
        crossings.push_back({y, a.x * kOne + slope * (y - a.y)});
    }
    std::sort(crossings.begin(), crossings.end());
    for (size_t i = 0; i + 1 < crossings.size(); i += 2)
      Add(crossings[i].y, Ceil(crossings[i].x), Floor(crossings[i + 1].x));
  }

  std::vector<PixelSpan> TakeMerged() {
    std::sort(spans_.begin(), spans_.end(), [](PixelSpan a, PixelSpan b) {
      return a.y != b.y ? a.y < b.y : a.begin < b.begin;
    });
    size_t n = 0;
    for (const PixelSpan& span : spans_) {
      if (n > 0 && spans_[n - 1].y == span.y &&
          span.begin <= spans_[n - 1].end) {
        spans_[n - 1].end = std::max(spans_[n - 1].end, span.end);
      } else {
        spans_[n++] = span;
      }
    }
    spans_.resize(n);
    return std::move(spans_);
  }

 private:
  struct Crossing {
    int y;
    int64_t x;
    friend auto operator<=>(const Crossing&, const Crossing&) = default;
  };

  // i * minor / major rounded, halves down.
  static int64_t HalfDown(int64_t i, int64_t minor, int64_t major) {
    return (2 * i * minor + major - 1) / (2 * major);
  }
  static int Floor(int64_t x) { return static_cast<int>(x >> kFractionBits); }
  static int Ceil(int64_t x) {
    return static_cast<int>((x + (int64_t{1} << kFractionBits) - 1) >>
                            kFractionBits);
  }
  // Pixels first..last of row y, as far as they are in the image.
  void Add(int y, int first, int last) {
    first = std::max(first, 0);
    last = std::min(last, width_ - 1);
    if (y < 0 || y >= height_ || first > last) return;
    spans_.push_back({y, first, last + 1});
  }

  int width_, height_;
  std::vector<PixelSpan> spans_;
};

}  // namespace

std::vector<PixelSpan> FillPolygon(std::span<const PixelPoint> polygon,
                                   int width, int height) {
  Filler filler(width, height);
  for (size_t i = 0; i < polygon.size(); ++i)
    filler.DrawLine(polygon[i], polygon[(i + 1) % polygon.size()]);
  filler.FillInside(polygon);
  return filler.TakeMerged();
}

}  // namespace munja::geometry
