// En and em dashes that were taken for hyphens: "pp. 21-23".
#ifndef MUNJA_READING_CORRECT_DASHES_H_
#define MUNJA_READING_CORRECT_DASHES_H_

#include "reading/correct/line_text.h"
#include "text/dictionary.h"

namespace munja::ocr {

// Networks take dashes for hyphens, which is what most text that they learned
// from has. A hyphen becomes a dash where its ink is too wide for a hyphen
// beside the letters of its line and the network thought of a dash, too. Lines
// whose characters are all of one pitch (typewriters, programs) are left
// unchanged: their hyphens are as wide as dashes. So are two hyphens in a row
// and numbers of three parts: dates, telephone numbers.
void CorrectDashes(const text::Dictionary& dictionary, const LineText& line);

}  // namespace munja::ocr

#endif  // MUNJA_READING_CORRECT_DASHES_H_
