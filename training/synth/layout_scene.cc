// Scenes: words of all sizes anywhere, over and beside things that are not
// text.
#include <algorithm>
#include <cmath>

#include "synth/distractors.h"
#include "synth/page_kinds.h"
#include "synth/scene_look.h"
#include "synth/texture.h"

namespace munja::train {

void DrawScene(PageBuilder& page) {
  Random& r = page.random();
  PaintBackdrop(page.canvas(), r);
  ScatterDistractors(page.canvas(), r, r.Integer(0, 10));
  const int language = page.text().PickLanguage(r);
  const float tilt = r.Chance(0.6f) ? 0.06f : 0.5f;
  const int count = r.Integer(2, 16);
  for (int i = 0; i < count; ++i) {
    const float size = SceneSize(page);
    // Large words are few characters.
    const size_t most = static_cast<size_t>(
        std::clamp(page.width() / (0.6f * size), 2.0f, 24.0f));
    const std::u32string text = SceneText(page, language, most);
    TextLook look = SceneLook(page, text, size);
    const std::optional<SetLine> line = page.Set(text, look);
    if (!line || line->ink.width() <= 0) continue;
    const bool plated = r.Chance(0.25f);
    const float rim = plated ? size * r.Uniform(0.1f, 0.5f) : 0;
    for (int attempt = 0; attempt < 6; ++attempt) {
      const float w = line->advance, h = size;
      // A small plane of its own, seen from anywhere.
      PageMap around =
          page.RandomView(w, h, 1, r.Chance(0.5f) ? 0.5f : 1.4f, true);
      const Point middle = around({w / 2, h / 2});
      const float zoom = 1 / std::max(around.ScaleAt({w / 2, h / 2}), 1e-3f);
      const Point to{r.Uniform(0.02f, 0.98f) * page.width(),
                     r.Uniform(0.02f, 0.98f) * page.height()};
      std::array<Point, 4> corners = {around({0, 0}), around({w, 0}),
                                      around({w, h}), around({0, h})};
      const Placement turn = Placement::Rotated(to, r.Normal() * tilt);
      for (Point& p : corners) p = turn((p - middle) * zoom);
      page.map = PageMap(w, h, corners);
      const Placement at{.origin = {0, 0.78f * h}};
      const geometry::Polygon outline = page.OutlineOf(*line, at);
      // Most lie within the picture.
      if (page.Taken(outline, 4 + 1.3f * rim) ||
          (!page.InPicture(outline) && !r.Chance(0.08f)))
        continue;
      if (plated) {  // On a plate of its own.
        const Color plate = RandomColor(r);
        const Box box = line->ink.Inset(-rim);
        page.FillBox({box.left, box.top + at.origin.y, box.right,
                      box.bottom + at.origin.y},
                     {.color = plate}, r.Chance(0.3f) ? rim : 0);
        Contrast(page, plate, look);
      } else {
        Contrast(page, page.Below({0, 0, w, h}), look);
      }
      page.Draw(*line, text, look, at);
      break;
    }
  }
  page.map = PageMap();
}

}  // namespace munja::train
