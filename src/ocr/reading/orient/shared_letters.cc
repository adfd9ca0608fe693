#include "reading/orient/shared_letters.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>

#include "geometry/quad.h"
#include "geometry/rect.h"

namespace munja::ocr {
namespace {

using geometry::Length;
using geometry::Point;
using geometry::Quad;

// Lines of one row run within so many degrees of each other: the sine. They
// share this part of the lower one's height.
constexpr float kSameWay = 0.1f, kShared = 0.6f;
// Two letters are one where they share this part of the narrower one's width.
constexpr float kSameInk = 0.5f;
// Boxes of a row overlap by up to so many heights; else one lies in the other.
constexpr float kMostOverlap = 4;

float Dot(Point a, Point b) { return a.x * b.x + a.y * b.y; }
float Cross(Point a, Point b) { return a.x * b.y - a.y * b.x; }

// How a line runs, and where it is.
struct Course {
  Point start, along;  // A unit vector.
  float length, height;
};

Course CourseOf(const Quad& quad) {
  const Point side = quad[1] - quad[0];
  const float length = Length(side);
  return {(quad[0] + quad[3]) * 0.5f,
          length > 0 ? side * (1 / length) : Point{1, 0}, length,
          Length(quad[3] - quad[0])};
}

// Whether `second` goes on where `first` ends, in its row, and both overlap.
bool Overlap(const Course& first, const Course& second) {
  if (!(first.height > 0 && second.height > 0)) return false;
  if (std::abs(Cross(first.along, second.along)) > kSameWay ||
      Dot(first.along, second.along) < 0)
    return false;
  const Point way = second.start - first.start;
  const float from = Dot(way, first.along);
  const float to = Dot(way + second.along * second.length, first.along);
  const float overlap = first.length - from;
  if (from <= 0 || to <= first.length || overlap <= 0 ||
      overlap > kMostOverlap * std::min(first.height, second.height))
    return false;
  const float off = std::abs(Cross(first.along, way) +
                             Cross(first.along, second.along) * overlap / 2);
  const float lower = std::min(first.height, second.height);
  const float shared = (first.height + second.height) / 2 - off;
  return std::min(shared, lower) >= kShared * lower;
}

// Where a letter of `other` lies along `line`.
std::pair<float, float> PlaceOn(const Course& line, const Course& other,
                                const text::CtcMark& mark) {
  const auto at = [&](float share) {
    const Point p = other.start + other.along * (share * other.length);
    return Dot(p - line.start, line.along);
  };
  return {at(mark.left), at(mark.right)};
}

bool AreSameInk(std::pair<float, float> a, std::pair<float, float> b) {
  const float shared =
      std::min(a.second, b.second) - std::max(a.first, b.first);
  const float narrower = std::min(a.second - a.first, b.second - b.first);
  return narrower > 0 && shared >= kSameInk * narrower;
}

std::string_view TextOf(const text::CtcLine& line, size_t i) {
  const size_t begin = i == 0 ? 0 : line.marks[i - 1].text_end;
  return std::string_view(line.text).substr(begin,
                                            line.marks[i].text_end - begin);
}

// Without the characters whose flags are set, and the spaces that are then at
// the ends.
void Erase(std::vector<bool> is_gone, text::CtcLine* line) {
  const auto is_empty = [&](size_t i) {
    return is_gone[i] || TextOf(*line, i) == " ";
  };
  for (size_t i = 0; i < is_gone.size() && is_empty(i); ++i) is_gone[i] = true;
  for (size_t i = is_gone.size(); i-- > 0 && is_empty(i);) is_gone[i] = true;
  std::string text;
  std::vector<text::CtcMark> marks;
  for (size_t i = 0; i < is_gone.size(); ++i) {
    if (is_gone[i]) continue;
    text += TextOf(*line, i);
    marks.push_back(line->marks[i]);
    marks.back().text_end = text.size();
  }
  line->text = std::move(text);
  line->marks = std::move(marks);
}

void DropShared(const Course& first, const Course& second, text::CtcLine* left,
                text::CtcLine* right) {
  std::vector<bool> left_gone(left->marks.size(), false);
  std::vector<bool> right_gone(right->marks.size(), false);
  for (size_t i = 0; i < left->marks.size(); ++i) {
    if (TextOf(*left, i) == " ") continue;
    for (size_t j = 0; j < right->marks.size(); ++j) {
      if (right_gone[j] || TextOf(*right, j) == " " ||
          !AreSameInk(PlaceOn(first, first, left->marks[i]),
                      PlaceOn(first, second, right->marks[j])))
        continue;
      if (left->marks[i].probability < right->marks[j].probability) {
        left_gone[i] = true;
        break;
      }
      right_gone[j] = true;
    }
  }
  for (const auto& [gone, line] :
       {std::pair(&left_gone, left), std::pair(&right_gone, right)})
    if (std::ranges::find(*gone, true) != gone->end()) Erase(*gone, line);
}

}  // namespace

void DropSharedLetters(std::vector<PageLine>* lines) {
  std::vector<Course> courses;
  std::vector<geometry::Rect<float>> bounds;
  for (const PageLine& line : *lines) {
    courses.push_back(CourseOf(line.reading.polygon));
    bounds.push_back(geometry::BoundsOf(line.reading.polygon));
  }
  bool is_any = false;
  for (size_t i = 0; i < lines->size(); ++i) {
    for (size_t j = 0; j < lines->size(); ++j) {
      if (i == j || Intersection(bounds[i], bounds[j]).area() <= 0 ||
          !Overlap(courses[i], courses[j]))
        continue;
      DropShared(courses[i], courses[j], &(*lines)[i].reading.text,
                 &(*lines)[j].reading.text);
      is_any = true;
    }
  }
  if (is_any)
    std::erase_if(*lines, [](const PageLine& line) {
      return line.reading.text.text.empty();
    });
}

}  // namespace munja::ocr
