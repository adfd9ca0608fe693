// Long lines on bent paper, which no rectangle holds without its neighbors.
#ifndef MUNJA_READING_FIND_BENT_LINES_H_
#define MUNJA_READING_FIND_BENT_LINES_H_

#include <vector>

#include "reading/find/region_text.h"
#include "reading/find/text_regions.h"

namespace munja::ocr {

// Whether a line's region is so much higher than it is on the average that the
// line may bend.
bool MayBend(const TextRegion& line);

// The straight pieces of a line that runs in `direction` on the whole; none
// where it is straight or too short to be cut.
std::vector<TextRegion> StraightPieces(const RegionText& text, float direction);

}  // namespace munja::ocr

#endif  // MUNJA_READING_FIND_BENT_LINES_H_
