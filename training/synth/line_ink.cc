#include "synth/line_ink.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "synth/dot_matrix.h"

namespace munja::train {
namespace {

// The baseline's way through the picture: bent to an arc, sheared, turned, seen
// from a side.
struct Bend {
  float curvature = 0;  // 1 / radius, pixels.
  float middle = 0;     // x where the arc is level.
  float turn = 0;       // Radians.
  float rise = 0;       // Pixels down a pixel right.
  float nearness = 0;   // Change of scale per pixel along x.
  Point move;

  Point operator()(Point p) const {
    if (curvature != 0) {
      const float angle = (p.x - middle) * curvature,
                  radius = 1 / curvature - p.y;
      p = {middle + radius * std::sin(angle),
           1 / curvature - radius * std::cos(angle)};
    }
    const float dx = p.x - middle;
    const float scale = 1 + nearness * dx;
    p = {middle + dx * (1 + 0.5f * nearness * dx), p.y * scale + rise * dx};
    const float c = std::cos(turn), s = std::sin(turn);
    const Point turned = {middle + (p.x - middle) * c - p.y * s,
                          (p.x - middle) * s + p.y * c};
    return turned + move;
  }
};

Path Bent(const Path& path, Point offset, const Bend& bend) {
  Path out = path;
  for (Point& p : out.mutable_points()) p = bend(p + offset);
  return out;
}

TypeStyle RandomStyle(Scenery scenery, const LineOptions& options,
                      Random& random) {
  TypeStyle style;
  const float fx = std::min(options.effects, 1.0f);
  style.size = random.LogUniform(options.smallest, options.largest);
  const bool is_scene = scenery == Scenery::kScene;
  if (is_scene && random.Chance(0.6f)) {
    // Signs are photographed from a side, and lettered at any width.
    style.stretch = random.LogUniform(1 / (1 + 0.45f * fx), 1 + 0.5f * fx);
  } else if (random.Chance(0.45f)) {
    style.stretch = random.Uniform(1 - 0.3f * fx, 1 + 0.3f * fx);
  }
  if (random.Chance((is_scene ? 0.2f : 0.08f) * fx))
    style.slant = random.Uniform(-0.2f, 0.35f);
  const float bolder = is_scene ? 0.5f : 0.15f;
  if (random.Chance(bolder)) style.weight = random.Integer(1, 2);
  if (random.Chance(0.04f)) style.weight = -1;
  if (random.Chance(0.2f)) style.spacing = random.Uniform(-0.03f, 0.06f);
  if (random.Chance(scenery == Scenery::kScene ? 0.12f : 0.03f))
    style.spacing = random.Uniform(0.06f, 0.35f);
  style.ligatures = random.Chance(0.2f);
  style.kerning = random.Chance(0.8f);
  return style;
}

float DotShare(Scenery scenery) {
  return scenery == Scenery::kReceipt  ? 0.06f
         : scenery == Scenery::kScreen ? 0.12f
                                       : 0.015f;
}

// Columns of a receipt: one space becomes as wide as a few letters.
void WidenSpace(std::u32string_view text, SetLine& line, Random& random) {
  std::vector<size_t> spaces;
  for (size_t i = 1; i < line.glyphs.size(); ++i) {
    if (text[line.glyphs[i].begin] == U' ') spaces.push_back(i);
  }
  if (spaces.empty()) return;
  const size_t chosen = spaces[random.Below(spaces.size())];
  const float wider = line.glyphs[chosen].advance * random.Uniform(0.5f, 5);
  for (size_t i = chosen + 1; i < line.glyphs.size(); ++i)
    line.glyphs[i].x += wider;
  line.advance += wider;
  line.ink.right += wider;
}

Bend RandomBend(Scenery scenery, const SetLine& line, float strength,
                Random& random) {
  Bend bend;
  const float length = std::max(line.advance, 1.0f),
              height = line.ascent + line.descent;
  bend.middle = length / 2;
  // A cut follows its line: what is left of turning is small, smaller still on
  // long lines.
  // Boxes of words in scenes stay level where the words do not.
  const bool is_scene = scenery == Scenery::kScene;
  const float most = std::min(is_scene ? 0.11f : 0.035f,
                              (is_scene ? 0.45f : 0.25f) * height / length) *
                     strength;
  if (random.Chance(is_scene ? 0.6f : 0.35f))
    bend.turn = random.Normal() * most * 0.7f;
  if (random.Chance(is_scene ? 0.25f : 0.08f))
    bend.rise = random.Normal() * most;
  if (random.Chance(is_scene ? 0.3f : 0.05f))
    bend.nearness = random.Uniform(-0.25f, 0.25f) * strength / length;
  if (random.Chance(is_scene ? 0.25f : 0.07f)) {
    // The arc rises by a part of the height in its middle.
    const float rise = random.Uniform(-0.35f, 0.35f) * height * strength *
                       (is_scene ? 1.0f : 0.4f);
    bend.curvature = 8 * rise / (length * length);
    if (std::abs(bend.curvature) * length > 1.2f)
      bend.curvature = std::copysign(1.2f / length, bend.curvature);
    if (std::abs(bend.curvature) < 1e-6f) bend.curvature = 0;
  }
  return bend;
}

// The bounds of all points of the glyphs, after bending.
Box BentBounds(const SetLine& line, const Bend& bend) {
  Box box{1e9f, 1e9f, -1e9f, -1e9f};
  for (const SetGlyph& glyph : line.glyphs) {
    for (Point p : glyph.outline.points()) {
      p = bend(p + Point{glyph.x, 0});
      box = {std::min(box.left, p.x), std::min(box.top, p.y),
             std::max(box.right, p.x), std::max(box.bottom, p.y)};
    }
  }
  return box;
}

void AddLine(const SetLine& line, Point offset, const Bend& bend,
             CoverageBuilder& builder) {
  const PageMap identity;
  for (const SetGlyph& glyph : line.glyphs) {
    if (!glyph.outline.empty())
      builder.Add(Bent(glyph.outline, offset + Point{glyph.x, 0}, bend),
                  identity);
  }
}

// Straight in text coordinates, so cut into pieces that can follow the bend.
void AddRule(float from, float to, float y, float thickness, const Bend& bend,
             CoverageBuilder& builder) {
  const PageMap identity;
  Path path;
  constexpr int kPieces = 8;
  for (int i = 0; i < kPieces; ++i) {
    const float a = from + (to - from) * static_cast<float>(i) / kPieces;
    const float b = from + (to - from) * static_cast<float>(i + 1) / kPieces;
    path.AddBox({a, y, b, y + thickness});
  }
  builder.Add(Bent(path, {}, bend), identity);
}

}  // namespace

Result<LineInk> MakeInk(Typesetter& typesetter, const Font& font,
                        int font_index, std::u32string_view text,
                        Scenery scenery, const LineOptions& options,
                        Random& random) {
  TypeStyle style = RandomStyle(scenery, options, random);
  MUNJA_ASSIGN_OR_RETURN(SetLine line, typesetter.Set(font_index, text, style));
  LineInk out;
  // Signs beyond ASCII and Hangul become unreadable as dots.
  const bool can_dot = std::all_of(text.begin(), text.end(), [](char32_t c) {
    return c < 0x7F || c >= 0xAC00;
  });
  if (font.can_be_dots && can_dot &&
      random.Chance(DotShare(scenery) * std::min(options.effects, 1.0f)) &&
      style.size > 16) {
    // Korean syllables need more dots than Latin letters.
    const bool is_latin = std::all_of(text.begin(), text.end(),
                                      [](char32_t c) { return c < 0x80; });
    const int rows = is_latin ? random.Integer(10, 14) : random.Integer(18, 24);
    const bool square = scenery == Scenery::kScreen && random.Chance(0.6f);
    DotLine(line, style.size, rows,
            square ? random.Uniform(0.42f, 0.5f) : random.Uniform(0.38f, 0.6f),
            square);
    out.is_dotted = true;
  }
  if (scenery == Scenery::kReceipt && random.Chance(0.2f))
    WidenSpace(text, line, random);
  Bend bend = RandomBend(scenery, line, options.effects, random);
  const Box ink = BentBounds(line, bend);
  if (!(ink.width() > 0) || !(ink.height() > 0))
    return Unsupported(font.path + ": draws nothing");

  // The extent that a detector takes for the line: its ink, or more than that,
  // because a detector guesses capitals and descenders.
  float top = ink.top, bottom = ink.bottom;
  if (random.Chance(0.5f)) {
    const float t = random.Unit();
    top = std::min(top, top + t * (-0.75f * style.size - top));
    bottom = std::max(bottom,
                      bottom + random.Unit() * (0.22f * style.size - bottom));
  }
  const float height = std::max(bottom - top, 0.5f * style.size);
  const auto margin = [&] {
    const float low = options.margin_low, high = options.margin_high;
    // Twice as often in the lower half.
    const float t = random.Unit();
    return height * (low + (high - low) * t * (0.5f + 0.5f * t));
  };
  const float middle = (top + bottom) / 2;
  top = std::min(top, middle - height / 2) - margin();
  bottom = std::max(bottom, middle + height / 2) + margin();
  // A stem at the start or end may not be lost.
  const float least = -0.01f * height;
  const float left = ink.left - std::max(margin(), least),
              right = ink.right + std::max(margin(), least);

  out.em = style.size;
  out.width = std::clamp(static_cast<int>(std::ceil(right - left)), 4, 4000);
  out.height = std::clamp(static_cast<int>(std::ceil(bottom - top)), 6, 400);
  bend.move = {-left, -top};
  CoverageBuilder builder(out.width, out.height);
  AddLine(line, {}, bend, builder);
  out.text = builder.Take();

  if (random.Chance(0.06f)) {
    const float thickness =
        std::max(0.8f, style.size * random.Uniform(0.03f, 0.08f));
    AddRule(line.ink.left, line.ink.right,
            style.size * random.Uniform(0.08f, 0.2f), thickness, bend, builder);
    out.rules = builder.Take();
  }
  // Lines above and below: the same words elsewhere along the line, only
  // slivers of them are seen.
  const bool is_page = scenery != Scenery::kScene;
  // (A cut around an arc is too high for that.)
  if (random.Chance(is_page ? 0.5f : 0.15f) &&
      ink.height() < 1.25f * (line.ink.bottom - line.ink.top)) {
    const float pitch =
        (line.ascent + line.descent) * random.Uniform(0.85f, 1.35f);
    const float shift = line.advance * random.Uniform(-0.6f, 0.6f);
    // A detector cuts so that no more than feet or heads of the next line are
    // in.
    const float seen = 0.3f * style.size;
    if (random.Chance(0.7f))
      AddLine(line, {shift, -std::max(pitch, ink.bottom - top - seen)}, bend,
              builder);
    if (random.Chance(0.7f))
      AddLine(line, {-shift, std::max(pitch, bottom - ink.top - seen)}, bend,
              builder);
    out.others = builder.Take();
  }
  if (scenery == Scenery::kScene && random.Chance(0.2f * options.effects) &&
      style.size > 18) {
    out.rim = out.text;
    const int radius = std::max(
        1, static_cast<int>(style.size * random.Uniform(0.03f, 0.08f)));
    // Room for the rim: a coverage ends where its ink ends.
    CoverageBuilder again(out.width, out.height);
    AddLine(line, {}, bend, again);
    out.rim = again.Take(radius);
    Dilate(out.rim, radius);
  }
  return out;
}

}  // namespace munja::train
