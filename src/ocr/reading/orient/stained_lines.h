// Lines that a stamp covers in part, read with its color and without it.
#ifndef MUNJA_READING_ORIENT_STAINED_LINES_H_
#define MUNJA_READING_ORIENT_STAINED_LINES_H_

#include <span>
#include <vector>

#include "geometry/rect.h"
#include "reading/read/page_line.h"

namespace munja::ocr {

// Drops the places that a line covers which is read with confidence.
void DropReadPlaces(std::span<const PageLine> lines,
                    std::vector<geometry::Rect<float>>* places);

// Replaces lines by those of `others` that lie over them and at one of the
// places, if these show more text, and puts them in order.
void TakeBetter(std::span<const geometry::Rect<float>> places,
                std::vector<PageLine> others, std::vector<PageLine>* lines);

}  // namespace munja::ocr

#endif  // MUNJA_READING_ORIENT_STAINED_LINES_H_
