// Plates: license plates, house numbers, price tags, name plates, displays.
#include <algorithm>

#include "synth/distractors.h"
#include "synth/page_kinds.h"
#include "synth/scene_look.h"
#include "synth/texture.h"

namespace munja::train {

void DrawPlate(PageBuilder& page) {
  Random& r = page.random();
  PaintBackdrop(page.canvas(), r);
  ScatterDistractors(page.canvas(), r, r.Integer(0, 5));
  const int language = page.text().PickLanguage(r);
  for (int i = r.Integer(1, 4); i > 0; --i) {
    const float h = r.LogUniform(24, 160), aspect = r.Uniform(1.6f, 5),
                w = h * aspect;
    const float fill = std::min(w / page.width(), 0.95f);
    const PageMap view = page.RandomView(w, h, fill, 1.3f, r.Chance(0.1f));
    const geometry::Polygon corners = {view({0, 0}), view({w, 0}), view({w, h}),
                                       view({0, h})};
    if (page.Taken(corners, 3)) continue;
    page.map = view;
    const bool display = r.Chance(0.15f);
    const Color base = display          ? RandomColor(r, 0, 30)
                       : r.Chance(0.6f) ? RandomColor(r, 190, 255)
                                        : RandomColor(r);
    page.FillBox({0, 0, w, h}, {.color = base}, r.Uniform(0, 0.15f) * h);
    TextLook look;
    std::u32string text =
        r.Chance(0.6f) ? page.text().Entry(r, language, 10, Scenery::kScene)
                       : page.text().Amount(r, language);
    look = SceneLook(page, text, h * r.Uniform(0.5f, 0.85f));
    Contrast(page, base, look);
    Path frame;
    const float corner = r.Uniform(0, 0.12f) * h;
    const float thickness = h * r.Uniform(0.015f, 0.04f);
    frame.AddFrame(Box{0, 0, w, h}.Inset(h * r.Uniform(0.02f, 0.08f)),
                   thickness, corner);
    if (r.Chance(0.6f)) page.Fill(frame, {.color = look.paint.color});
    if (r.Chance(0.4f)) {  // Screws.
      Path screws;
      for (const float x : {0.08f, 0.92f})
        screws.AddEllipse({w * x, h * 0.13f}, 0.04f * h, 0.04f * h);
      page.Fill(screws, {.color = Mix(base, {90, 90, 90}, 0.7f)});
    }
    std::optional<SetLine> line = page.Set(text, look);
    const float room = w * 0.86f;
    if (line && line->advance > room) {
      look.type.size *= room / line->advance;
      line = page.Set(text, look);
    }
    if (!line) continue;
    const bool two = r.Chance(0.2f) && look.type.size < 0.5f * h;
    const float base_line =
        h * (two ? 0.65f : 0.5f) - (line->ink.top + line->ink.bottom) / 2;
    page.Draw(*line, text, look,
              {.origin = {(w - line->advance) / 2, base_line}});
    if (two) {
      TextLook small = look;
      small.type.size = h * 0.2f;
      page.Write(page.Keep(page.text().Phrase(r, language, 2, 16), small.font),
                 small, {w / 2, h * 0.27f}, Align::kCenter, room);
    }
  }
}

}  // namespace munja::train
