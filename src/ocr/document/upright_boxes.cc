#include "document/upright_boxes.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <tuple>

namespace munja::document {
namespace {

using geometry::Point;
using geometry::Quad;

// How many times longer than wide a box is whose direction is sure.
constexpr double kElongated = 1.5;
constexpr double kDegree = std::numbers::pi / 180;
constexpr double kMostSkew = 45 * kDegree;
// Boxes this near to the common angle agree with it.
constexpr double kAgreement = 3 * kDegree;

struct Edge {
  double x, y;
  double length() const { return std::hypot(x, y); }
};

// The mean of two opposite sides.
Edge Mean(Point from0, Point to0, Point from1, Point to1) {
  return {(static_cast<double>(to0.x) - from0.x + to1.x - from1.x) / 2,
          (static_cast<double>(to0.y) - from0.y + to1.y - from1.y) / 2};
}
Edge Along(const Quad& q) { return Mean(q[0], q[1], q[3], q[2]); }
Edge Down(const Quad& q) { return Mean(q[0], q[3], q[1], q[2]); }

Quad Finite(Quad quad) {
  for (Point& p : quad) {
    if (!std::isfinite(p.x)) p.x = 0;
    if (!std::isfinite(p.y)) p.y = 0;
  }
  return quad;
}

// More length of vertical lines than of horizontal ones.
bool IsMostlyVertical(std::span<const Quad> quads) {
  double tall = 0, wide = 0;
  int count = 0;
  for (const Quad& quad : quads) {
    // By the extent on the page: corners may start at any of the four.
    const auto [x0, x1] =
        std::minmax({quad[0].x, quad[1].x, quad[2].x, quad[3].x});
    const auto [y0, y1] =
        std::minmax({quad[0].y, quad[1].y, quad[2].y, quad[3].y});
    const double width = x1 - x0, height = y1 - y0;
    if (height > kElongated * width) {
      tall += height;
      ++count;
    } else if (width > kElongated * height) {
      wide += width;
    }
  }
  return count >= 2 && tall > wide;
}

// The page a quarter turn to the left: its right side becomes its top.
Quad QuarterTurn(const Quad& q) {
  Quad out;
  for (size_t i = 0; i < 4; ++i) out[i] = {q[(i + 1) % 4].y, -q[(i + 1) % 4].x};
  return out;
}

// The angle of most of the text, or 0 where there is no such angle.
double Skew(std::span<const Quad> quads) {
  struct Sample {
    double angle, weight;
  };
  std::vector<Sample> samples;
  double total = 0;
  for (const Quad& quad : quads) {
    const Edge along = Along(quad);
    const double length = along.length();
    if (!(length > kElongated * Down(quad).length())) continue;
    const double sign = along.x < 0 ? -1 : 1;
    samples.push_back({std::atan2(sign * along.y, sign * along.x), length});
    total += length;
  }
  std::sort(samples.begin(), samples.end(), [](Sample a, Sample b) {
    return std::tie(a.angle, a.weight) < std::tie(b.angle, b.weight);
  });
  double angle = 0, sum = 0;
  for (const Sample& s : samples) {
    sum += s.weight;
    if (sum * 2 < total) continue;
    angle = s.angle;
    break;
  }
  double agreeing = 0;
  for (const Sample& s : samples)
    if (std::abs(s.angle - angle) <= kAgreement) agreeing += s.weight;
  const bool is_common = agreeing * 2 >= total;
  return is_common && std::abs(angle) < kMostSkew ? angle : 0;
}

}  // namespace

bool IsAbove(const UprightBox& a, const UprightBox& b) {
  const double middle_a = a.middle(), middle_b = b.middle();
  return std::tie(middle_a, a.left, a.right, a.top, a.index) <
         std::tie(middle_b, b.left, b.right, b.top, b.index);
}

bool IsLeftOf(const UprightBox& a, const UprightBox& b) {
  return std::tie(a.left, a.right, a.top, a.bottom, a.index) <
         std::tie(b.left, b.right, b.top, b.bottom, b.index);
}

std::vector<UprightBox> UprightBoxes(std::span<const Quad> quads) {
  std::vector<Quad> turned;
  turned.reserve(quads.size());
  for (const Quad& quad : quads) turned.push_back(Finite(quad));
  if (IsMostlyVertical(turned))
    for (Quad& quad : turned) quad = QuarterTurn(quad);
  const double skew = Skew(turned);
  const double c = std::cos(skew), s = std::sin(skew);

  std::vector<UprightBox> boxes;
  boxes.reserve(quads.size());
  for (size_t i = 0; i < turned.size(); ++i) {
    const Quad& q = turned[i];
    double x[4], y[4];
    for (size_t k = 0; k < 4; ++k) {
      x[k] = c * q[k].x + s * q[k].y;
      y[k] = c * q[k].y - s * q[k].x;
    }
    // Between the middles of opposite sides: a line that is a little tilted
    // against the page does not get taller by it.
    const auto [left, right] =
        std::minmax({(x[0] + x[3]) / 2, (x[1] + x[2]) / 2});
    const auto [top, bottom] =
        std::minmax({(y[0] + y[1]) / 2, (y[3] + y[2]) / 2});
    boxes.push_back({i, left, right, top, bottom});
  }
  std::sort(boxes.begin(), boxes.end(), IsAbove);
  return boxes;
}

}  // namespace munja::document
