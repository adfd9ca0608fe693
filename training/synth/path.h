// Closed outlines of straight and curved segments: glyphs and the shapes around
// them.
#ifndef MUNJA_SYNTH_PATH_H_
#define MUNJA_SYNTH_PATH_H_

#include <cstdint>
#include <span>
#include <vector>

#include "geometry/quad.h"

namespace munja::train {

using geometry::Point;

struct Box {
  float left = 0, top = 0, right = 0, bottom = 0;
  float width() const { return right - left; }
  float height() const { return bottom - top; }
  Point center() const { return {(left + right) / 2, (top + bottom) / 2}; }
  // Smaller by `margin` on every side.
  Box Inset(float margin) const {
    return {left + margin, top + margin, right - margin, bottom - margin};
  }
};

// y points down. Contours close themselves. What contours of one direction
// enclose is filled; a contour of the other direction inside cuts a hole.
class Path {
 public:
  enum class Verb : uint8_t {
    kMove,
    kLine,
    kQuadratic,
    kCubic
  };  // They take 1, 1, 2 and 3 points.

  void MoveTo(Point p) { Add(Verb::kMove, {&p, 1}); }
  void LineTo(Point p) { Add(Verb::kLine, {&p, 1}); }
  void QuadraticTo(Point control, Point end);
  void CubicTo(Point control1, Point control2, Point end);

  void AddPolygon(std::span<const Point> corners);
  void AddBox(const Box& box);
  // The other direction: a hole in a box around it.
  void AddBoxHole(const Box& box);
  // `radius` is cut to half of the shorter side.
  void AddRoundBox(const Box& box, float radius, bool hole = false);
  void AddEllipse(Point center, float radius_x, float radius_y,
                  bool hole = false);
  // The ring between `box` and the same smaller by `thickness`.
  void AddFrame(const Box& box, float thickness, float radius = 0);
  void AddSegment(Point from, Point to, float thickness);
  // `other` scaled, then moved.
  void Append(const Path& other, float scale, Point offset);

  const std::vector<Verb>& verbs() const { return verbs_; }
  const std::vector<Point>& points() const { return points_; }
  std::vector<Point>& mutable_points() { return points_; }
  bool empty() const { return verbs_.empty(); }
  // The bounds of all points, those that only shape curves included.
  Box Bounds() const;

 private:
  void Add(Verb verb, std::span<const Point> points);

  std::vector<Verb> verbs_;
  std::vector<Point> points_;
};

}  // namespace munja::train

#endif  // MUNJA_SYNTH_PATH_H_
