// Points, quads and rectangles of the image plane: x to the right, y down,
// pixels.
#ifndef MUNJA_GEOMETRY_QUAD_H_
#define MUNJA_GEOMETRY_QUAD_H_

#include <array>
#include <optional>
#include <vector>

namespace munja::geometry {

struct Point {
  float x = 0, y = 0;
  friend bool operator==(const Point&, const Point&) = default;
};
inline Point operator+(Point a, Point b) { return {a.x + b.x, a.y + b.y}; }
inline Point operator-(Point a, Point b) { return {a.x - b.x, a.y - b.y}; }
inline Point operator*(Point a, float s) { return {a.x * s, a.y * s}; }

using Polygon = std::vector<Point>;

// Four points, clockwise as seen on the screen, from the top-left of the text.
using Quad = std::array<Point, 4>;

float Length(Point a);
// `a` at length 1; `of_zero` where it has none.
Point Unit(Point a, Point of_zero = {});
// |shoelace|.
float Area(const Polygon& polygon);
float Area(const Quad& quad);
float Perimeter(const Quad& quad);
// Lengths of the sides at the first corner.
float LongerSide(const Quad& quad);
float ShorterSide(const Quad& quad);

// Each corner brought into [0, width] x [0, height]; nothing where three
// corners then lie on one line, as do those of what was outside of it.
std::optional<Quad> CutTo(Quad quad, int width, int height);

}  // namespace munja::geometry

#endif  // MUNJA_GEOMETRY_QUAD_H_
