// The section "page" of a recipe: which pages, how large, how taken.
#ifndef MUNJA_SYNTH_PAGE_RECIPE_H_
#define MUNJA_SYNTH_PAGE_RECIPE_H_

#include <vector>

#include "base/status.h"
#include "synth/recipe.h"

namespace munja::train {

struct PageRecipe {
  // The size of pictures in pixels; each side is drawn evenly.
  float width_from = 640, width_to = 640;
  float height_from = 640, height_to = 640;
  // By kind, in the order of page_kinds.def.
  std::vector<float> kind_weights;
  // Em of running text, of screens and of scattered words, pixels; evenly
  // spread ratios.
  float body_from = 10, body_to = 30;
  float screen_from = 10, screen_to = 26;
  float scene_from = 10, scene_to = 200;
  // The skew of pages: its usual deviation in degrees, and the share of pages
  // turned by 90, 180 or 270 degrees and by any angle.
  float tilt = 2.5f;
  float quarter_turns = 0.06f, any_turn = 0.06f;
  // 0: seen from the front; 1: up to about 45 degrees from the side.
  float perspective = 0.5f;
  // 0: pristine; 1: everything that phones do to pictures.
  float severity = 1;
  // Ink lower than this, pixels, is not asked for.
  float ignore_below = 7;
  // Added around the ink, as a part of its height.
  float padding = 0.08f;

  // kMalformed names the key that is unknown or wrong. A null section: the
  // defaults.
  static Result<PageRecipe> FromJson(const Json* section);
};

}  // namespace munja::train

#endif  // MUNJA_SYNTH_PAGE_RECIPE_H_
