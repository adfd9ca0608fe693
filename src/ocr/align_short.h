// Regions of the text map that are too short to say how their line lies.
#ifndef MUNJA_OCR_ALIGN_SHORT_H_
#define MUNJA_OCR_ALIGN_SHORT_H_

#include <vector>

#include "geometry/min_area_rect.h"
#include "geometry/quad.h"

namespace munja::ocr {

struct TextRegion {
  geometry::Polygon border;    // Map pixels.
  geometry::RotatedRect rect;  // Around it.
};

// The rectangle of least area around one to three letters lies as a few pixels
// of the map say, often askew. Where the long lines nearest to such a region
// run alike, its rectangle is laid as they lie, unless that would make it much
// larger: then it is text at another angle.
void AlignShort(std::vector<TextRegion>* regions);

}  // namespace munja::ocr

#endif  // MUNJA_OCR_ALIGN_SHORT_H_
