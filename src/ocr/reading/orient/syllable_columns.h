// Writing in columns, as Korean, Chinese and Japanese have it, whose characters
// stand so far apart that each is a line for the detector.
#ifndef MUNJA_READING_ORIENT_SYLLABLE_COLUMNS_H_
#define MUNJA_READING_ORIENT_SYLLABLE_COLUMNS_H_

#include <vector>

#include "reading/read/page_line.h"

namespace munja::ocr {

// Joins lines of one such character each to a line for each column, if they
// stand closer below each other than beside each other and nothing else stands
// beside them.
void JoinSyllableColumns(std::vector<PageLine>* lines);

}  // namespace munja::ocr

#endif  // MUNJA_READING_ORIENT_SYLLABLE_COLUMNS_H_
