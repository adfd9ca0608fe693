// Letters of a unit that were read twice, in its sign and alone: "420㎜m".
#ifndef MUNJA_READING_CORRECT_UNITS_H_
#define MUNJA_READING_CORRECT_UNITS_H_

#include "reading/correct/line_hypothesis.h"

namespace munja::ocr {

// Signs of units are as wide as several letters, and a network reads the last
// of them once more where they are printed wide. It is dropped if no other
// letter or digit follows. Whether any was.
bool DropLettersOfUnits(LineHypothesis& line);

}  // namespace munja::ocr

#endif  // MUNJA_READING_CORRECT_UNITS_H_
