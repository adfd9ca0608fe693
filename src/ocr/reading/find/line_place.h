// How the text of a line lies in its box.
#ifndef MUNJA_READING_FIND_LINE_PLACE_H_
#define MUNJA_READING_FIND_LINE_PLACE_H_

#include "geometry/quad.h"
#include "image/image.h"
#include "reading/network/config.h"

namespace munja::ocr {

// Where a line starts in its box, and how wide it is at the recognizer's
// height, at least 1. `polygon` is the box with its points in the text's own
// order: [0] is where the text starts, at its top.
struct LinePlace {
  geometry::Quad polygon;
  int width = 1;
};
LinePlace PlaceLine(const geometry::Quad& quad, const RecognizerConfig& config);

// Whether the box is so tall, `tall_ratio` times its width, that its text is
// taken to run upwards or downwards.
bool IsVertical(const geometry::Quad& quad, const RecognizerConfig& config);

// PlaceLine().width.
int LineWidth(const geometry::Quad& quad, const RecognizerConfig& config);

// The box of an image that is one line already.
geometry::Quad WholeImage(const image::ImageView& image);

// Whether a line that is `a` wide shows better for its price which way it
// stands than one that is `b` wide: it should be wide enough for some letters,
// but no wider.
bool IsBetterSample(int a, int b, int height);

}  // namespace munja::ocr

#endif  // MUNJA_READING_FIND_LINE_PLACE_H_
