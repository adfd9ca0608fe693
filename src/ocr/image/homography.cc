#include "image/homography.h"

#include <cmath>

namespace munja::image {
namespace {

using Point = std::array<double, 2>;

// Twice the signed area of a triangle.
double Cross(const Point& a, const Point& b, const Point& c) {
  return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

}  // namespace

Result<Homography> QuadToRectangle(
    const std::array<std::array<float, 2>, 4>& corners, int width, int height) {
  if (width < 1 || height < 1)
    return InvalidArgument("the rectangle of a quad has no pixels");
  std::array<Point, 4> p;
  double largest = 0;
  for (size_t i = 0; i < 4; ++i) {
    for (size_t c = 0; c < 2; ++c) {
      if (!std::isfinite(corners[i][c]))
        return InvalidArgument("a corner of a quad is not a finite number");
      p[i][c] = corners[i][c];
      largest = std::max(largest, std::abs(p[i][c] - p[0][c]));
    }
  }
  for (size_t i = 0; i < 4; ++i) {
    const double area = Cross(p[i], p[(i + 1) % 4], p[(i + 2) % 4]);
    if (!(std::abs(area) > 1e-7 * largest * largest))
      return InvalidArgument("three corners of a quad lie on one line");
  }
  // The unit square to the quad, in closed form; then (x, y) is brought to
  // the unit square by dividing by width and height.
  const auto [x0, y0] = p[0];
  const auto [x1, y1] = p[1];
  const auto [x2, y2] = p[2];
  const auto [x3, y3] = p[3];
  const double sum_x = x0 - x1 + x2 - x3, sum_y = y0 - y1 + y2 - y3;
  const double dx1 = x1 - x2, dy1 = y1 - y2, dx2 = x3 - x2, dy2 = y3 - y2;
  const double det = dx1 * dy2 - dx2 * dy1;
  const double g = (sum_x * dy2 - dx2 * sum_y) / det;
  const double h = (dx1 * sum_y - sum_x * dy1) / det;
  Homography map;
  map.m = {(x1 - x0 + g * x1) / width,
           (x3 - x0 + h * x3) / height,
           x0,
           (y1 - y0 + g * y1) / width,
           (y3 - y0 + h * y3) / height,
           y0,
           g / width,
           h / height,
           1.0};
  return map;
}

Result<Homography> Invert(const Homography& map) {
  const std::array<double, 9>& m = map.m;
  Homography out;
  out.m = {m[4] * m[8] - m[5] * m[7], m[2] * m[7] - m[1] * m[8],
           m[1] * m[5] - m[2] * m[4], m[5] * m[6] - m[3] * m[8],
           m[0] * m[8] - m[2] * m[6], m[2] * m[3] - m[0] * m[5],
           m[3] * m[7] - m[4] * m[6], m[1] * m[6] - m[0] * m[7],
           m[0] * m[4] - m[1] * m[3]};
  const double det = m[0] * out.m[0] + m[1] * out.m[3] + m[2] * out.m[6];
  if (!std::isnormal(det))
    return InvalidArgument("the projective map has no inverse");
  for (double& value : out.m) {
    value /= det;
    if (!std::isfinite(value))
      return InvalidArgument("the projective map has no inverse");
  }
  return out;
}

}  // namespace munja::image
