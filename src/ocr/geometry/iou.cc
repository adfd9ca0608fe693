#include "geometry/iou.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace munja::geometry {
namespace {

using PolygonD = std::vector<PointD>;

double Cross(PointD a, PointD b, PointD c) {
  return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

double SignedArea(const PolygonD& p) {
  double sum = 0;
  for (size_t i = 0; i < p.size(); ++i) {
    const PointD& previous = p[i == 0 ? p.size() - 1 : i - 1];
    sum += p[i].x * previous.y - previous.x * p[i].y;
  }
  return 0.5 * sum;
}

// Counter-clockwise where y points up.
PolygonD Hull(std::span<const PointD> points) {
  PolygonD sorted(points.begin(), points.end());
  std::sort(sorted.begin(), sorted.end(), [](PointD a, PointD b) {
    return a.x != b.x ? a.x < b.x : a.y < b.y;
  });
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  if (sorted.size() < 3) return sorted;
  const auto half = [](auto begin, auto end) {
    PolygonD chain;
    for (auto it = begin; it != end; ++it) {
      while (chain.size() > 1 &&
             Cross(chain[chain.size() - 2], chain.back(), *it) <= 0)
        chain.pop_back();
      chain.push_back(*it);
    }
    chain.pop_back();
    return chain;
  };
  PolygonD hull = half(sorted.begin(), sorted.end());
  const PolygonD upper = half(sorted.rbegin(), sorted.rend());
  hull.insert(hull.end(), upper.begin(), upper.end());
  return hull;
}

// Sutherland and Hodgman ("Reentrant polygon clipping", 1974): what lies left
// of each edge of the window stays.
PolygonD Clip(PolygonD subject, const PolygonD& window) {
  for (size_t i = 0; i < window.size() && !subject.empty(); ++i) {
    const PointD a = window[i == 0 ? window.size() - 1 : i - 1], b = window[i];
    PolygonD out;
    for (size_t j = 0; j < subject.size(); ++j) {
      const PointD p = subject[j == 0 ? subject.size() - 1 : j - 1];
      const PointD q = subject[j];
      const double side_p = Cross(a, b, p), side_q = Cross(a, b, q);
      if ((side_p >= 0) != (side_q >= 0)) {
        const double t = side_p / (side_p - side_q);
        out.push_back({p.x + t * (q.x - p.x), p.y + t * (q.y - p.y)});
      }
      if (side_q >= 0) out.push_back(q);
    }
    subject = std::move(out);
  }
  return subject;
}

}  // namespace

double IntersectionOverUnion(std::span<const PointD> a,
                             std::span<const PointD> b) {
  const PolygonD p = Hull(a), q = Hull(b);
  if (p.size() < 3 || q.size() < 3) return 0.0;
  const double intersection = std::abs(SignedArea(Clip(p, q)));
  const double together =
      std::abs(SignedArea(p)) + std::abs(SignedArea(q)) - intersection;
  return together > 0 ? intersection / together : 0.0;
}

}  // namespace munja::geometry
