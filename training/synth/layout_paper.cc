#include "synth/layout_paper.h"

#include <algorithm>

#include "synth/texture.h"

namespace munja::train {
namespace {

Color PaperColor(Random& random) {
  if (random.Chance(0.5f)) {
    const uint8_t level = static_cast<uint8_t>(random.Integer(225, 255));
    return {level, level, level};
  }
  // Ivory, recycled gray, colored copying paper.
  const float value = random.Uniform(0.75f, 1);
  const float saturation = random.Uniform(0.02f, 0.2f);
  const float hue =
      random.Chance(0.7f) ? random.Uniform(0.06f, 0.16f) : random.Unit();
  return FromHsv(hue, saturation, value);
}

Color InkColor(Random& random) {
  if (random.Chance(0.75f)) {
    const uint8_t level = static_cast<uint8_t>(random.Integer(0, 70));
    return {level, level, level};
  }
  const float value = random.Uniform(0.2f, 0.6f);
  const float saturation = random.Uniform(0.4f, 1);
  const float hue =
      random.Chance(0.6f) ? random.Uniform(0.58f, 0.72f) : random.Unit();
  return FromHsv(hue, saturation, value);
}

}  // namespace

Paper LayPaper(PageBuilder& page, float aspect, float fill, bool flat_scan) {
  Random& r = page.random();
  Paper paper;
  const float fit = std::min(page.width() / aspect, page.height()) * fill;
  paper.height = fit;
  paper.width = fit * aspect;
  paper.color = PaperColor(r);
  paper.ink = InkColor(r);
  page.capture = flat_scan ? Capture::kScan : Capture::kPhone;
  page.map =
      page.RandomView(paper.width, paper.height, fill, flat_scan ? 0 : 1);
  if (!flat_scan && r.Chance(0.2f)) {
    const bool spine = r.Chance(0.4f);
    page.map.Bend(paper.width, r.Normal() * 0.02f * paper.width, spine);
  }
  if (flat_scan) {
    // Beside the sheet a scanner sees its own lid, white or black.
    page.canvas().Clear(r.Chance(0.8f) ? paper.color : RandomColor(r, 0, 60));
  } else {
    PaintDesk(page.canvas(), r);
    if (r.Chance(0.3f)) {  // Another sheet below.
      const float dx = r.Normal() * 0.06f * paper.width,
                  dy = r.Normal() * 0.06f * paper.height;
      page.FillBox({dx, dy, paper.width + dx, paper.height + dy},
                   {.color = PaperColor(r)});
    }
    if (r.Chance(0.7f))  // The sheet's own shadow.
      page.FillBox({4, 4, paper.width + 5, paper.height + 5},
                   {.color = {0, 0, 0}, .opacity = 0.3f});
  }
  page.FillBox({0, 0, paper.width, paper.height},
               {.color = paper.color,
                .to = Mix(paper.color, {128, 128, 128}, r.Uniform(0, 0.1f)),
                .gradient = r.Chance(0.3f)});
  if (!flat_scan && r.Chance(0.25f)) {  // Folds.
    for (int i = r.Integer(1, 3); i > 0; --i) {
      const bool upright = r.Chance(0.5f);
      const float at = r.Uniform(0.2f, 0.8f);
      const Box fold =
          upright
              ? Box{at * paper.width, 0, at * paper.width + 2, paper.height}
              : Box{0, at * paper.height, paper.width, at * paper.height + 2};
      page.FillBox(
          fold, {.color = Mix(paper.color, {0, 0, 0}, r.Uniform(0.05f, 0.25f)),
                 .opacity = 0.6f});
    }
  }
  if (r.Chance(0.5f)) AgePaper(page.canvas(), r, r.Unit());
  return paper;
}

TextLook PrintLook(PageBuilder& page, int language, float size, Color ink,
                   Scenery scenery) {
  Random& r = page.random();
  TextLook look;
  look.font = page.PickFont(language, scenery);
  look.type.size = size;
  if (r.Chance(0.12f)) look.type.weight = r.Integer(1, 2);
  if (r.Chance(0.06f)) look.type.slant = r.Uniform(0.1f, 0.25f);
  if (r.Chance(0.1f)) look.type.stretch = r.Uniform(0.85f, 1.15f);
  if (r.Chance(0.08f)) look.type.spacing = r.Uniform(0, 0.06f);
  look.paint.color = ink;
  return look;
}

TextLook HeadingLook(PageBuilder& page, const TextLook& body,
                     std::u32string_view text, float scale) {
  Random& r = page.random();
  TextLook look = body;
  look.type.size = body.type.size * scale;
  if (r.Chance(0.4f)) look.font = page.PickFont(text, Scenery::kDocument);
  if (r.Chance(0.7f)) look.type.weight = r.Integer(1, 3);
  if (r.Chance(0.25f)) look.paint.color = RandomColor(r, 0, 110);
  return look;
}

float BodySize(PageBuilder& page) {
  return page.random().LogUniform(page.recipe().body_from,
                                  page.recipe().body_to);
}

}  // namespace munja::train
