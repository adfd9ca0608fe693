// Rows of text in a region that several lines share.
#ifndef MUNJA_READING_FIND_TEXT_ROWS_H_
#define MUNJA_READING_FIND_TEXT_ROWS_H_

#include <vector>

#include "reading/find/region_text.h"
#include "reading/find/text_regions.h"

namespace munja::ocr {

// The rows in a region whose lines run in `direction`, from above; none where
// it is one line.
std::vector<TextRegion> RowsIn(const RegionText& text, float direction);

}  // namespace munja::ocr

#endif  // MUNJA_READING_FIND_TEXT_ROWS_H_
