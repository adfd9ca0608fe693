// LineBudget: how much text a page may hold.
#ifndef MUNJA_READING_FIND_LINE_BUDGET_H_
#define MUNJA_READING_FIND_LINE_BUDGET_H_

#include <cstdint>
#include <vector>

#include "reading/find/boxes.h"
#include "reading/network/config.h"

namespace munja::ocr {

// Columns of lines, at the recognizer's height, on a page that the detector saw
// at this size: as many as text of the smallest size that is found has when it
// covers the page, line upon line. A network that finds more sees text where
// none is (noise, a config that is not its own), and reading all that would
// take minutes.
int64_t MaxColumns(int map_width, int map_height,
                   const RecognizerConfig& config);

// Leaves out the boxes of the lowest scores beyond so many columns together,
// in place and in order; gives their number. One box always stays.
size_t KeepColumns(int64_t most, const RecognizerConfig& config,
                   std::vector<TextBox>* boxes);

}  // namespace munja::ocr

#endif  // MUNJA_READING_FIND_LINE_BUDGET_H_
