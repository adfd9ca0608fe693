// The samples that the generators of synthetic text hand to training: pictures
// with their truth.
#ifndef MUNJA_SYNTH_SAMPLE_H_
#define MUNJA_SYNTH_SAMPLE_H_

#include <string>
#include <vector>

#include "geometry/quad.h"
#include "image/image.h"

namespace munja::train {

// One line as the cropper would cut it, not yet scaled to the recognizer's
// height.
struct LineSample {
  image::Image picture;  // RGB, 8 bits.
  std::string text;  // UTF-8, NFC; only characters of the recipe's alphabet and
                     // single spaces.
  bool any_case = false;    // The text's case may not be the picture's.
  bool any_spaces = false;  // The text may lack spaces of the picture.
};

struct PageLine {
  // The outline of the line's ink, clockwise from the text's own top-left: 4
  // points, or 2n for curved text.
  geometry::Polygon outline;
  std::string text;
  bool ignore = false;  // Too small or too pale to ask a detector for;
                        // training masks it out.
};

struct PageSample {
  image::Image picture;  // RGB, 8 bits.
  std::vector<PageLine> lines;
};

}  // namespace munja::train

#endif  // MUNJA_SYNTH_SAMPLE_H_
