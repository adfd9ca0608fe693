// Where the ink lies in the image of one line.
#ifndef MUNJA_READING_FIND_LINE_MARGINS_H_
#define MUNJA_READING_FIND_LINE_MARGINS_H_

#include "geometry/quad.h"
#include "image/image.h"
#include "reading/network/config.h"

namespace munja::ocr {

// The box to read in the image of a single line: its ink with a narrow margin,
// where wide margins would make the letters small at the recognizer's height;
// else the whole image, also if it has no ink or its ground is not plain. It is
// tall, as vertical lines are, only if the image is.
geometry::Quad InkBox(const image::ImageView& line,
                      const RecognizerConfig& config);

}  // namespace munja::ocr

#endif  // MUNJA_READING_FIND_LINE_MARGINS_H_
