// Colors a line's ink and what lies behind it.
#ifndef MUNJA_SYNTH_LINE_PAINT_H_
#define MUNJA_SYNTH_LINE_PAINT_H_

#include "synth/float_picture.h"
#include "synth/line_ink.h"

namespace munja::train {

// Wears the ink of `ink` where the print is bad.
FloatPicture PaintLine(LineInk& ink, Scenery scenery,
                       const LineOptions& options, Random& random);

}  // namespace munja::train

#endif  // MUNJA_SYNTH_LINE_PAINT_H_
