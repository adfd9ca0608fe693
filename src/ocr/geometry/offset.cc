#include "geometry/offset.h"

#include <cmath>
#include <polyclipping/clipper.hpp>

namespace munja::geometry {
namespace {

// Fine enough that rounding to it moves no box corner visibly, coarse enough
// that 10^6 pixels stay far inside Clipper's range.
constexpr double kGrid = 1024.0;
constexpr double kLargest = 1e6;
// How far the chords of a round join may lie inside the true arc, in pixels.
constexpr double kArcTolerance = 0.05;

bool IsInRange(const Polygon& polygon, double distance) {
  // The negations also catch NaN.
  if (polygon.size() < 3 || !(std::abs(distance) < kLargest)) return false;
  for (const Point& p : polygon)
    if (!(std::abs(p.x) < kLargest && std::abs(p.y) < kLargest)) return false;
  return true;
}

}  // namespace

std::vector<Polygon> Offset(const Polygon& polygon, double distance) {
  std::vector<Polygon> result;
  if (!IsInRange(polygon, distance)) return result;
  ClipperLib::Path path;
  for (const Point& p : polygon)
    path.emplace_back(std::llround(p.x * kGrid), std::llround(p.y * kGrid));
  ClipperLib::ClipperOffset offset(2.0, kArcTolerance * kGrid);
  offset.AddPath(path, ClipperLib::jtRound, ClipperLib::etClosedPolygon);
  ClipperLib::Paths paths;
  offset.Execute(paths, distance * kGrid);
  for (const ClipperLib::Path& out : paths) {
    Polygon& points = result.emplace_back();
    for (const ClipperLib::IntPoint& p : out) {
      points.push_back({static_cast<float>(static_cast<double>(p.X) / kGrid),
                        static_cast<float>(static_cast<double>(p.Y) / kGrid)});
    }
  }
  return result;
}

Result<std::vector<Polygon>> Grow(const Polygon& polygon, double distance) {
  std::vector<Polygon> grown = Offset(polygon, distance);
  // Clipper catches what is thrown in it and then gives nothing. But what has
  // an area that its grid shows does not vanish as it grows.
  if (grown.empty() && IsInRange(polygon, distance) &&
      std::abs(Area(polygon)) >= 1)
    return OutOfMemory("no memory to grow an outline");
  return grown;
}

}  // namespace munja::geometry
