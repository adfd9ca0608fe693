// Labels of bottles, boxes and badges: words along arcs, small print, codes.
#include <algorithm>
#include <cmath>

#include "synth/distractors.h"
#include "synth/page_kinds.h"
#include "synth/scene_look.h"
#include "synth/texture.h"

namespace munja::train {
namespace {

// Along a circle around `center`; above it, letters upright (side 1), or below
// it, like a bowl (side -1). Nothing is written when it would leave `room`.
bool WriteArc(PageBuilder& page, int language, const Box& room, Point center,
              float radius, float side, float size, Color base) {
  Random& r = page.random();
  const float longest = radius * r.Uniform(1.2f, 2.6f);
  const std::u32string text = SceneText(
      page, language,
      static_cast<size_t>(std::clamp(longest / (0.6f * size), 2.0f, 30.0f)));
  TextLook look = SceneLook(page, text, size);
  look.shadow = false;
  const std::optional<SetLine> line = page.Set(text, look);
  if (!line || line->advance > 2.8f * radius) return false;
  Contrast(page, base, look);
  // The baseline starts where half of the line's angle is left of the top (or
  // bottom).
  const float angle = -side * line->advance / radius / 2;
  const Point start{center.x + side * radius * std::sin(angle),
                    center.y - side * radius * std::cos(angle)};
  const Placement at = Placement::Rotated(start, angle, side / radius);
  for (int i = 0; i <= 8; ++i) {
    for (const float y : {line->ink.top, line->ink.bottom}) {
      const Point p = at(
          {line->ink.left + line->ink.width() * static_cast<float>(i) / 8, y});
      if (p.x < room.left || p.x > room.right || p.y < room.top ||
          p.y > room.bottom)
        return false;
    }
  }
  if (page.Taken(page.OutlineOf(*line, at), 2)) return false;
  page.Draw(*line, text, look, at);
  return true;
}

void DrawBadge(PageBuilder& page, int language, const Box& box, Color base) {
  Random& r = page.random();
  const Point center = box.center();
  const float radius = std::min(box.width(), box.height()) / 2;
  const Color disk = r.Chance(0.7f) ? RandomColor(r) : base;
  Path ring;
  ring.AddEllipse(center, radius, radius);
  page.Fill(ring, {.color = disk});
  if (r.Chance(0.6f)) {
    Path line;
    const float out = radius * r.Uniform(0.9f, 0.98f);
    line.AddEllipse(center, out, out);
    line.AddEllipse(center, out - 0.02f * radius - 1, out - 0.02f * radius - 1,
                    true);
    page.Fill(line, {.color = RandomContrast(r, disk, 60)});
  }
  const float size = radius * r.Uniform(0.16f, 0.34f);
  WriteArc(page, language, box, center, radius * 0.86f - size * 0.85f, 1, size,
           disk);
  if (r.Chance(0.5f))
    WriteArc(page, language, box, center, radius * 0.86f - size * 0.1f, -1,
             size * 0.9f, disk);
  const float inner = radius * 0.45f;
  if (r.Chance(0.4f)) {
    DrawIcon(page.canvas(), r, page.map,
             {center.x - inner, center.y - inner, center.x + inner,
              center.y + inner},
             RandomContrast(r, disk, 60));
  } else {
    const std::u32string text = SceneText(page, language, 8);
    TextLook look = SceneLook(page, text, inner * r.Uniform(0.4f, 0.9f));
    Contrast(page, disk, look);
    page.Write(text, look, {center.x, center.y + 0.35f * look.type.size},
               Align::kCenter, 2.1f * inner);
  }
}

void DrawSmallPrint(PageBuilder& page, int language, const Box& box,
                    Color base) {
  Random& r = page.random();
  const std::u32string raw =
      page.text().Running(r, language, static_cast<size_t>(r.Integer(60, 400)));
  TextLook look = SceneLook(page, raw, r.LogUniform(9, 18));
  if (look.font < 0) look.font = page.PickFont(language, Scenery::kDocument);
  look.type.stretch = 1;
  look.outline = 0;
  look.shadow = false;
  Contrast(page, base, look);
  page.WriteParagraph(page.Keep(raw, look.font), look,
                      {.left = box.left,
                       .right = box.right,
                       .top = box.top,
                       .bottom = box.bottom,
                       .line_height = look.type.size * r.Uniform(1.15f, 1.5f),
                       .justify = r.Chance(0.3f)});
}

void DrawFacts(PageBuilder& page, int language, const Box& box) {
  Random& r = page.random();
  page.FillBox(box, {.color = {250, 250, 248}});
  Path frame;
  frame.AddFrame(box, 1.5f);
  page.Fill(frame, {.color = {20, 20, 20}});
  TextLook look = SceneLook(page, page.text().Letters(language),
                            std::clamp(box.height() / 11, 8.0f, 20.0f));
  look.type.stretch = 1;
  look.outline = look.fade = 0;
  look.paint.color = {15, 15, 15};
  const float row = look.type.size * 1.35f;
  for (float y = box.top + row; y < box.bottom - 3; y += row) {
    const float left = box.left + 5, right = box.right - 5;
    const float wide =
        page.Write(page.Keep(page.text().Phrase(r, language, 3, 14), look.font),
                   look, {left, y}, Align::kLeft, box.width() * 0.55f);
    if (wide + 2 * look.type.size < box.width() * 0.7f)
      page.Write(page.Keep(page.text().Amount(r, language), look.font), look,
                 {right, y}, Align::kRight, box.width() * 0.3f);
    if (r.Chance(0.6f))
      page.Rule({left, y + 0.3f * row}, {right, y + 0.3f * row}, 0.8f,
                {60, 60, 60});
  }
}

}  // namespace

void DrawPackaging(PageBuilder& page) {
  Random& r = page.random();
  const int language = page.text().PickLanguage(r);
  PaintBackdrop(page.canvas(), r);
  const float aspect = r.Uniform(0.6f, 1.6f), fill = r.Uniform(0.7f, 1.15f);
  const float h = std::min(page.width() / aspect, page.height()) * fill,
              w = h * aspect;
  page.map = page.RandomView(w, h, fill, 1, true);
  if (r.Chance(0.5f))
    page.map.Bend(w, r.Uniform(-0.12f, 0.12f) * h, false);  // Around a bottle.
  const Color base = RandomColor(r);
  const float corner = r.Chance(0.4f) ? 0.06f * w : 0;
  page.FillBox({0, 0, w, h},
               {.color = base,
                .to = Mix(base, RandomColor(r), 0.3f),
                .gradient = r.Chance(0.4f),
                .gradient_x = r.Chance(0.5f)},
               corner);
  // A grid of places, each with something else.
  const int columns = w > 300 ? r.Integer(1, 3) : 1, rows = r.Integer(2, 4);
  const float cw = w / static_cast<float>(columns),
              ch = h / static_cast<float>(rows);
  for (int i = 0; i < rows * columns; ++i) {
    const int column = i % columns, row = i / columns;
    const float left = cw * static_cast<float>(column),
                top = ch * static_cast<float>(row);
    const Box box =
        Box{left, top, left + cw, top + ch}.Inset(0.06f * std::min(cw, ch));
    const float kind = r.Unit();
    if (kind < 0.3f) {
      DrawBadge(page, language, box, base);
    } else if (kind < 0.5f) {
      // A name, straight or bowed.
      for (int attempt = 0; attempt < 5; ++attempt) {
        const float size = std::clamp(box.height() * r.Uniform(0.2f, 0.6f),
                                      10.0f, box.width() * 0.5f);
        const float side = r.Chance(0.6f) ? 1.0f : -1.0f,
                    radius = box.width() * r.Uniform(0.5f, 2);
        const Point center{box.center().x,
                           box.center().y +
                               side * (radius - 0.1f * box.height()) +
                               0.3f * size};
        if (WriteArc(page, language, box, center, radius, side, size, base))
          break;
      }
    } else if (kind < 0.65f) {
      DrawSmallPrint(page, language, box, base);
    } else if (kind < 0.78f) {
      DrawFacts(page, language, box);
    } else if (kind < 0.86f) {
      page.FillBox(box, {.color = {250, 250, 250}});
      const Box bars = box.Inset(0.08f * std::min(box.width(), box.height()));
      DrawBarcode(page.canvas(), r, page.map,
                  {bars.left, bars.top, bars.right, bars.bottom - 16},
                  {10, 10, 10});
      TextLook look;
      std::u32string digits;
      for (int n = 12; n > 0; --n)
        digits.push_back(U'0' + static_cast<char32_t>(r.Integer(0, 9)));
      digits = page.text().IfSpelled(digits);
      look.font = page.PickFont(digits, Scenery::kReceipt);
      look.type.size = 14;
      page.Write(digits, look, {bars.center().x, bars.bottom - 2},
                 Align::kCenter, bars.width());
    } else if (kind < 0.94f) {
      DrawPhoto(page.canvas(), r, page.map, box);
    } else {
      DrawIcon(page.canvas(), r, page.map, box, RandomContrast(r, base, 40));
    }
  }
}

}  // namespace munja::train
