// For tests of corrections: the classes of symbols, and pages of lines.
#ifndef MUNJA_READING_CORRECT_TESTING_H_
#define MUNJA_READING_CORRECT_TESTING_H_

#include <gtest/gtest.h>

#include <string_view>
#include <vector>

#include "reading/correct/line_text.h"
#include "text/ctc.h"
#include "text/dictionary.h"

namespace munja::ocr {

// The class of a symbol; 0, and a failure of the test, where there is none.
inline int ClassOf(const text::Dictionary& dictionary,
                   std::string_view symbol) {
  const int cls = dictionary.ClassOf(symbol);
  EXPECT_NE(cls, 0) << symbol;
  return cls;
}

// The lines of a page.
inline std::vector<LineText> PageOf(std::vector<text::CtcLine>& lines) {
  std::vector<LineText> page;
  for (text::CtcLine& line : lines) page.push_back({line, 1, 1});
  return page;
}

}  // namespace munja::ocr

#endif  // MUNJA_READING_CORRECT_TESTING_H_
