// Rules between the cells of a table, which the detector reads over.
#ifndef MUNJA_READING_FIND_TABLE_RULES_H_
#define MUNJA_READING_FIND_TABLE_RULES_H_

#include <vector>

#include "image/image.h"
#include "reading/find/boxes.h"

namespace munja::ocr {

// Splits boxes that hold several cells of a row at the rules between them, and
// cuts rules off their ends: a rule is read as a letter with the digit that it
// touches. A rule counts if it crosses or ends several boxes, one below the
// other. Cells of a character each are a comb field, whose box stays whole.
void SplitAtRules(const image::ImageView& page, std::vector<TextBox>* boxes);

}  // namespace munja::ocr

#endif  // MUNJA_READING_FIND_TABLE_RULES_H_
