// Which part of every pixel an outline covers.
#ifndef MUNJA_SYNTH_COVERAGE_H_
#define MUNJA_SYNTH_COVERAGE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "synth/page_map.h"
#include "synth/path.h"

namespace munja::train {

// A window of the picture: pixel (left + x, top + y) is covered by values[y *
// width + x] / 255.
struct Coverage {
  int left = 0, top = 0, width = 0, height = 0;
  std::vector<uint8_t> values;
  bool empty() const { return values.empty(); }
  const uint8_t* row(int y) const {
    return values.data() + static_cast<size_t>(y) * static_cast<size_t>(width);
  }
  uint8_t* row(int y) {
    return values.data() + static_cast<size_t>(y) * static_cast<size_t>(width);
  }
};

// Collects mapped outlines as polygons, then computes exact area coverage of
// all of them together. Reuse one to save allocations.
class CoverageBuilder {
 public:
  // Only what can be seen in a width x height picture is kept.
  CoverageBuilder(int width, int height) : width_(width), height_(height) {}

  // `path` scaled and moved (text or page coordinates), then through `place`
  // (unless null), then `map`.
  void Add(const Path& path, float scale, Point offset, const Placement* place,
           const PageMap& map);
  void Add(const Path& path, const PageMap& map) {
    Add(path, 1, {}, nullptr, map);
  }

  // Empties the builder. `grow` >= 0 adds empty pixels around, for effects that
  // spread (inside of the picture only).
  Coverage Take(int grow = 0);

 private:
  void Close();
  void AddEdge(Point from, Point to);

  int width_, height_;
  std::vector<Point> contour_, clipped_, edges_;  // edges_: pairs of points.
  std::vector<float> area_;
};

}  // namespace munja::train

#endif  // MUNJA_SYNTH_COVERAGE_H_
