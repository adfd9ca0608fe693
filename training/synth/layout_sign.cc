// Signs and storefronts: few large words on panels.
#include <algorithm>
#include <cmath>

#include "synth/distractors.h"
#include "synth/page_kinds.h"
#include "synth/scene_look.h"
#include "synth/texture.h"

namespace munja::train {
namespace {

// A panel `w` x `h` page units large at (0, 0), through page.map.
void DrawPanel(PageBuilder& page, int language, float w, float h) {
  Random& r = page.random();
  const auto strong_color = [&r] {
    const float value = r.Uniform(0.3f, 0.9f);
    const float saturation = r.Uniform(0.6f, 1);
    return FromHsv(r.Unit(), saturation, value);
  };
  const Color base = r.Chance(0.5f) ? RandomColor(r) : strong_color();
  const float corner = r.Chance(0.4f) ? r.Uniform(0.02f, 0.3f) * h : 0;
  const Box box{0, 0, w, h};
  if (r.Chance(0.3f))
    page.FillBox({0.02f * h, 0.03f * h, w + 0.04f * h, h + 0.06f * h},
                 {.color = {0, 0, 0}, .opacity = 0.4f}, corner);
  page.FillBox(box,
               {.color = base,
                .to = Mix(base, RandomColor(r), 0.35f),
                .gradient = r.Chance(0.35f),
                .gradient_x = r.Chance(0.3f)},
               corner);
  const float edge = std::min(w, h) * r.Uniform(0.015f, 0.05f);
  if (r.Chance(0.5f)) {  // A border line.
    Path frame;
    frame.AddFrame(box.Inset(edge * r.Uniform(0, 1.5f)), edge, corner);
    page.Fill(frame, {.color = RandomContrast(r, base, 50)});
  }
  if (r.Chance(0.25f)) {  // Weather.
    Path path;
    path.AddRoundBox(box, corner);
    page.canvas().builder().Add(path, page.map);
    const Coverage coverage = page.canvas().builder().Take();
    if (!coverage.empty()) {
      const float strength = r.Uniform(0.05f, 0.35f);
      ModulateWith(page.canvas(), coverage,
                   SmoothNoise(r, page.canvas().width(), page.canvas().height(),
                               {{60, 60, 1}, {5, 5, 0.6f}}),
                   strength);
    }
  }
  Box inner = box.Inset(2.2f * edge + 0.04f * h);
  const Color ink = RandomContrast(r, base, r.Uniform(60, 120));
  // A pictogram at one end.
  if (r.Chance(0.3f) && inner.width() > 2.2f * inner.height()) {
    const float size = inner.height() * r.Uniform(0.5f, 1);
    const bool left = r.Chance(0.5f);
    const Box icon = left ? Box{inner.left, inner.center().y - size / 2,
                                inner.left + size, inner.center().y + size / 2}
                          : Box{inner.right - size, inner.center().y - size / 2,
                                inner.right, inner.center().y + size / 2};
    DrawIcon(page.canvas(), r, page.map, icon, ink);
    (left ? inner.left : inner.right) += (left ? 1.2f : -1.2f) * size;
  }
  // One to four rows, the first or second the largest.
  const int rows = h > 60 ? r.Integer(1, w > 2.5f * h ? 2 : 4) : 1;
  std::vector<float> share;
  float sum = 0;
  for (int i = 0; i < rows; ++i) {
    share.push_back(i == r.Integer(0, 1) ? r.Uniform(1, 2)
                                         : r.Uniform(0.4f, 1));
    sum += share.back();
  }
  float y = inner.top;
  const bool one_font = r.Chance(0.6f);
  TextLook first;
  for (int i = 0; i < rows; ++i) {
    const float high = inner.height() * share[static_cast<size_t>(i)] / sum;
    const std::u32string text =
        SceneText(page, language,
                  static_cast<size_t>(
                      std::clamp(inner.width() / (0.35f * high), 2.0f, 28.0f)));
    TextLook look = SceneLook(page, text, high * r.Uniform(0.6f, 0.95f));
    if (i > 0 && one_font &&
        page.text().fonts().Covers(first.font, text, page.text().alphabet()))
      look.font = first.font;
    first = look;
    Contrast(page, base, look);
    if (r.Chance(0.7f)) look.paint.color = ink;
    std::optional<SetLine> line = page.Set(text, look);
    if (line && line->advance > inner.width()) {  // Smaller until it fits.
      look.type.size *= inner.width() / line->advance;
      line = look.type.size > 6 ? page.Set(text, look) : std::nullopt;
    }
    if (line) {
      const float middle = y + high / 2;
      // By its ink: capitals and small letters alike in the middle of their
      // row.
      const float base_line = middle - (line->ink.top + line->ink.bottom) / 2;
      const float free = inner.width() - line->advance;
      const float x = inner.left + (r.Chance(0.7f)   ? free / 2
                                    : r.Chance(0.5f) ? 0
                                                     : free);
      if (line->ink.height() < high * 1.1f)
        page.Draw(*line, text, look, {.origin = {x, base_line}});
    }
    y += high;
  }
}

}  // namespace

void DrawSign(PageBuilder& page) {
  Random& r = page.random();
  PaintBackdrop(page.canvas(), r);
  ScatterDistractors(page.canvas(), r, r.Integer(0, 6));
  const int language = page.text().PickLanguage(r);
  const int panels = r.Chance(0.35f) ? 1 : r.Integer(2, 6);
  std::vector<geometry::Polygon> taken;
  for (int i = 0; i < panels; ++i) {
    for (int attempt = 0; attempt < 8; ++attempt) {
      const float fill =
          panels == 1 ? r.Uniform(0.55f, 1.25f) : r.Uniform(0.25f, 0.65f);
      const float aspect = r.LogUniform(0.6f, 6);
      const float h = std::min(page.width() / aspect, page.height()) * fill,
                  w = h * aspect;
      PageMap view = page.RandomView(w, h, fill, 1.2f, false);
      geometry::Polygon corners = {view({0, 0}), view({w, 0}), view({w, h}),
                                   view({0, h})};
      bool clear = true;
      for (const geometry::Polygon& other : taken) {
        // Bounding boxes do: panels stand nearly upright.
        Box a{1e9f, 1e9f, -1e9f, -1e9f}, b = a;
        for (Point p : other)
          a = {std::min(a.left, p.x), std::min(a.top, p.y),
               std::max(a.right, p.x), std::max(a.bottom, p.y)};
        for (Point p : corners)
          b = {std::min(b.left, p.x), std::min(b.top, p.y),
               std::max(b.right, p.x), std::max(b.bottom, p.y)};
        clear = clear && (a.right < b.left || b.right < a.left ||
                          a.bottom < b.top || b.bottom < a.top);
      }
      if (!clear) continue;
      taken.push_back(std::move(corners));
      page.map = view;
      if (r.Chance(0.4f)) {  // The post that the sign hangs on.
        const float left = w * 0.5f - 0.05f * h - 2, right = w - left,
                    low = h * 4;
        if (!page.Taken({view({left, h}), view({right, h}), view({right, low}),
                         view({left, low})},
                        1))
          page.FillBox({left, h * 0.5f, right, low},
                       {.color = RandomColor(r, 30, 160)});
      }
      DrawPanel(page, language, w, h);
      break;
    }
  }
}

}  // namespace munja::train
