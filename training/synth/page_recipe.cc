#include "synth/page_recipe.h"

#include <string>
#include <utility>

#include "synth/page_kinds.h"

namespace munja::train {

Result<PageRecipe> PageRecipe::FromJson(const Json* json) {
  PageRecipe r;
  MUNJA_ASSIGN_OR_RETURN(
      const Section section,
      Section::Of(json, "page",
                  {"width", "height", "kinds", "body_size", "screen_size",
                   "scene_size", "tilt", "quarter_turns", "any_turn",
                   "perspective", "severity", "ignore_below", "padding"}));
  MUNJA_RETURN_IF_ERROR(
      section.ReadRange("width", 64, 4096, r.width_from, r.width_to));
  MUNJA_RETURN_IF_ERROR(
      section.ReadRange("height", 64, 4096, r.height_from, r.height_to));
  MUNJA_RETURN_IF_ERROR(
      section.ReadRange("body_size", 4, 400, r.body_from, r.body_to));
  MUNJA_RETURN_IF_ERROR(
      section.ReadRange("screen_size", 4, 400, r.screen_from, r.screen_to));
  MUNJA_RETURN_IF_ERROR(
      section.ReadRange("scene_size", 4, 1000, r.scene_from, r.scene_to));
  MUNJA_RETURN_IF_ERROR(section.Read("tilt", 0.0f, 45.0f, r.tilt));
  MUNJA_RETURN_IF_ERROR(
      section.Read("quarter_turns", 0.0f, 1.0f, r.quarter_turns));
  MUNJA_RETURN_IF_ERROR(section.Read("any_turn", 0.0f, 1.0f, r.any_turn));
  MUNJA_RETURN_IF_ERROR(section.Read("perspective", 0.0f, 1.0f, r.perspective));
  MUNJA_RETURN_IF_ERROR(section.Read("severity", 0.0f, 1.0f, r.severity));
  MUNJA_RETURN_IF_ERROR(
      section.Read("ignore_below", 0.0f, 100.0f, r.ignore_below));
  MUNJA_RETURN_IF_ERROR(section.Read("padding", 0.0f, 0.5f, r.padding));

  // A recipe that names kinds gets those alone.
  const Json* kinds = section.Find("kinds");
  float sum = 0;
  for (const PageKind& kind : kPageKinds)
    r.kind_weights.push_back(kinds == nullptr ? kind.weight : 0);
  if (kinds != nullptr) {
    if (!kinds->is_object())
      return section.Wrong("kinds", "an object of weights by kind");
    for (const auto& [name, value] : kinds->items()) {
      size_t i = 0;
      while (i < kPageKindCount && kPageKinds[i].name != name) ++i;
      if (i == kPageKindCount)
        return Malformed("unknown key 'page.kinds." + name + "'");
      const double weight = value.is_number() ? value.get<double>() : -1;
      if (!(weight >= 0 && weight <= 1e6))
        return section.Wrong("kinds." + name, "a weight from 0 to 1000000");
      r.kind_weights[i] = static_cast<float>(weight);
    }
  }
  for (float w : r.kind_weights) sum += w;
  if (!(sum > 0)) return section.Wrong("kinds", "at least one weight above 0");
  return r;
}

}  // namespace munja::train
