#include "image/draw.h"

#include <algorithm>
#include <cmath>

namespace munja::image {
namespace {

struct Segment {
  double x0, y0, x1, y1;
};

double DistanceSquared(const Segment& s, double x, double y) {
  const double dx = s.x1 - s.x0, dy = s.y1 - s.y0;
  const double length = dx * dx + dy * dy;
  double t = 0;
  if (length > 0)
    t = std::clamp(((x - s.x0) * dx + (y - s.y0) * dy) / length, 0.0, 1.0);
  const double ex = s.x0 + t * dx - x, ey = s.y0 + t * dy - y;
  return ex * ex + ey * ey;
}

// The columns that the segment can touch between rows `top` and `bottom`.
void ColumnRange(const Segment& s, double top, double bottom, double* left,
                 double* right) {
  double t0 = 0, t1 = 1;
  const double dy = s.y1 - s.y0;
  if (dy != 0) {
    const double a = (top - s.y0) / dy, b = (bottom - s.y0) / dy;
    t0 = std::clamp(std::min(a, b), 0.0, 1.0);
    t1 = std::clamp(std::max(a, b), 0.0, 1.0);
  }
  const double a = s.x0 + t0 * (s.x1 - s.x0), b = s.x0 + t1 * (s.x1 - s.x0);
  *left = std::min(a, b);
  *right = std::max(a, b);
}

void DrawSegment(Image& image, const Segment& s, const LineStyle& style) {
  const double radius =
      std::clamp(static_cast<double>(style.thickness), 0.5, 1000.0) / 2;
  const double reach = radius + 1;
  // Clamped as doubles: coordinates may be far beyond what an int holds.
  const double height = image.height(), width = image.width();
  const int top = static_cast<int>(
      std::clamp(std::floor(std::min(s.y0, s.y1) - reach), 0.0, height));
  const int bottom = static_cast<int>(
      std::clamp(std::ceil(std::max(s.y0, s.y1) + reach) + 1, 0.0, height));
  for (int y = top; y < bottom; ++y) {
    double left = 0, right = 0;
    ColumnRange(s, y - reach, y + reach, &left, &right);
    const int begin =
        static_cast<int>(std::clamp(std::floor(left - reach), 0.0, width));
    const int end =
        static_cast<int>(std::clamp(std::ceil(right + reach) + 1, 0.0, width));
    uint8_t* const row = image.row(y);
    for (int x = begin; x < end; ++x) {
      const double inside = radius + 0.5 - std::sqrt(DistanceSquared(s, x, y));
      double cover = std::clamp(inside, 0.0, 1.0);
      if (!style.antialias) cover = inside >= 0.5 ? 1 : 0;
      if (cover == 0) continue;
      for (size_t c = 0; c < 3; ++c) {
        const double old = row[3 * x + static_cast<int>(c)];
        row[3 * x + static_cast<int>(c)] = static_cast<uint8_t>(
            std::lrint(old + (style.rgb[c] - old) * cover));
      }
    }
  }
}

}  // namespace

void DrawPolyline(Image& image, std::span<const std::array<float, 2>> points,
                  bool closed, const LineStyle& style) {
  const auto usable = [](const std::array<float, 2>& p) {
    return std::isfinite(p[0]) && std::isfinite(p[1]);
  };
  const std::array<float, 2>*first = nullptr, *last = nullptr;
  size_t used = 0;
  const auto join = [&](const std::array<float, 2>& a,
                        const std::array<float, 2>& b) {
    DrawSegment(image, {a[0], a[1], b[0], b[1]}, style);
  };
  for (const std::array<float, 2>& point : points) {
    if (!usable(point)) continue;
    if (last != nullptr) join(*last, point);
    if (first == nullptr) first = &point;
    last = &point;
    ++used;
  }
  if (used == 1) join(*first, *first);
  if (closed && used > 2) join(*last, *first);
}

}  // namespace munja::image
