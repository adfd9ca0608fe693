// From boxes on a page to upright images of single lines.
#ifndef MUNJA_READING_READ_CROPPER_H_
#define MUNJA_READING_READ_CROPPER_H_

#include "base/status.h"
#include "geometry/quad.h"
#include "image/image.h"
#include "reading/find/line_place.h"
#include "reading/network/config.h"

namespace munja::ocr {

// One line at the recognizer's height. `polygon` is the box with its points
// in the text's own order: [0] is where the text starts, at its top.
struct LineImage {
  image::Image pixels;
  geometry::Quad polygon;
};

// Crops `quad` (clockwise from its top-left, page pixels) from the page,
// rotated by 90 degrees counter-clockwise if it is vertical, at the
// recognizer's height; the width follows, at least 1. Pixels outside the page
// repeat its edge.
Result<LineImage> CutLine(const image::ImageView& page,
                          const geometry::Quad& quad,
                          const RecognizerConfig& config);
// The same into memory that is there.
Status CutLine(const image::ImageView& page, const geometry::Quad& quad,
               const RecognizerConfig& config, LineImage& line);

// Rotates the line by 180 degrees, polygon too.
void TurnAround(LineImage& line);

}  // namespace munja::ocr

#endif  // MUNJA_READING_READ_CROPPER_H_
