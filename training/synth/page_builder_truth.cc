// The half of PageBuilder that knows where the lines are.
#include <algorithm>
#include <cmath>
#include <utility>

#include "synth/grammar.h"
#include "synth/page_builder.h"
#include "text/utf8.h"

namespace munja::train {
namespace {

// The parts of a glyph's box that must be in the picture for it to belong to
// its line, and for its line to say it.
constexpr float kLeastVisible = 0.2f, kReadable = 0.8f;

// How far letters must differ from what is between them, 0 to 255, once light,
// blur and noise have had their way.
constexpr float kFaintestTaken = 10;

// The least width of an outline, as a part of its height.
constexpr float kNarrowest = 0.5f;

// The part of `box` (text coordinates) that is inside of the picture, by a grid
// of points.
template <class Map>
float VisiblePart(const Box& box, float width, float height, const Map& map) {
  int inside = 0;
  constexpr int kSteps = 4;
  for (int i = 0; i < kSteps * kSteps; ++i) {
    const int column = i % kSteps, row = i / kSteps;
    const float x = (static_cast<float>(column) + 0.5f) / kSteps,
                y = (static_cast<float>(row) + 0.5f) / kSteps;
    const Point p =
        map({box.left + x * box.width(), box.top + y * box.height()});
    inside += p.x >= 0 && p.y >= 0 && p.x <= width && p.y <= height;
  }
  return static_cast<float>(inside) / (kSteps * kSteps);
}

// Whether some direction separates two convex polygons.
bool Apart(const geometry::Polygon& a, const geometry::Polygon& b,
           float margin) {
  for (const auto* polygon : {&a, &b}) {
    for (size_t i = 0; i < polygon->size(); ++i) {
      const Point edge = (*polygon)[(i + 1) % polygon->size()] - (*polygon)[i];
      const float length = geometry::Length(edge);
      if (!(length > 0)) continue;
      const Point axis{-edge.y / length, edge.x / length};
      float low[2] = {1e30f, 1e30f}, high[2] = {-1e30f, -1e30f};
      int k = 0;
      for (const auto* p : {&a, &b}) {
        for (Point q : *p) {
          const float at = q.x * axis.x + q.y * axis.y;
          low[k] = std::min(low[k], at);
          high[k] = std::max(high[k], at);
        }
        ++k;
      }
      if (low[0] > high[1] + margin || low[1] > high[0] + margin) return true;
    }
  }
  return false;
}

}  // namespace

bool PageBuilder::Note(const SetLine& line, std::u32string_view text, int font,
                       const Placement& at, bool ignore) {
  const auto project = [&](Point p) { return map(at(p)); };
  const auto inside = [&](Point p) {
    p = project(p);
    return p.x >= 0 && p.y >= 0 && p.x <= width() && p.y <= height();
  };
  // The longest run of glyphs of which something is to be seen; those at its
  // ends may be cut by the picture's border.
  const size_t count = line.glyphs.size();
  std::vector<float> visible(count, 1);
  size_t best = 0, best_end = 0, run = 0;
  bool any = false;
  for (size_t i = 0; i < count; ++i) {
    const SetGlyph& glyph = line.glyphs[i];
    if (!glyph.outline.empty()) {
      visible[i] = VisiblePart(InkOf(glyph), width(), height(), project);
      any = any || visible[i] > 0;
    }
    if (visible[i] < kLeastVisible) run = i + 1;
    if (i + 1 - run > best_end - best) {
      best = run;
      best_end = i + 1;
    }
  }
  while (best < best_end && line.glyphs[best].outline.empty()) ++best;
  while (best < best_end && line.glyphs[best_end - 1].outline.empty())
    --best_end;
  PageLine noted;
  noted.ignore = ignore;
  Box ink = line.ink;
  if (best == best_end) {
    if (!any) return false;  // Out of the picture.
    noted.ignore = true;
  } else {
    size_t letters = 0, whole = 0, first = count, last = 0;
    bool begun = false;
    for (size_t i = best; i < best_end; ++i) {
      if (line.glyphs[i].outline.empty()) continue;
      ++letters;
      if (visible[i] >= kReadable) {
        ++whole;
        first = std::min(first, i);
        last = i;
      }
      Box part = InkOf(line.glyphs[i]);
      const float y = part.center().y, seen = visible[i] * part.width();
      const bool left_in = inside({part.left, y}),
                 right_in = inside({part.right, y});
      if (i == best && !left_in && right_in) part.left = part.right - seen;
      if (i == best_end - 1 && left_in && !right_in)
        part.right = part.left + seen;
      ink = begun ? Around(ink, part) : part;
      begun = true;
    }
    // A line that is cut along its whole length cannot be read.
    if (2 * whole < letters) noted.ignore = true;
    if (whole > 0) {
      const size_t from = line.glyphs[first].begin;
      const size_t to = last + 1 < count
                            ? std::max(line.glyphs[last + 1].begin, from + 1)
                            : text.size();
      const std::u32string_view seen = text.substr(from, to - from);
      // Small letters that look like capitals are capitals.
      noted.text = text_.alphabet().LabelOf(
          text_.fonts().fonts()[static_cast<size_t>(font)].is_unicase
              ? ToUpper(seen)
              : std::u32string(seen));
    }
  }
  while (!noted.text.empty() && noted.text.back() == ' ') noted.text.pop_back();
  noted.outline = Outline(ink, at);
  const auto within = [&](Point p) {
    return Point{std::clamp(p.x, 0.0f, width()),
                 std::clamp(p.y, 0.0f, height())};
  };
  // The height that can be seen, across the baseline and without the padding:
  // where the border cuts a line lengthwise its letters cannot be read.
  const float pad = recipe_.padding * ink.height();
  for (const float x :
       {ink.left - pad, (ink.left + ink.right) / 2, ink.right + pad}) {
    const float high = geometry::Length(within(project({x, ink.bottom + pad})) -
                                        within(project({x, ink.top - pad})));
    if (high < recipe_.ignore_below * (1 + 2 * recipe_.padding))
      noted.ignore = true;
  }
  for (Point& p : noted.outline) p = within(p);
  if (geometry::Area(noted.outline) < 1) return false;
  lines_.push_back(std::move(noted));
  return true;
}

geometry::Polygon PageBuilder::Outline(const Box& ink,
                                       const Placement& at) const {
  const float pad = recipe_.padding * ink.height();
  Box box = ink.Inset(-pad);
  // Around a lone 1 or I people draw a box as around any other letter.
  const float narrow = kNarrowest * box.height() - box.width();
  if (narrow > 0) {
    box.left -= narrow / 2;
    box.right += narrow / 2;
  }
  const auto project = [&](float x, float y) { return map(at({x, y})); };
  const Point corners[] = {
      project(box.left, box.top), project(box.right, box.top),
      project(box.right, box.bottom), project(box.left, box.bottom)};
  if (!map.straight() || at.curvature != 0) {
    // How far the middle of the line is from where a quad would have it.
    const float middle = (box.left + box.right) / 2;
    const Point top =
        project(middle, box.top) - (corners[0] + corners[1]) * 0.5f;
    const float high = geometry::Length(corners[3] - corners[0]);
    const float bow = geometry::Length(top);
    if (bow > 0.06f * high) {
      const int n = std::clamp(
          3 + static_cast<int>(3 * std::sqrt(bow / std::max(high, 1.0f))), 4,
          10);
      geometry::Polygon outline;
      for (int i = 0; i < n; ++i)
        outline.push_back(
            project(box.left + box.width() * static_cast<float>(i) /
                                   static_cast<float>(n - 1),
                    box.top));
      for (int i = n; i-- > 0;)
        outline.push_back(
            project(box.left + box.width() * static_cast<float>(i) /
                                   static_cast<float>(n - 1),
                    box.bottom));
      return outline;
    }
  }
  return {corners[0], corners[1], corners[2], corners[3]};
}

geometry::Polygon PageBuilder::OutlineOf(const SetLine& line,
                                         const Placement& at) const {
  return Outline(line.ink, at);
}

void PageBuilder::IgnoreFaint() {
  const size_t width = static_cast<size_t>(canvas_.width());
  for (size_t i = 0; i < lines_.size(); ++i) {
    const Probe& probe = probes_[i];
    if (lines_[i].ignore || probe.ink.empty() || probe.ground.empty()) continue;
    float most = 0;
    for (size_t c = 0; c < 3; ++c) {
      const auto mean = [&](const std::vector<uint32_t>& pixels) {
        float sum = 0;
        for (uint32_t at : pixels)
          sum += canvas_.picture().row(
              static_cast<int>(at / width))[3 * (at % width) + c];
        return sum / static_cast<float>(pixels.size());
      };
      most = std::max(most, std::abs(mean(probe.ink) - mean(probe.ground)));
    }
    lines_[i].ignore = most < kFaintestTaken;
  }
}

bool PageBuilder::HasPlace(const SetLine& line, const Placement& at) const {
  if (!keep_out_.empty() && !Apart(OutlineOf(line, at), keep_out_, 1))
    return false;
  if (at.curvature != 0) return true;
  const Box& ink = line.ink;
  Box seen{1e9f, 1e9f, -1e9f, -1e9f};
  for (const Point corner :
       {Point{ink.left, ink.top}, Point{ink.right, ink.top},
        Point{ink.right, ink.bottom}, Point{ink.left, ink.bottom},
        Point{(ink.left + ink.right) / 2, ink.top}}) {
    const Point p = map(at(corner));
    seen = Around(seen, {p.x, p.y, p.x, p.y});
  }
  const float margin =
      0.5f * std::min(seen.width(), seen.height()) + 2;  // Bent paper.
  return seen.right > -margin && seen.bottom > -margin &&
         seen.left < width() + margin && seen.top < height() + margin;
}

void PageBuilder::KeepOut(const Box& box) {
  keep_out_.clear();
  if (box.width() <= 0) return;
  keep_out_ = {map({box.left, box.top}), map({box.right, box.top}),
               map({box.right, box.bottom}), map({box.left, box.bottom})};
}

bool PageBuilder::InPicture(const geometry::Polygon& outline) const {
  return std::all_of(outline.begin(), outline.end(), [this](Point p) {
    return p.x >= 0 && p.y >= 0 && p.x <= width() && p.y <= height();
  });
}

bool PageBuilder::Taken(const geometry::Polygon& outline, float margin) const {
  return std::any_of(lines_.begin(), lines_.end(), [&](const PageLine& line) {
    return !Apart(line.outline, outline, margin);
  });
}

}  // namespace munja::train
