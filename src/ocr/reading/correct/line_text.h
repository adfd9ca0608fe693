// LineText: a line of a page while its text is corrected.
#ifndef MUNJA_READING_CORRECT_LINE_TEXT_H_
#define MUNJA_READING_CORRECT_LINE_TEXT_H_

#include "text/ctc.h"

namespace munja::ocr {

struct LineText {
  text::CtcLine& text;
  // Size of the line, in any unit; the places of the marks are shares of it.
  float width = 0, height = 0;
};

}  // namespace munja::ocr

#endif  // MUNJA_READING_CORRECT_LINE_TEXT_H_
