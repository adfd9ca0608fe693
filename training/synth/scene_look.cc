#include "synth/scene_look.h"

#include <algorithm>
#include <cmath>

#include "synth/grammar.h"

namespace munja::train {

float SceneSize(PageBuilder& page) {
  const PageRecipe& recipe = page.recipe();
  // Small ones are more frequent, as in photographs.
  const float t = page.random().Unit();
  return recipe.scene_from *
         std::pow(recipe.scene_to / recipe.scene_from, t * (0.45f + 0.55f * t));
}

std::u32string SceneText(PageBuilder& page, int language, size_t most) {
  Random& r = page.random();
  most = std::max<size_t>(most, 2);
  std::u32string text =
      most >= 8 && r.Chance(0.25f)
          ? page.text().Entry(r, language, most, Scenery::kScene)
          : page.text().Phrase(
                r, language, 1,
                r.Chance(0.6f) ? std::min<size_t>(most, 10) : most);
  if (r.Chance(0.45f)) {
    std::u32string upper = page.text().IfSpelled(ToUpper(text));
    if (!upper.empty()) text = std::move(upper);
  }
  return text;
}

TextLook SceneLook(PageBuilder& page, std::u32string_view text, float size) {
  Random& r = page.random();
  TextLook look;
  look.font = page.PickFont(text, Scenery::kScene);
  look.type.size = size;
  if (r.Chance(0.4f)) look.type.weight = r.Integer(1, 3);
  if (r.Chance(0.1f)) look.type.slant = r.Uniform(-0.1f, 0.3f);
  if (r.Chance(0.2f)) look.type.stretch = r.Uniform(0.7f, 1.4f);
  if (r.Chance(0.2f)) look.type.spacing = r.Uniform(-0.02f, 0.25f);
  if (size > 18) {
    if (r.Chance(0.12f)) look.outline = r.Uniform(0.02f, 0.08f);
    look.shadow = r.Chance(0.12f);
    look.shadow_offset = {r.Uniform(-0.08f, 0.08f), r.Uniform(0.01f, 0.08f)};
  }
  if (r.Chance(0.06f)) look.fade = r.Uniform(0.2f, 0.6f);
  look.paint.opacity = r.Chance(0.85f) ? 1 : r.Uniform(0.7f, 1);
  return look;
}

void Contrast(PageBuilder& page, Color below, TextLook& look) {
  Random& r = page.random();
  const float contrast =
      r.Chance(0.15f) ? r.Uniform(30, 55) : r.Uniform(55, 125);
  look.paint.color = RandomContrast(r, below, contrast);
  if (r.Chance(0.35f))  // Black or white, whichever is farther.
    look.paint.color =
        Luma(below) > 127 ? Color{10, 10, 10} : Color{250, 250, 250};
  if (r.Chance(0.08f)) {
    look.paint.gradient = true;
    look.paint.to = Mix(look.paint.color, RandomColor(r), 0.35f);
  }
  look.outline_color = RandomContrast(r, look.paint.color, 90);
  look.shadow_color =
      Luma(look.paint.color) > 100 ? Color{0, 0, 0} : Color{255, 255, 255};
}

}  // namespace munja::train
