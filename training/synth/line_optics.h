// The effects of light, lens, sensor, printer and file format on a picture of a
// line.
#ifndef MUNJA_SYNTH_LINE_OPTICS_H_
#define MUNJA_SYNTH_LINE_OPTICS_H_

#include "synth/float_picture.h"
#include "synth/line_ink.h"

namespace munja::train {

// Light, blur, noise, format, in the order in which they happen; `picture` is
// used up. `em`: size of the type in pixels, which says how much blur a reader
// can bear. `strength` 0 to 2. kOutOfMemory, kInternal.
Result<image::Image> TakeLinePicture(FloatPicture& picture, float em,
                                     Scenery scenery, float strength,
                                     Random& random);

// Whether text of this coverage stands out from what is around it, everywhere
// along the line.
bool StandsOut(const image::Image& picture, const Coverage& text, float em);

}  // namespace munja::train

#endif  // MUNJA_SYNTH_LINE_OPTICS_H_
