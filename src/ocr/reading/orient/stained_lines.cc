#include "reading/orient/stained_lines.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "reading/orient/upright_lines.h"
#include "reading/read/text_evidence.h"

namespace munja::ocr {
namespace {

using Rect = geometry::Rect<float>;

// Lines of which more than this part of the smaller one is in both are one.
constexpr float kSamePlace = 0.3f;
// A line under a stamp is hardly read with this confidence.
constexpr float kUntouched = 0.98f;

bool LieTogether(const PageLine& a, const PageLine& b) {
  const Rect one = PlaceOf(a.box), other = PlaceOf(b.box);
  return Intersection(one, other).area() >
         kSamePlace * std::min(one.area(), other.area());
}

bool IsAt(const PageLine& line, const Rect& place) {
  return Intersection(PlaceOf(line.box), place).area() > 0;
}

// Moves the lines to a group that lie over one of `around`; whether there are
// any.
bool Join(std::span<const PageLine> around, std::vector<PageLine>* from,
          std::vector<PageLine>* group) {
  const auto rest =
      std::stable_partition(from->begin(), from->end(), [&](auto& line) {
        return std::none_of(
            around.begin(), around.end(),
            [&](const PageLine& other) { return LieTogether(line, other); });
      });
  const bool is_any = rest != from->end();
  std::move(rest, from->end(), std::back_inserter(*group));
  from->erase(rest, from->end());
  return is_any;
}

float EvidenceOf(std::span<const PageLine> lines) {
  float sum = 0;
  for (const PageLine& line : lines) sum += TextEvidence(line.reading.text);
  return sum;
}

}  // namespace

void DropReadPlaces(std::span<const PageLine> lines,
                    std::vector<Rect>* places) {
  std::erase_if(*places, [&](const Rect& place) {
    return std::any_of(lines.begin(), lines.end(), [&](const PageLine& line) {
      return line.reading.text.confidence >= kUntouched && IsAt(line, place);
    });
  });
}

void TakeBetter(std::span<const Rect> places, std::vector<PageLine> others,
                std::vector<PageLine>* lines) {
  std::vector<PageLine> better;
  for (const Rect& place : places) {
    for (;;) {
      const auto first =
          std::find_if(others.begin(), others.end(),
                       [&](const PageLine& line) { return IsAt(line, place); });
      if (first == others.end()) break;
      // All that lie over each other, in both.
      std::vector<PageLine> now, before;
      now.push_back(std::move(*first));
      others.erase(first);
      while (Join(now, lines, &before) && Join(before, &others, &now)) {
      }
      std::vector<PageLine>& most =
          EvidenceOf(now) > EvidenceOf(before) ? now : before;
      std::move(most.begin(), most.end(), std::back_inserter(better));
    }
  }
  std::move(better.begin(), better.end(), std::back_inserter(*lines));
  PutInReadingOrder(lines);
}

}  // namespace munja::ocr
