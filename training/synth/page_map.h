// Where things of a page come to lie in the picture.
#ifndef MUNJA_SYNTH_PAGE_MAP_H_
#define MUNJA_SYNTH_PAGE_MAP_H_

#include <array>

#include "synth/path.h"

namespace munja::train {

// Page coordinates -> picture coordinates: the paper is bent, then seen in
// perspective. Pixel (i, j) covers [i, i + 1) x [j, j + 1).
class PageMap {
 public:
  PageMap() = default;  // Identity.
  // The rectangle (0, 0) - (width, height) of the page to four corners,
  // clockwise from the page's top-left. Corners that are no convex quad give an
  // affine map through the first, second and fourth.
  PageMap(float width, float height, const std::array<Point, 4>& corners);

  // Paper that is not flat: y moves by up to `amplitude` along x, one bow from
  // left to right of a page `width` wide, or a flat page rising only on the
  // side x = 0 (`spine`), as in an open book.
  void Bend(float width, float amplitude, bool spine);

  Point operator()(Point p) const;
  // Lines stay straight.
  bool straight() const { return bend_ == 0; }
  // Pixels per page unit around a point.
  float ScaleAt(Point p) const;

 private:
  std::array<float, 9> m_ = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  float bend_ = 0, bend_width_ = 1;
  bool spine_ = false;
};

// A line of text on its page: text coordinates (x along the baseline from its
// start, y down) -> page coordinates.
struct Placement {
  Point origin;
  Point along = {1,
                 0};    // Page units per unit of text, in reading direction ...
  Point down = {0, 1};  // ... and across.
  float curvature = 0;  // 1 / radius of the baseline, per unit of text; > 0:
                        // like a rainbow, < 0: like a bowl.

  static Placement Rotated(Point origin, float radians, float curvature = 0);
  Point operator()(Point p) const;
};

}  // namespace munja::train

#endif  // MUNJA_SYNTH_PAGE_MAP_H_
