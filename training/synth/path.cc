#include "synth/path.h"

#include <algorithm>
#include <cmath>

namespace munja::train {
namespace {

// A quarter of a circle as one cubic: distance of the control points, for
// radius 1.
constexpr float kQuarter = 0.55228475f;

}  // namespace

void Path::Add(Verb verb, std::span<const Point> points) {
  verbs_.push_back(verb);
  points_.insert(points_.end(), points.begin(), points.end());
}

void Path::QuadraticTo(Point control, Point end) {
  const Point points[] = {control, end};
  Add(Verb::kQuadratic, points);
}

void Path::CubicTo(Point control1, Point control2, Point end) {
  const Point points[] = {control1, control2, end};
  Add(Verb::kCubic, points);
}

void Path::AddPolygon(std::span<const Point> corners) {
  for (size_t i = 0; i < corners.size(); ++i) {
    if (i == 0)
      MoveTo(corners[i]);
    else
      LineTo(corners[i]);
  }
}

void Path::AddBox(const Box& box) {
  const Point corners[] = {{box.left, box.top},
                           {box.right, box.top},
                           {box.right, box.bottom},
                           {box.left, box.bottom}};
  AddPolygon(corners);
}

void Path::AddBoxHole(const Box& box) {
  const Point corners[] = {{box.left, box.top},
                           {box.left, box.bottom},
                           {box.right, box.bottom},
                           {box.right, box.top}};
  AddPolygon(corners);
}

void Path::AddRoundBox(const Box& box, float radius, bool hole) {
  const float r = std::min({radius, box.width() / 2, box.height() / 2});
  if (r <= 0) {
    if (hole)
      AddBoxHole(box);
    else
      AddBox(box);
    return;
  }
  const float k = r * (1 - kQuarter);
  const float l = box.left, t = box.top, rt = box.right, b = box.bottom;
  if (!hole) {
    MoveTo({l + r, t});
    LineTo({rt - r, t});
    CubicTo({rt - k, t}, {rt, t + k}, {rt, t + r});
    LineTo({rt, b - r});
    CubicTo({rt, b - k}, {rt - k, b}, {rt - r, b});
    LineTo({l + r, b});
    CubicTo({l + k, b}, {l, b - k}, {l, b - r});
    LineTo({l, t + r});
    CubicTo({l, t + k}, {l + k, t}, {l + r, t});
  } else {
    MoveTo({l + r, t});
    CubicTo({l + k, t}, {l, t + k}, {l, t + r});
    LineTo({l, b - r});
    CubicTo({l, b - k}, {l + k, b}, {l + r, b});
    LineTo({rt - r, b});
    CubicTo({rt - k, b}, {rt, b - k}, {rt, b - r});
    LineTo({rt, t + r});
    CubicTo({rt, t + k}, {rt - k, t}, {rt - r, t});
  }
}

void Path::AddEllipse(Point center, float radius_x, float radius_y, bool hole) {
  const float x = hole ? -radius_x : radius_x, y = radius_y;
  const float kx = x * kQuarter, ky = y * kQuarter;
  const auto at = [&](float dx, float dy) {
    return Point{center.x + dx, center.y + dy};
  };
  MoveTo(at(0, -y));
  CubicTo(at(kx, -y), at(x, -ky), at(x, 0));
  CubicTo(at(x, ky), at(kx, y), at(0, y));
  CubicTo(at(-kx, y), at(-x, ky), at(-x, 0));
  CubicTo(at(-x, -ky), at(-kx, -y), at(0, -y));
}

void Path::AddFrame(const Box& box, float thickness, float radius) {
  AddRoundBox(box, radius);
  const Box inner = box.Inset(thickness);
  if (inner.width() > 0 && inner.height() > 0)
    AddRoundBox(inner, std::max(0.0f, radius - thickness), true);
}

void Path::AddSegment(Point from, Point to, float thickness) {
  const Point along = to - from;
  const float length = geometry::Length(along);
  if (!(length > 0)) return;
  const Point side = Point{-along.y, along.x} * (thickness / 2 / length);
  const Point corners[] = {from - side, to - side, to + side, from + side};
  AddPolygon(corners);
}

void Path::Append(const Path& other, float scale, Point offset) {
  verbs_.insert(verbs_.end(), other.verbs_.begin(), other.verbs_.end());
  points_.reserve(points_.size() + other.points_.size());
  for (Point p : other.points_) points_.push_back(p * scale + offset);
}

Box Path::Bounds() const {
  if (points_.empty()) return {};
  Box box{points_[0].x, points_[0].y, points_[0].x, points_[0].y};
  for (Point p : points_) {
    box.left = std::min(box.left, p.x);
    box.top = std::min(box.top, p.y);
    box.right = std::max(box.right, p.x);
    box.bottom = std::max(box.bottom, p.y);
  }
  return box;
}

}  // namespace munja::train
