// Commas of large numbers that were taken for points: "81.234" in a column of
// "42,545" and "70,339".
#ifndef MUNJA_READING_CORRECT_SEPARATORS_H_
#define MUNJA_READING_CORRECT_SEPARATORS_H_

#include <span>

#include "reading/correct/line_text.h"
#include "text/dictionary.h"

namespace munja::ocr {

// The sign between groups of three digits becomes the one that the page's other
// numbers have there, comma or point, where the network thought of it: the more
// of them there are, the less it must have. A page on which both are read with
// confidence, or hardly one is, tells nothing.
void CorrectSeparators(const text::Dictionary& dictionary,
                       std::span<const LineText> page);

}  // namespace munja::ocr

#endif  // MUNJA_READING_CORRECT_SEPARATORS_H_
