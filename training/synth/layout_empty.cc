// Pages without text.
#include "synth/distractors.h"
#include "synth/layout_paper.h"
#include "synth/page_kinds.h"
#include "synth/texture.h"

namespace munja::train {

void DrawEmpty(PageBuilder& page) {
  Random& r = page.random();
  if (r.Chance(0.7f)) {
    PaintBackdrop(page.canvas(), r);
    ScatterDistractors(page.canvas(), r, r.Integer(0, 25));
    return;
  }
  // Ruled or blank paper.
  const bool flat_scan = r.Chance(0.3f);
  const float fill = r.Uniform(0.7f, 1.3f);
  const Paper paper = LayPaper(page, r.Uniform(0.6f, 1.4f), fill, flat_scan);
  if (r.Chance(0.6f)) {
    const float step = r.Uniform(12, 50);
    const float dark = r.Uniform(0.2f, 0.8f);
    const Color color = Mix(paper.color, RandomColor(r, 0, 120), dark);
    Path rules;
    for (float y = step; y < paper.height; y += step)
      rules.AddSegment({0, y}, {paper.width, y}, 1);
    if (r.Chance(0.5f)) {
      for (float x = step; x < paper.width; x += step)
        rules.AddSegment({x, 0}, {x, paper.height}, 1);
    }
    page.Fill(rules, {.color = color});
  }
  if (r.Chance(0.4f))
    DrawPhoto(page.canvas(), r, page.map,
              {paper.width * 0.2f, paper.height * 0.1f, paper.width * 0.8f,
               paper.height * 0.5f});
}

}  // namespace munja::train
