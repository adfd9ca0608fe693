// Affine: how points of one frame lie in another.
#ifndef MUNJA_TRACK_AFFINE_H_
#define MUNJA_TRACK_AFFINE_H_

#include <cmath>

#include "geometry/quad.h"

namespace munja::track {

// (x, y) -> (a x + b y + c, d x + e y + f).
struct Affine {
  double a = 1, b = 0, c = 0, d = 0, e = 1, f = 0;

  geometry::Point operator()(geometry::Point p) const {
    const double x = static_cast<double>(p.x), y = static_cast<double>(p.y);
    return {static_cast<float>(a * x + b * y + c),
            static_cast<float>(d * x + e * y + f)};
  }
  geometry::Quad operator()(const geometry::Quad& quad) const {
    return {(*this)(quad[0]), (*this)(quad[1]), (*this)(quad[2]),
            (*this)(quad[3])};
  }
  double determinant() const { return a * e - b * d; }
  friend bool operator==(const Affine&, const Affine&) = default;
};

// First `inner`, then `outer`.
inline Affine Compose(const Affine& outer, const Affine& inner) {
  return {outer.a * inner.a + outer.b * inner.d,
          outer.a * inner.b + outer.b * inner.e,
          outer.a * inner.c + outer.b * inner.f + outer.c,
          outer.d * inner.a + outer.e * inner.d,
          outer.d * inner.b + outer.e * inner.e,
          outer.d * inner.c + outer.e * inner.f + outer.f};
}

// The identity if it has none.
inline Affine Inverse(const Affine& m) {
  const double det = m.determinant();
  if (!std::isnormal(det)) return {};
  return {m.e / det,  -m.b / det, (m.b * m.f - m.e * m.c) / det,
          -m.d / det, m.a / det,  (m.d * m.c - m.a * m.f) / det};
}

// The same map between images that are `factor` times as large; pixel (i, j)
// is the point (i, j).
inline Affine Enlarged(Affine m, double factor) {
  // A small point p is at factor * (p + 1/2) - 1/2.
  const double shift = 0.5 * factor - 0.5;
  const double c = factor * m.c + shift - shift * (m.a + m.b);
  const double f = factor * m.f + shift - shift * (m.d + m.e);
  m.c = c;
  m.f = f;
  return m;
}

}  // namespace munja::track

#endif  // MUNJA_TRACK_AFFINE_H_
