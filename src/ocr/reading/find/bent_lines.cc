#include "reading/find/bent_lines.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

namespace munja::ocr {
namespace {

// A line bends when its middle strays so far from a straight one, in heights of
// what is seen of it and pixels, and is long enough to be cut, in heights, when
// neither half is a word of a curved sign.
constexpr float kStraight = 0.75f, kStraightPixels = 1.5f, kLongToCut = 40;
// Heights over which the middle of a line is looked at: single letters stray,
// too.
constexpr float kStretch = 4;

// How a line runs, pixel by pixel along it.
struct Course {
  float left = 0, length = 0;
  float high = 0;  // On the average.
  // Pixels of text, and the middle of these across the line where there are
  // any.
  std::vector<float> mass, middle;
};

Course CourseOf(const std::vector<TextPixel>& pixels) {
  const auto [first, last] = std::minmax_element(
      pixels.begin(), pixels.end(),
      [](const TextPixel& a, const TextPixel& b) { return a.along < b.along; });
  Course course;
  course.left = first->along;
  course.length = last->along - course.left + 1;
  course.high = static_cast<float>(pixels.size()) / course.length;
  const auto bins = static_cast<size_t>(course.length) + 1;
  course.mass.assign(bins, 0);
  course.middle.assign(bins, 0);
  for (const TextPixel& p : pixels) {
    const auto at = static_cast<size_t>(p.along - course.left);
    course.mass[at] += 1;
    course.middle[at] += p.across;
  }
  for (size_t i = 0; i < bins; ++i)
    if (course.mass[i] > 0) course.middle[i] /= course.mass[i];
  return course;
}

struct StraightLine {
  double start, slope;
  // How far below it a place is.
  double Below(size_t along, float across) const {
    return across - start - slope * static_cast<double>(along);
  }
};

// The line of least squares through the middles.
StraightLine FitOf(const Course& course) {
  double n = 0, x = 0, y = 0, xx = 0, xy = 0;
  for (size_t i = 0; i < course.mass.size(); ++i) {
    if (course.mass[i] == 0) continue;
    const auto at = static_cast<double>(i);
    n += 1;
    x += at;
    y += course.middle[i];
    xx += at * at;
    xy += at * course.middle[i];
  }
  const double spread = n * xx - x * x;
  const double slope = spread > 0 ? (n * xy - x * y) / spread : 0;
  return {(y - slope * x) / n, slope};
}

// How far stretches of the line are from the straight one at most.
double StrayOf(const Course& course, const StraightLine& fit) {
  const auto stretch =
      std::max<size_t>(static_cast<size_t>(kStretch * course.high), 1);
  double stray = 0;
  for (size_t i = 0; i + stretch <= course.mass.size(); i += stretch) {
    double off = 0, count = 0;
    for (size_t j = i; j < i + stretch; ++j) {
      if (course.mass[j] == 0) continue;
      off += fit.Below(j, course.middle[j]);
      count += 1;
    }
    if (count > 0) stray = std::max(stray, std::abs(off / count));
  }
  return stray;
}

bool IsStraight(const Course& course) {
  return StrayOf(course, FitOf(course)) <=
         kStraight * course.high + kStraightPixels;
}

// Where in the middle third of the line there is least text: between words
// where there is a gap.
float GapOf(const Course& course) {
  const auto third = static_cast<ptrdiff_t>(course.mass.size() / 3);
  const auto gap =
      std::min_element(course.mass.begin() + third, course.mass.end() - third);
  return static_cast<float>(gap - course.mass.begin());
}

// Cuts a line where it bends, and its halves; `pieces` gets the pixels of each.
void CutWhereBent(std::vector<TextPixel> line,
                  std::vector<std::vector<TextPixel>>* pieces) {
  const Course course = CourseOf(line);
  if (course.length < kLongToCut * course.high || IsStraight(course)) {
    pieces->push_back(std::move(line));
    return;
  }
  const float gap = GapOf(course);
  const auto half = std::partition(
      line.begin(), line.end(),
      [&](const TextPixel& p) { return p.along - course.left < gap; });
  CutWhereBent({line.begin(), half}, pieces);
  CutWhereBent({half, line.end()}, pieces);
}

}  // namespace

bool MayBend(const TextRegion& line) {
  const float length = std::max(line.rect.width, line.rect.height);
  const float high = geometry::Area(line.border) / length;
  return ShortSide(line.rect) >= (1 + kStraight) * high + kStraightPixels;
}

std::vector<TextRegion> StraightPieces(const RegionText& text,
                                       float direction) {
  std::vector<TextPixel> line;
  text.ForEach(direction, [&](const TextPixel& p) { line.push_back(p); });
  if (line.empty()) return {};
  std::vector<std::vector<TextPixel>> pieces;
  CutWhereBent(std::move(line), &pieces);
  if (pieces.size() < 2) return {};
  const float c = std::cos(direction), s = std::sin(direction);
  std::vector<TextRegion> regions;
  for (const std::vector<TextPixel>& piece : pieces) {
    TextRegion& region = regions.emplace_back();
    region.border.reserve(piece.size());
    for (const TextPixel& p : piece)
      region.border.push_back(
          {p.along * c - p.across * s, p.along * s + p.across * c});
    region.rect = geometry::MinAreaRect(region.border);
  }
  return regions;
}

}  // namespace munja::ocr
