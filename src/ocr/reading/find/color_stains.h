// Stamps: marks of one color that lie over dark print. The detector takes them
// and the lines that they touch for one.
#ifndef MUNJA_READING_FIND_COLOR_STAINS_H_
#define MUNJA_READING_FIND_COLOR_STAINS_H_

#include <vector>

#include "base/status.h"
#include "geometry/rect.h"
#include "image/image.h"

namespace munja::ocr {

// The places of a light page at which ink of one color and dark print meet, in
// pixels, and the brightest channel of that ink.
struct ColorStains {
  std::vector<geometry::Rect<float>> places;
  int level = 255;
};
ColorStains FindColorStains(const image::ImageView& page);

// The page in gray, without ink of a color whose brightest channel has this
// level: paper stays light, dark print dark. kOutOfMemory.
Result<image::Image> WithoutColor(const image::ImageView& page, int level);

}  // namespace munja::ocr

#endif  // MUNJA_READING_FIND_COLOR_STAINS_H_
