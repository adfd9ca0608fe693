#include "train/synth/page_builder.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "text/utf8.h"
#include "train/synth/grammar.h"
#include "train/synth/texture.h"

namespace munja::train {
namespace {

constexpr float kDegree = 3.14159265f / 180;

// The part of `box` (text coordinates) that is inside of the picture, by a grid of points.
template <class Map>
float VisiblePart(const Box& box, float width, float height, const Map& map) {
  int inside = 0;
  constexpr int kSteps = 4;
  for (int i = 0; i < kSteps * kSteps; ++i) {
    const float x = (static_cast<float>(i % kSteps) + 0.5f) / kSteps, y = (static_cast<float>(i / kSteps) + 0.5f) / kSteps;
    const Point p = map({box.left + x * box.width(), box.top + y * box.height()});
    inside += p.x >= 0 && p.y >= 0 && p.x <= width && p.y <= height;
  }
  return static_cast<float>(inside) / (kSteps * kSteps);
}

Box InkOf(const SetGlyph& glyph) {
  const Box b = glyph.outline.Bounds();
  return {b.left + glyph.x, b.top, b.right + glyph.x, b.bottom};
}

Box Around(const Box& a, const Box& b) {
  return {std::min(a.left, b.left), std::min(a.top, b.top), std::max(a.right, b.right), std::max(a.bottom, b.bottom)};
}

// Ink is missing where a smooth random field is low.
void Fade(Random& random, float amount, Coverage& coverage) {
  const float cell = random.LogUniform(6, 60);
  const Plane field = SmoothNoise(random, coverage.width, coverage.height, {{cell * 3, cell, 1}, {2, 2, 0.4f}});
  const int strength = static_cast<int>(amount * 256);
  for (size_t i = 0; i < coverage.values.size(); ++i) {
    const int keep = 256 - ((255 - field.levels[i]) * strength >> 8);
    coverage.values[i] = static_cast<uint8_t>(coverage.values[i] * keep >> 8);
  }
}

// Only round dots of a grid are left.
void Dot(float pitch, Coverage& coverage) {
  for (int y = 0; y < coverage.height; ++y) {
    const float v = static_cast<float>(y + coverage.top) / pitch, dy = v - std::floor(v) - 0.5f;
    for (int x = 0; x < coverage.width; ++x) {
      const float u = static_cast<float>(x + coverage.left) / pitch, dx = u - std::floor(u) - 0.5f;
      const float keep = std::clamp((0.55f - std::sqrt(dx * dx + dy * dy)) * pitch + 0.5f, 0.0f, 1.0f);
      uint8_t& value = coverage.row(y)[x];
      value = static_cast<uint8_t>(static_cast<float>(value) * keep);
    }
  }
}

// How far a color is from what the picture shows where `coverage` is, in the channel where that is most, on average.
float Difference(const Canvas& canvas, const Coverage& coverage, Color color) {
  int64_t sum = 0, count = 0;
  for (int y = 0; y < coverage.height; ++y) {
    const uint8_t* cover = coverage.row(y);
    const uint8_t* pixel = canvas.picture().row(coverage.top + y) + 3 * coverage.left;
    for (int x = 0; x < coverage.width; ++x, pixel += 3) {
      if (cover[x] < 100) continue;
      sum += std::max({std::abs(pixel[0] - color.r), std::abs(pixel[1] - color.g), std::abs(pixel[2] - color.b)});
      ++count;
    }
  }
  return count > 0 ? static_cast<float>(sum) / static_cast<float>(count) : 255;
}

// Nobody could tell letters that differ less from what is below them.
constexpr float kFaintest = 24;
// The parts of a glyph's box that must be in the picture for it to belong to its line, and for its line to say it.
constexpr float kLeastVisible = 0.2f, kReadable = 0.8f;
// As kFaintest, once light, blur and noise have had their way.
constexpr float kFaintestTaken = 10;

// Rows of marks alone are ornament, not text that anybody asks for.
bool HasWord(std::u32string_view text) {
  return std::any_of(text.begin(), text.end(), [](char32_t c) {
    const bool symbol = c == 0xD7 || c == 0xF7 || (c >= 0x2000 && c < 0x3041) || (c >= 0xFF00 && c < 0xFF10);
    return (c >= U'0' && c <= U'9') || (c >= U'A' && c <= U'Z') || (c >= U'a' && c <= U'z') || (c >= 0xC0 && !symbol);
  });
}

// Whether some direction separates two convex polygons.
bool Apart(const geometry::Polygon& a, const geometry::Polygon& b, float margin) {
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

PageBuilder::PageBuilder(Canvas& canvas, Random& random, const PageRecipe& recipe, const PageText& text,
                         Typesetter& typesetter)
    : canvas_(canvas), random_(random), recipe_(recipe), text_(text), typesetter_(typesetter) {}

PageMap PageBuilder::RandomView(float page_width, float page_height, float fill, float strength, bool turned) {
  Random& r = random_;
  float roll = r.Normal() * recipe_.tilt * std::min(strength * 2, 1.0f);
  const float turn = r.Unit();
  if (turned && turn < recipe_.quarter_turns)
    roll += 90.0f * static_cast<float>(r.Integer(1, 3));
  else if (turned && turn < recipe_.quarter_turns + recipe_.any_turn)
    roll = r.Uniform(-180, 180);
  const float side = 45 * recipe_.perspective * strength;
  const float yaw = r.Chance(0.6f) ? r.Normal() * 0.45f * side : 0, pitch = r.Chance(0.6f) ? r.Normal() * 0.45f * side : 0;
  const float cy = std::cos(yaw * kDegree), sy = std::sin(yaw * kDegree), cp = std::cos(pitch * kDegree),
              sp = std::sin(pitch * kDegree), cr = std::cos(roll * kDegree), sr = std::sin(roll * kDegree);
  // The page around its center, turned in space, seen by a camera at `distance`.
  const float distance = r.Uniform(1.3f, 3.0f) * std::max(page_width, page_height);
  std::array<Point, 4> corners;
  Box bounds{1e9f, 1e9f, -1e9f, -1e9f};
  for (size_t i = 0; i < 4; ++i) {
    const float x = (i == 1 || i == 2 ? 0.5f : -0.5f) * page_width, y = (i >= 2 ? 0.5f : -0.5f) * page_height;
    const float rx = cr * x - sr * y, ry = sr * x + cr * y;
    const float x1 = cy * rx, z1 = -sy * rx;
    const float y2 = cp * ry - sp * z1, z2 = sp * ry + cp * z1;
    const float scale = distance / std::max(distance + z2, 0.2f * distance);
    corners[i] = {x1 * scale, y2 * scale};
    bounds = Around(bounds, {corners[i].x, corners[i].y, corners[i].x, corners[i].y});
  }
  const float zoom = fill * std::min(width() / bounds.width(), height() / bounds.height());
  // Where there is room around the page it lies anywhere; where there is none any part of it is seen.
  const float free_x = width() - bounds.width() * zoom, free_y = height() - bounds.height() * zoom;
  const Point shift{r.Uniform(-0.45f, 0.45f) * std::abs(free_x), r.Uniform(-0.45f, 0.45f) * std::abs(free_y)};
  const Point center = bounds.center();
  for (Point& p : corners) p = (p - center) * zoom + Point{width() / 2, height() / 2} + shift;
  return PageMap(page_width, page_height, corners);
}

int PageBuilder::PickFont(std::u32string_view text, Scenery scenery) {
  return text_.fonts().Choose(random_, text, scenery, text_.alphabet());
}

int PageBuilder::PickFont(int language, Scenery scenery) {
  const std::u32string letters = text_.Letters(language);
  // One that has the characters of some text, too; else one with the letters.
  for (int attempt = 0; attempt < 3; ++attempt) {
    const int font = PickFont(letters + text_.Phrase(random_, language, 12, 40), scenery);
    if (font >= 0) return font;
  }
  return PickFont(letters, scenery);
}

std::u32string PageBuilder::Keep(std::u32string_view text, int font) const {
  if (font < 0) return {};
  std::u32string kept;
  while (!text.empty()) {
    const size_t end = std::min(text.find(U' '), text.size());
    const std::u32string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (word.empty() || !text_.fonts().Covers(font, word, text_.alphabet())) continue;
    if (!kept.empty()) kept.push_back(U' ');
    kept += word;
  }
  return kept;
}

std::optional<SetLine> PageBuilder::Set(std::u32string_view text, const TextLook& look) {
  if (text.empty() || look.font < 0 || !status_.ok() || !text_.fonts().Covers(look.font, text, text_.alphabet()))
    return std::nullopt;
  Result<SetLine> line = typesetter_.Set(look.font, text, look.type);
  if (line.ok()) return std::move(line).value();
  if (line.status().code() != Code::kUnsupported) status_ = std::move(line).TakeStatus();
  return std::nullopt;
}

float PageBuilder::PaintLine(const SetLine& line, const TextLook& look, const Placement& at, Probe& probe) {
  CoverageBuilder& builder = canvas_.builder();
  for (const SetGlyph& glyph : line.glyphs) builder.Add(glyph.outline, 1, {glyph.x, 0}, &at, map);
  const float em = look.type.size * map.ScaleAt(at.origin) * geometry::Length(at.along);
  const int rim = look.outline > 0 ? std::clamp(static_cast<int>(look.outline * em + 0.5f), 1, 8) : 0;
  Coverage coverage = builder.Take(rim);
  if (coverage.empty()) return 0;
  if (ink_ != nullptr) ink_->Fill(coverage, {});
  const size_t step = coverage.values.size() / 400 | 1;
  for (size_t i = step / 2; i < coverage.values.size(); i += step) {
    const size_t w = static_cast<size_t>(coverage.width), y = static_cast<size_t>(coverage.top) + i / w;
    const uint32_t at_pixel = static_cast<uint32_t>(y * static_cast<size_t>(canvas_.width()) + static_cast<size_t>(coverage.left) + i % w);
    if (coverage.values[i] > 150) probe.ink.push_back(at_pixel);
    if (coverage.values[i] == 0) probe.ground.push_back(at_pixel);
  }
  if (look.shadow) {
    Coverage shadow = coverage;
    shadow.left += static_cast<int>(std::lround(look.shadow_offset.x * em));
    shadow.top += static_cast<int>(std::lround(look.shadow_offset.y * em));
    Blur(shadow, static_cast<int>(0.04f * em));
    // Only where it stays inside of the picture: shadows are decoration.
    if (shadow.left >= 0 && shadow.top >= 0 && shadow.left + shadow.width <= canvas_.width() &&
        shadow.top + shadow.height <= canvas_.height())
      canvas_.Fill(shadow, {.color = look.shadow_color, .opacity = 0.7f});
  }
  if (rim > 0) {
    Coverage around = coverage;
    Dilate(around, rim);
    canvas_.Fill(around, {.color = look.outline_color});
  }
  const float contrast = Difference(canvas_, coverage, look.paint.color) * look.paint.opacity;
  if (look.fade > 0) Fade(random_, look.fade, coverage);
  if (look.dots > 0) Dot(std::max(look.dots * em, 1.6f), coverage);
  canvas_.Fill(coverage, look.paint);
  return contrast;
}

void PageBuilder::Draw(const SetLine& line, std::u32string_view text, const TextLook& look, const Placement& at,
                       bool ignore) {
  if (!Visible(line, at)) return;
  if (!keep_out_.empty() && !Apart(OutlineOf(line, at), keep_out_, 1)) return;
  Probe probe;
  const float contrast = PaintLine(line, look, at, probe);
  if (Note(line, text, look.font, at, ignore || contrast < kFaintest || !HasWord(text))) probes_.push_back(std::move(probe));
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
        for (uint32_t at : pixels) sum += canvas_.picture().row(static_cast<int>(at / width))[3 * (at % width) + c];
        return sum / static_cast<float>(pixels.size());
      };
      most = std::max(most, std::abs(mean(probe.ink) - mean(probe.ground)));
    }
    lines_[i].ignore = most < kFaintestTaken;
  }
}

