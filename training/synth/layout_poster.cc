// Posters, covers, title pages, slides: lines of very different sizes over a
// picture or a color.
#include <algorithm>

#include "synth/distractors.h"
#include "synth/grammar.h"
#include "synth/page_kinds.h"
#include "synth/scene_look.h"
#include "synth/texture.h"

namespace munja::train {

void DrawPoster(PageBuilder& page) {
  Random& r = page.random();
  const int language = page.text().PickLanguage(r);
  PaintBackdrop(page.canvas(), r);
  const bool sheet = r.Chance(0.5f);
  const float aspect = r.Uniform(0.6f, 1.7f),
              fill = sheet ? r.Uniform(0.75f, 1) : r.Uniform(1, 1.2f);
  const float h = std::min(page.width() / aspect, page.height()) * fill,
              w = h * aspect;
  page.map = page.RandomView(w, h, fill, sheet ? 1 : 0.4f, sheet);
  Color base = page.Below({0, 0, w, h});
  if (sheet || r.Chance(0.5f)) {
    base = RandomColor(r);
    page.FillBox({0, 0, w, h}, {.color = base,
                                .to = Mix(base, RandomColor(r), 0.4f),
                                .gradient = r.Chance(0.5f),
                                .gradient_x = r.Chance(0.4f)});
  }
  if (r.Chance(0.4f)) {
    const float top = r.Uniform(0.1f, 0.5f) * h;
    DrawPhoto(page.canvas(), r, page.map,
              {w * r.Uniform(0, 0.2f), top, w * r.Uniform(0.8f, 1),
               top + h * r.Uniform(0.2f, 0.5f)});
  }
  for (int i = r.Integer(0, 4); i > 0; --i) {
    const float size = w * r.Uniform(0.04f, 0.2f);
    const Point at{r.Uniform(0, w - size), r.Uniform(0, h - size)};
    DrawIcon(page.canvas(), r, page.map, {at.x, at.y, at.x + size, at.y + size},
             RandomColor(r));
  }
  const Align align = r.Chance(0.6f)   ? Align::kCenter
                      : r.Chance(0.6f) ? Align::kLeft
                                       : Align::kRight;
  const float margin = w * r.Uniform(0.03f, 0.1f), room = w - 2 * margin;
  const float x = align == Align::kLeft    ? margin
                  : align == Align::kRight ? w - margin
                                           : w / 2;
  float y = margin;
  while (y < h - margin - 10) {
    if (r.Chance(0.15f)) {
      y += h * r.Uniform(0.03f, 0.15f);
      continue;
    }
    const bool large = r.Chance(0.4f);
    const float size =
        large ? r.LogUniform(0.06f, 0.2f) * h : r.LogUniform(0.02f, 0.06f) * h;
    const std::u32string text = SceneText(
        page, language,
        static_cast<size_t>(std::clamp(room / (0.55f * size), 2.0f, 44.0f)));
    TextLook look = SceneLook(page, text, std::max(size, 8.0f));
    const std::optional<SetLine> line = page.Set(text, look);
    const float high = look.type.size * r.Uniform(1.1f, 1.5f);
    if (!line || line->advance > room || y + high > h - margin * 0.5f) {
      y += line ? 4.0f : 2.0f;
      continue;
    }
    const float left = align == Align::kLeft    ? x
                       : align == Align::kRight ? x - line->advance
                                                : x - line->advance / 2;
    const float baseline = y + look.type.size * 0.95f;
    const Box around{left + line->ink.left, baseline + line->ink.top,
                     left + line->ink.right, baseline + line->ink.bottom};
    const float rim = 0.2f * look.type.size;
    const Box ribbon_box = around.Inset(-rim);
    const geometry::Polygon place = {
        page.map({ribbon_box.left, ribbon_box.top}),
        page.map({ribbon_box.right, ribbon_box.top}),
        page.map({ribbon_box.right, ribbon_box.bottom}),
        page.map({ribbon_box.left, ribbon_box.bottom})};
    if (r.Chance(0.15f) && !page.Taken(place, 1)) {  // A ribbon behind it.
      const Color ribbon = RandomColor(r);
      page.FillBox(ribbon_box, {.color = ribbon},
                   r.Chance(0.4f) ? 0.3f * look.type.size : 0);
      Contrast(page, ribbon, look);
    } else {
      Contrast(page, page.Below(around), look);
    }
    page.Draw(*line, text, look, {.origin = {left, baseline}});
    y = std::max(y + high, baseline + line->ink.bottom + rim);
  }
}

}  // namespace munja::train
