#include "reading/read/page_line.h"

#include <gtest/gtest.h>

#include <vector>

namespace munja::ocr {
namespace {

TEST(IsText, LowScoreBoxes_NeedFourLettersReadWithConfidence) {
  RecognizerConfig config;
  config.faint_confidence = 0.8f;
  struct Case {
    const char* text;
    float confidence;
    bool is_low_score, is_line;
  };
  const std::vector<Case> cases = {
      {"constituent elements", 0.8f, true, true},
      {"constituent elements", 0.79f, true, false},
      {"1,240.50", 0.95f, true, true},
      {"가나다라", 0.95f, true, true},
      {"l i1", 0.99f, true, false},         // Three.
      {"--- *** ---", 0.99f, true, false},  // None.
      {"", 0, true, false},
      {"l", 0.1f, false, true},
      {"", 0, false, true},  // Not for this function to say.
  };
  for (const Case& c : cases) {
    PageLine line;
    line.box.is_low_score = c.is_low_score;
    line.reading.text.text = c.text;
    line.reading.text.confidence = c.confidence;
    EXPECT_EQ(IsText(line, config), c.is_line) << c.text;
  }
}

}  // namespace
}  // namespace munja::ocr