bool PageBuilder::Visible(const SetLine& line, const Placement& at) const {
  if (at.curvature != 0) return true;
  const Box& ink = line.ink;
  Box seen{1e9f, 1e9f, -1e9f, -1e9f};
  for (const Point corner : {Point{ink.left, ink.top}, Point{ink.right, ink.top}, Point{ink.right, ink.bottom},
                             Point{ink.left, ink.bottom}, Point{(ink.left + ink.right) / 2, ink.top}}) {
    const Point p = map(at(corner));
    seen = Around(seen, {p.x, p.y, p.x, p.y});
  }
  const float margin = 0.5f * std::min(seen.width(), seen.height()) + 2;  // Bent paper.
  return seen.right > -margin && seen.bottom > -margin && seen.left < width() + margin && seen.top < height() + margin;
}

geometry::Polygon PageBuilder::Outline(const Box& ink, const Placement& at) const {
  const float pad = recipe_.padding * ink.height();
  const Box box = ink.Inset(-pad);
  const auto project = [&](float x, float y) { return map(at({x, y})); };
  const Point corners[] = {project(box.left, box.top), project(box.right, box.top), project(box.right, box.bottom),
                           project(box.left, box.bottom)};
  if (!map.straight() || at.curvature != 0) {
    // How far the middle of the line is from where a quad would have it.
    const float middle = (box.left + box.right) / 2;
    const Point top = project(middle, box.top) - (corners[0] + corners[1]) * 0.5f;
    const float high = geometry::Length(corners[3] - corners[0]);
    const float bow = geometry::Length(top);
    if (bow > 0.06f * high) {
      const int n = std::clamp(3 + static_cast<int>(3 * std::sqrt(bow / std::max(high, 1.0f))), 4, 10);
      geometry::Polygon outline;
      for (int i = 0; i < n; ++i)
        outline.push_back(project(box.left + box.width() * static_cast<float>(i) / static_cast<float>(n - 1), box.top));
      for (int i = n; i-- > 0;)
        outline.push_back(project(box.left + box.width() * static_cast<float>(i) / static_cast<float>(n - 1), box.bottom));
      return outline;
    }
  }
  return {corners[0], corners[1], corners[2], corners[3]};
}

