// Type of signs, posters and packages: large, colored, with rims and shadows.
#ifndef MUNJA_SYNTH_SCENE_LOOK_H_
#define MUNJA_SYNTH_SCENE_LOOK_H_

#include <string>

#include "synth/page_builder.h"

namespace munja::train {

// The em of a word in a scene by the recipe.
float SceneSize(PageBuilder& page);
// A word or a few; at most `most` characters.
std::u32string SceneText(PageBuilder& page, int language, size_t most);
// Font, weight, rims; colors come by Contrast().
TextLook SceneLook(PageBuilder& page, std::u32string_view text, float size);
// Colors that can be read on `below`.
void Contrast(PageBuilder& page, Color below, TextLook& look);

}  // namespace munja::train

#endif  // MUNJA_SYNTH_SCENE_LOOK_H_
