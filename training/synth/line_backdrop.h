// The background behind a line of text.
#ifndef MUNJA_SYNTH_LINE_BACKDROP_H_
#define MUNJA_SYNTH_LINE_BACKDROP_H_

#include "synth/float_picture.h"
#include "synth/font_set.h"
#include "synth/random.h"

namespace munja::train {

// Fills the picture around the color `back`. `contrast` (levels) is how far
// text will be from `back`: what is drawn keeps well below it. `em`: size of
// the type, pixels. `strength` 0 to 2.
void PaintLineBackdrop(FloatPicture& picture, const Levels& back,
                       float contrast, float em, Scenery scenery,
                       float strength, Random& random);

}  // namespace munja::train

#endif  // MUNJA_SYNTH_LINE_BACKDROP_H_