geometry::Polygon PageBuilder::OutlineOf(const SetLine& line, const Placement& at) const { return Outline(line.ink, at); }

bool PageBuilder::Note(const SetLine& line, std::u32string_view text, int font, const Placement& at, bool ignore) {
  const auto project = [&](Point p) { return map(at(p)); };
  const auto inside = [&](Point p) {
    p = project(p);
    return p.x >= 0 && p.y >= 0 && p.x <= width() && p.y <= height();
  };
  // The longest run of glyphs of which something is to be seen; those at its ends may be cut by the picture's border.
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
  while (best < best_end && line.glyphs[best_end - 1].outline.empty()) --best_end;
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
      const bool left_in = inside({part.left, y}), right_in = inside({part.right, y});
      if (i == best && !left_in && right_in) part.left = part.right - seen;
      if (i == best_end - 1 && left_in && !right_in) part.right = part.left + seen;
      ink = begun ? Around(ink, part) : part;
      begun = true;
    }
    // What is cut along its whole length cannot be read.
    if (2 * whole < letters) noted.ignore = true;
    if (whole > 0) {
      const size_t from = line.glyphs[first].begin;
      const size_t to = last + 1 < count ? std::max(line.glyphs[last + 1].begin, from + 1) : text.size();
      const std::u32string_view seen = text.substr(from, to - from);
      // Small letters that look like capitals are capitals.
      noted.text = text::EncodeUtf8(text_.fonts().fonts()[static_cast<size_t>(font)].is_unicase ? ToUpper(seen)
                                                                                                : std::u32string(seen));
    }
  }
  while (!noted.text.empty() && noted.text.back() == ' ') noted.text.pop_back();
  noted.outline = Outline(ink, at);
  // Height across the baseline, without the padding.
  const float middle = (ink.left + ink.right) / 2;
  const float high = geometry::Length(project({middle, ink.bottom}) - project({middle, ink.top}));
  if (high < recipe_.ignore_below) noted.ignore = true;
  for (Point& p : noted.outline) p = {std::clamp(p.x, 0.0f, width()), std::clamp(p.y, 0.0f, height())};
  if (geometry::Area(noted.outline) < 1) return false;
  lines_.push_back(std::move(noted));
  return true;
}

