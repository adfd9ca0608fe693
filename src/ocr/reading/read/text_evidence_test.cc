#include "reading/read/text_evidence.h"

#include <gtest/gtest.h>

#include <string>

namespace munja::ocr {
namespace {

// A line whose characters, of one byte each, all have this probability.
text::CtcLine EvenLine(const std::string& text, float probability) {
  text::CtcLine line;
  line.text = text;
  line.confidence = probability;
  for (size_t i = 0; i < text.size(); ++i)
    line.marks.push_back({.text_end = i + 1, .probability = probability});
  return line;
}

TEST(TextEvidence, LettersAndDigits_CountByHowSureTheyAre) {
  EXPECT_FLOAT_EQ(TextEvidence(EvenLine("a1", 1.0f)), 2.0f);
  EXPECT_FLOAT_EQ(TextEvidence(EvenLine("a1", 0.75f)), 1.0f);
}

TEST(TextEvidence, Signs_ShowNothing) {
  EXPECT_EQ(TextEvidence(EvenLine("--.| ", 1.0f)), 0);
  EXPECT_FLOAT_EQ(TextEvidence(EvenLine("-a-", 1.0f)), 1.0f);
}

TEST(TextEvidence, LineInDoubt_ShowsNothing) {
  text::CtcLine line = EvenLine("ab", 1.0f);
  line.confidence = 0.5f;
  EXPECT_EQ(TextEvidence(line), 0);
  EXPECT_EQ(TextEvidence(text::CtcLine()), 0);
}

}  // namespace
}  // namespace munja::ocr
