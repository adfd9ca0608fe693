// Plain capitals and digits made of strokes, for the lettering of plots: it
// needs no font file.
#ifndef MUNJA_TRAIN_STROKE_FONT_H_
#define MUNJA_TRAIN_STROKE_FONT_H_

#include <string_view>

#include "image/draw.h"
#include "image/image.h"

namespace munja::train {

// `x`, `y`: top left corner. Letters are `height` pixels high; small ones are
// drawn as capitals, unknown characters as a gap.
void DrawStrokeText(image::Image& image, std::string_view text, float x,
                    float y, float height, const image::LineStyle& style);

// The width of text that DrawStrokeText() draws, in pixels.
float StrokeTextWidth(std::string_view text, float height);

}  // namespace munja::train

#endif  // MUNJA_TRAIN_STROKE_FONT_H_