float PageBuilder::Write(std::u32string_view text, const TextLook& look, Point baseline, Align align, float room) {
  const std::optional<SetLine> line = Set(text, look);
  if (!line || line->advance > room) return 0;
  const float shift = align == Align::kLeft ? 0 : align == Align::kCenter ? line->advance / 2 : line->advance;
  Draw(*line, text, look, {.origin = {baseline.x - shift, baseline.y}});
  return line->advance;
}

float PageBuilder::WriteParagraph(std::u32string_view text, const TextLook& look, float left, float right, float top,
                                  float bottom, float line_height, Align align, bool justify, float indent) {
  float y = top + line_height * 0.8f;  // The first baseline.
  text = text.substr(0, 1000);
  const std::optional<SetLine> all = Set(text, look);
  if (!all) return top;
  const std::vector<SetGlyph>& glyphs = all->glyphs;
  size_t begin = 0;
  bool first = true;
  while (begin < glyphs.size() && y + 0.25f * line_height <= bottom) {
    const float from = left + (first ? indent : 0), room = right - from;
    // As many words as fit, at least one.
    size_t end = begin, next = glyphs.size();
    for (size_t i = begin; i <= glyphs.size(); ++i) {
      const bool space = i < glyphs.size() && text[glyphs[i].begin] == U' ';
      if (i < glyphs.size() && !space) continue;
      const float stop = i < glyphs.size() ? glyphs[i].x : all->advance;
      if (end > begin && stop - glyphs[begin].x > room) break;
      end = i;
      next = i + 1;
    }
    const bool last = end == glyphs.size();
    SetLine line;
    line.ascent = all->ascent;
    line.descent = all->descent;
    line.advance = (last ? all->advance : glyphs[end].x) - glyphs[begin].x;
    size_t spaces = 0;
    for (size_t i = begin; i < end; ++i) spaces += text[glyphs[i].begin] == U' ';
    const float slack = room - line.advance;
    // A justified line is not pulled wider than 15 %.
    const float extra = justify && !last && spaces > 0 && slack > 0 && slack < 0.15f * room ? slack / static_cast<float>(spaces) : 0;
    const size_t text_begin = glyphs[begin].begin, text_end = last ? text.size() : glyphs[end].begin;
    float shift = -glyphs[begin].x;
    bool any = false;
    for (size_t i = begin; i < end; ++i) {
      SetGlyph glyph = glyphs[i];
      glyph.begin -= text_begin;
      glyph.x += shift;
      if (text[glyphs[i].begin] == U' ') {
        shift += extra;
        glyph.advance += extra;
      } else if (!glyph.outline.empty()) {
        line.ink = any ? Around(line.ink, InkOf(glyph)) : InkOf(glyph);
        any = true;
      }
      line.glyphs.push_back(std::move(glyph));
    }
    // A single word wider than the column is left out.
    if (any && line.advance <= room * 1.02f) {
      const float free = room - line.advance - extra * static_cast<float>(spaces);
      const float x = align == Align::kLeft ? from : align == Align::kCenter ? from + free / 2 : from + free;
      Draw(line, text.substr(text_begin, text_end - text_begin), look, {.origin = {x, y}});
    }
    y += line_height;
    begin = next;
    first = false;
  }
  return y - line_height * 0.8f;
}

