#include "reading/find/table_rules.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "geometry/quad.h"
#include "reading/find/line_ink.h"

namespace munja::ocr {
namespace {

using geometry::Point;
using geometry::Quad;

// A rule crosses two boxes at least: the places lie this near, in heights of
// the boxes, to a line across them; less near, the further away.
constexpr float kNear = 0.3f, kSlope = 0.02f;
// In heights of the box: a cell that is narrower holds a character, and a part
// that is narrower is none.
constexpr float kCharacterCell = 1.3f, kLeastPart = 0.4f;
// How much paper a part keeps around its ink.
constexpr float kPartMargin = 0.2f;
// Crops are interpolated: a pixel beside a rule shows some of it. What begins
// behind a rule may touch it.
constexpr float kBeforeRule = 1.5f, kBehindRule = 0.5f;

struct Crossing {
  size_t box;
  LineInk::Piece rule;  // Along the box.
  Point at, down;       // On the page; down is a unit vector.
  float height;
};

std::vector<Crossing> FindCrossings(const image::ImageView& page,
                                    const std::vector<TextBox>& boxes) {
  std::vector<Crossing> crossings;
  for (size_t i = 0; i < boxes.size(); ++i) {
    const LineInk ink(page, boxes[i].quad);
    if (!ink.has_contrast()) continue;
    for (const LineInk::Piece& rule : ink.FindRules()) {
      const float x = (rule.begin + rule.end) / 2;
      crossings.push_back({i, rule, ink.At(x, 0.5f),
                           geometry::Unit(ink.At(x, 1) - ink.At(x, 0)),
                           ink.height()});
    }
  }
  return crossings;
}

bool AreOneRule(const Crossing& a, const Crossing& b) {
  const Point way = b.at - a.at;
  const float aside = std::abs(way.x * a.down.y - way.y * a.down.x);
  return a.box != b.box && aside <= kNear * std::min(a.height, b.height) +
                                        kSlope * geometry::Length(way);
}

// The share of a quad in the box that one of its parts holds.
Quad PartOf(const Quad& quad, const Quad& box, const LineInk::Piece& part) {
  const Point along = geometry::Unit(box[1] - box[0], {1, 0});
  const auto place = [&](const Point& p) {
    return (p.x - box[0].x) * along.x + (p.y - box[0].y) * along.y;
  };
  const float begin = place(quad[0]), end = place(quad[1]);
  return Lengthened(Lengthened(quad, true, std::min(part.end - end, 0.0f)),
                    false, std::min(begin - part.begin, 0.0f));
}

// The parts between rules that hold ink; none: the box stays as it is.
std::vector<LineInk::Piece> PartsOf(const LineInk& ink, float length,
                                    const std::vector<LineInk::Piece>& rules) {
  std::vector<LineInk::Piece> parts;
  size_t narrow = 0;
  float begin = 0;
  for (size_t i = 0; i <= rules.size(); ++i) {
    const LineInk::Piece part = {
        begin, i < rules.size() ? rules[i].begin - kBeforeRule : length};
    if (i < rules.size()) begin = rules[i].end + kBehindRule;
    if (part.end - part.begin < kLeastPart * ink.height()) continue;
    const auto inked = ink.InkWithin(part);
    if (!inked) continue;
    narrow += part.end - part.begin < kCharacterCell * ink.height();
    const float margin = kPartMargin * ink.height();
    parts.push_back({std::max(part.begin, inked->begin - margin),
                     std::min(part.end, inked->end + margin)});
  }
  if (2 * narrow > parts.size() + 1) parts.clear();
  return parts;
}

}  // namespace

void SplitAtRules(const image::ImageView& page, std::vector<TextBox>* boxes) {
  const std::vector<Crossing> crossings = FindCrossings(page, *boxes);
  std::vector<std::vector<LineInk::Piece>> rules(boxes->size());
  for (const Crossing& crossing : crossings) {
    const bool is_rule =
        std::any_of(crossings.begin(), crossings.end(),
                    [&](const Crossing& c) { return AreOneRule(crossing, c); });
    if (is_rule) rules[crossing.box].push_back(crossing.rule);
  }
  std::vector<TextBox> split;
  for (size_t i = 0; i < boxes->size(); ++i) {
    const TextBox& box = (*boxes)[i];
    std::vector<LineInk::Piece> parts;
    if (!rules[i].empty())
      parts = PartsOf(LineInk(page, box.quad),
                      geometry::Length(box.quad[1] - box.quad[0]), rules[i]);
    for (const LineInk::Piece& part : parts) {
      TextBox& piece = split.emplace_back(box);
      piece.quad = PartOf(box.quad, box.quad, part);
      if (box.outline) piece.outline = PartOf(*box.outline, box.quad, part);
    }
    if (parts.empty()) split.push_back(box);
  }
  *boxes = std::move(split);
}

}  // namespace munja::ocr
