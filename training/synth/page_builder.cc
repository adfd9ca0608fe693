#include "synth/page_builder.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "synth/grammar.h"
#include "synth/texture.h"
#include "text/utf8.h"

namespace munja::train {
namespace {

constexpr float kDegree = 3.14159265f / 180;

// Ink is missing where a smooth random field is low.
void Fade(Random& random, float amount, Coverage& coverage) {
  const float cell = random.LogUniform(6, 60);
  const Plane field = SmoothNoise(random, coverage.width, coverage.height,
                                  {{cell * 3, cell, 1}, {2, 2, 0.4f}});
  const int strength = static_cast<int>(amount * 256);
  for (size_t i = 0; i < coverage.values.size(); ++i) {
    const int keep = 256 - ((255 - field.levels[i]) * strength >> 8);
    coverage.values[i] = static_cast<uint8_t>(coverage.values[i] * keep >> 8);
  }
}

// Only round dots of a grid are left.
void Dot(float pitch, Coverage& coverage) {
  for (int y = 0; y < coverage.height; ++y) {
    const float v = static_cast<float>(y + coverage.top) / pitch,
                dy = v - std::floor(v) - 0.5f;
    for (int x = 0; x < coverage.width; ++x) {
      const float u = static_cast<float>(x + coverage.left) / pitch,
                  dx = u - std::floor(u) - 0.5f;
      const float keep = std::clamp(
          (0.55f - std::sqrt(dx * dx + dy * dy)) * pitch + 0.5f, 0.0f, 1.0f);
      uint8_t& value = coverage.row(y)[x];
      value = static_cast<uint8_t>(static_cast<float>(value) * keep);
    }
  }
}

// How far a color is from what the picture shows where `coverage` is, in the
// channel where that is most, on average.
float Difference(const Canvas& canvas, const Coverage& coverage, Color color) {
  int64_t sum = 0, count = 0;
  for (int y = 0; y < coverage.height; ++y) {
    const uint8_t* cover = coverage.row(y);
    const uint8_t* pixel =
        canvas.picture().row(coverage.top + y) + 3 * coverage.left;
    for (int x = 0; x < coverage.width; ++x, pixel += 3) {
      if (cover[x] < 100) continue;
      sum +=
          std::max({std::abs(pixel[0] - color.r), std::abs(pixel[1] - color.g),
                    std::abs(pixel[2] - color.b)});
      ++count;
    }
  }
  return count > 0 ? static_cast<float>(sum) / static_cast<float>(count) : 255;
}

// Letters that differ less from the background below them are unreadable.
constexpr float kFaintest = 24;
constexpr size_t kLongestParagraph =
    1000;  // Characters; the typesetter takes no more.

// Rows of marks alone are ornament, not text that anybody asks for.
bool HasWord(std::u32string_view text) {
  return std::any_of(text.begin(), text.end(), [](char32_t c) {
    const bool symbol = c == 0xD7 || c == 0xF7 || (c >= 0x2000 && c < 0x3041) ||
                        (c >= 0xFF00 && c < 0xFF10);
    return (c >= U'0' && c <= U'9') || (c >= U'A' && c <= U'Z') ||
           (c >= U'a' && c <= U'z') || (c >= 0xC0 && !symbol);
  });
}

}  // namespace

PageBuilder::PageBuilder(Canvas& canvas, Random& random,
                         const PageRecipe& recipe, const PageText& text,
                         Typesetter& typesetter)
    : canvas_(canvas),
      random_(random),
      recipe_(recipe),
      text_(text),
      typesetter_(typesetter) {}

PageMap PageBuilder::RandomView(float page_width, float page_height, float fill,
                                float strength, bool turned) {
  Random& r = random_;
  float roll = r.Normal() * recipe_.tilt * std::min(strength * 2, 1.0f);
  const float turn = r.Unit();
  if (turned && turn < recipe_.quarter_turns)
    roll += 90.0f * static_cast<float>(r.Integer(1, 3));
  else if (turned && turn < recipe_.quarter_turns + recipe_.any_turn)
    roll = r.Uniform(-180, 180);
  const float side = 45 * recipe_.perspective * strength;
  const float yaw = r.Chance(0.6f) ? r.Normal() * 0.45f * side : 0,
              pitch = r.Chance(0.6f) ? r.Normal() * 0.45f * side : 0;
  const float cy = std::cos(yaw * kDegree), sy = std::sin(yaw * kDegree),
              cp = std::cos(pitch * kDegree), sp = std::sin(pitch * kDegree),
              cr = std::cos(roll * kDegree), sr = std::sin(roll * kDegree);
  // The page around its center, turned in space, seen by a camera at
  // `distance`.
  const float distance =
      r.Uniform(1.3f, 3.0f) * std::max(page_width, page_height);
  std::array<Point, 4> corners;
  Box bounds{1e9f, 1e9f, -1e9f, -1e9f};
  for (size_t i = 0; i < 4; ++i) {
    const float x = (i == 1 || i == 2 ? 0.5f : -0.5f) * page_width,
                y = (i >= 2 ? 0.5f : -0.5f) * page_height;
    const float rx = cr * x - sr * y, ry = sr * x + cr * y;
    const float x1 = cy * rx, z1 = -sy * rx;
    const float y2 = cp * ry - sp * z1, z2 = sp * ry + cp * z1;
    const float scale = distance / std::max(distance + z2, 0.2f * distance);
    corners[i] = {x1 * scale, y2 * scale};
    bounds = Around(bounds,
                    {corners[i].x, corners[i].y, corners[i].x, corners[i].y});
  }
  const float zoom =
      fill * std::min(width() / bounds.width(), height() / bounds.height());
  // Where there is room around the page it lies anywhere; where there is none
  // any part of it is seen.
  const float free_x = width() - bounds.width() * zoom,
              free_y = height() - bounds.height() * zoom;
  const Point shift{r.Uniform(-0.45f, 0.45f) * std::abs(free_x),
                    r.Uniform(-0.45f, 0.45f) * std::abs(free_y)};
  const Point center = bounds.center();
  for (Point& p : corners)
    p = (p - center) * zoom + Point{width() / 2, height() / 2} + shift;
  return PageMap(page_width, page_height, corners);
}

int PageBuilder::PickFont(std::u32string_view text, Scenery scenery) {
  return text_.fonts().Choose(random_, text, scenery, text_.alphabet());
}

int PageBuilder::PickFont(int language, Scenery scenery) {
  const std::u32string letters = text_.Letters(language);
  // One that has the characters of some text, too; else one with the letters.
  for (int attempt = 0; attempt < 3; ++attempt) {
    const int font =
        PickFont(letters + text_.Phrase(random_, language, 12, 40), scenery);
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
    if (word.empty() || !text_.fonts().Covers(font, word, text_.alphabet()))
      continue;
    if (!kept.empty()) kept.push_back(U' ');
    kept += word;
  }
  return kept;
}

std::optional<SetLine> PageBuilder::Set(std::u32string_view text,
                                        const TextLook& look) {
  if (text.empty() || look.font < 0 || !status_.ok() ||
      !text_.fonts().Covers(look.font, text, text_.alphabet()))
    return std::nullopt;
  Result<SetLine> line = typesetter_.Set(look.font, text, look.type);
  if (line.ok()) return std::move(line).value();
  if (line.status().code() != Code::kUnsupported)
    status_ = std::move(line).TakeStatus();
  return std::nullopt;
}

float PageBuilder::PaintLine(const SetLine& line, const TextLook& look,
                             const Placement& at, Probe& probe) {
  CoverageBuilder& builder = canvas_.builder();
  for (const SetGlyph& glyph : line.glyphs)
    builder.Add(glyph.outline, 1, {glyph.x, 0}, &at, map);
  const float em =
      look.type.size * map.ScaleAt(at.origin) * geometry::Length(at.along);
  const int rim =
      look.outline > 0
          ? std::clamp(static_cast<int>(look.outline * em + 0.5f), 1, 8)
          : 0;
  Coverage coverage = builder.Take(rim);
  if (coverage.empty()) return 0;
  if (ink_ != nullptr) ink_->Fill(coverage, {});
  const size_t step = coverage.values.size() / 400 | 1;
  for (size_t i = step / 2; i < coverage.values.size(); i += step) {
    const size_t w = static_cast<size_t>(coverage.width),
                 y = static_cast<size_t>(coverage.top) + i / w;
    const uint32_t at_pixel =
        static_cast<uint32_t>(y * static_cast<size_t>(canvas_.width()) +
                              static_cast<size_t>(coverage.left) + i % w);
    if (coverage.values[i] > 150) probe.ink.push_back(at_pixel);
    if (coverage.values[i] == 0) probe.ground.push_back(at_pixel);
  }
  if (look.shadow) {
    Coverage shadow = coverage;
    shadow.left += static_cast<int>(std::lround(look.shadow_offset.x * em));
    shadow.top += static_cast<int>(std::lround(look.shadow_offset.y * em));
    Blur(shadow, static_cast<int>(0.04f * em));
    // Only where it stays inside of the picture: shadows are decoration.
    if (shadow.left >= 0 && shadow.top >= 0 &&
        shadow.left + shadow.width <= canvas_.width() &&
        shadow.top + shadow.height <= canvas_.height())
      canvas_.Fill(shadow, {.color = look.shadow_color, .opacity = 0.7f});
  }
  if (rim > 0) {
    Coverage around = coverage;
    Dilate(around, rim);
    canvas_.Fill(around, {.color = look.outline_color});
  }
  const float contrast =
      Difference(canvas_, coverage, look.paint.color) * look.paint.opacity;
  if (look.fade > 0) Fade(random_, look.fade, coverage);
  if (look.dots > 0) Dot(std::max(look.dots * em, 1.6f), coverage);
  canvas_.Fill(coverage, look.paint);
  return contrast;
}

void PageBuilder::Draw(const SetLine& line, std::u32string_view text,
                       const TextLook& look, const Placement& at) {
  if (!HasPlace(line, at)) return;
  Probe probe;
  const float contrast = PaintLine(line, look, at, probe);
  if (Note(line, text, look.font, at, contrast < kFaintest || !HasWord(text)))
    probes_.push_back(std::move(probe));
}

void PageBuilder::Adorn(const SetLine& line, const TextLook& look,
                        const Placement& at) {
  if (!HasPlace(line, at)) return;
  Probe unused;
  Canvas* const ink = std::exchange(ink_, nullptr);
  PaintLine(line, look, at, unused);
  ink_ = ink;
}

float PageBuilder::Write(std::u32string_view text, const TextLook& look,
                         Point baseline, Align align, float room) {
  const std::optional<SetLine> line = Set(text, look);
  if (!line || line->advance > room) return 0;
  const float shift = align == Align::kLeft     ? 0
                      : align == Align::kCenter ? line->advance / 2
                                                : line->advance;
  Draw(*line, text, look, {.origin = {baseline.x - shift, baseline.y}});
  return line->advance;
}

float PageBuilder::WriteParagraph(std::u32string_view text,
                                  const TextLook& look,
                                  const ParagraphStyle& style) {
  text = text.substr(0, kLongestParagraph);
  const std::optional<SetLine> all = Set(text, look);
  if (!all) return style.top;
  float next_top = style.top;
  for (const BrokenLine& broken : BreakLines(*all, text, style, next_top))
    Draw(broken.line, text.substr(broken.begin, broken.end - broken.begin),
         look, {.origin = broken.origin});
  return next_top;
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
  const Point a = map({box.left, box.top}), b = map({box.right, box.top}),
              c = map({box.right, box.bottom}), d = map({box.left, box.bottom});
  const float x0 = std::min({a.x, b.x, c.x, d.x}),
              x1 = std::max({a.x, b.x, c.x, d.x});
  const float y0 = std::min({a.y, b.y, c.y, d.y}),
              y1 = std::max({a.y, b.y, c.y, d.y});
  const auto whole = [](float v) {
    return static_cast<int>(std::clamp(v, -1e5f, 1e5f));
  };
  return canvas_.Average(whole(x0), whole(y0), std::max(whole(x1 - x0), 1),
                         std::max(whole(y1 - y0), 1));
}

}  // namespace munja::train