void PageBuilder::FillBox(const Box& box, const Paint& paint, float radius) {
  Path path;
  path.AddRoundBox(box, radius);
  Fill(path, paint);
}

void PageBuilder::Rule(Point from, Point to, float thickness, Color color) {
  Path path;
  path.AddSegment(from, to, thickness);
  Fill(path, {.color = color});
}

Color PageBuilder::Below(const Box& box) const {
  const Point a = map({box.left, box.top}), b = map({box.right, box.top}), c = map({box.right, box.bottom}),
              d = map({box.left, box.bottom});
  const float x0 = std::min({a.x, b.x, c.x, d.x}), x1 = std::max({a.x, b.x, c.x, d.x});
  const float y0 = std::min({a.y, b.y, c.y, d.y}), y1 = std::max({a.y, b.y, c.y, d.y});
  const auto whole = [](float v) { return static_cast<int>(std::clamp(v, -1e5f, 1e5f)); };
  return canvas_.Average(whole(x0), whole(y0), std::max(whole(x1 - x0), 1), std::max(whole(y1 - y0), 1));
}

bool PageBuilder::Taken(const geometry::Polygon& outline, float margin) const {
  return std::any_of(lines_.begin(), lines_.end(), [&](const PageLine& line) { return !Apart(line.outline, outline, margin); });
}

void PageBuilder::KeepOut(const Box& box) {
  keep_out_.clear();
  if (box.width() <= 0) return;
  keep_out_ = {map({box.left, box.top}), map({box.right, box.top}), map({box.right, box.bottom}), map({box.left, box.bottom})};
}

bool PageBuilder::InPicture(const geometry::Polygon& outline) const {
  return std::all_of(outline.begin(), outline.end(),
                     [this](Point p) { return p.x >= 0 && p.y >= 0 && p.x <= width() && p.y <= height(); });
}

}  // namespace munja::train
