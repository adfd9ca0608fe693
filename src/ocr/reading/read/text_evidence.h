// How much a text that was read speaks for the guess under which it was read:
// that a page lies so, that a box is one line. The one measure that all such
// guesses are decided by.
#ifndef MUNJA_READING_READ_TEXT_EVIDENCE_H_
#define MUNJA_READING_READ_TEXT_EVIDENCE_H_

#include "text/ctc.h"

namespace munja::ocr {

// The sum over its letters and digits of how far each is surer than even, from
// 0 to 1; 0 for a text that is in doubt as a whole, as is what is read in
// textures and in text that lies otherwise.
float TextEvidence(const text::CtcLine& line);

}  // namespace munja::ocr

#endif  // MUNJA_READING_READ_TEXT_EVIDENCE_H_
