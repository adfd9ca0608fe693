// Letters that two boxes of one row both hold.
#ifndef MUNJA_READING_ORIENT_SHARED_LETTERS_H_
#define MUNJA_READING_ORIENT_SHARED_LETTERS_H_

#include <vector>

#include "reading/read/page_line.h"

namespace munja::ocr {

// Boxes of a row may overlap where the probability map breaks: the letters
// there are read twice, once cut in two perhaps. Keeps of each such pair the
// one that was read with more confidence. Lines that are left without text are
// removed.
void DropSharedLetters(std::vector<PageLine>* lines);

}  // namespace munja::ocr

#endif  // MUNJA_READING_ORIENT_SHARED_LETTERS_H_
