#include "reading/correct/unknown_scripts.h"

#include <gtest/gtest.h>

#include <vector>

#include "reading/correct/testing.h"

namespace munja::ocr {
namespace {

text::CtcLine GuessedLine(float unknown, text::Script script) {
  text::CtcLine line;
  line.text = "abc";
  line.confidence = 0.8f;
  line.guess = {unknown, script};
  return line;
}

TEST(UnknownScripts, ALineAlone_MustBeClear) {
  std::vector<text::CtcLine> page = {
      GuessedLine(0.8f, text::Script::kCyrillic)};
  WeighScripts(PageOf(page), 0.5f);
  EXPECT_FALSE(IsUnknown(page[0]));
  page = {GuessedLine(0.99f, text::Script::kCyrillic)};
  WeighScripts(PageOf(page), 0.5f);
  EXPECT_TRUE(IsUnknown(page[0]));
}

// The same line among others like it, and among others that are known.
TEST(UnknownScripts, ThePage_DecidesWhatIsLowConfidence) {
  std::vector<text::CtcLine> page(20, GuessedLine(0.8f, text::Script::kGreek));
  WeighScripts(PageOf(page), 0.5f);
  for (const text::CtcLine& line : page) EXPECT_TRUE(IsUnknown(line));
  page.assign(20, GuessedLine(0.02f, text::Script::kGreek));
  page[7] = GuessedLine(0.9f, text::Script::kGreek);
  WeighScripts(PageOf(page), 0.5f);
  for (const text::CtcLine& line : page) EXPECT_FALSE(IsUnknown(line));
}

TEST(UnknownScripts, GreekAndCyrillic_AreToldApartByThePage) {
  std::vector<text::CtcLine> page(8,
                                  GuessedLine(0.99f, text::Script::kCyrillic));
  page[3].guess.script = text::Script::kGreek;
  page.push_back(GuessedLine(0.99f, text::Script::kArabic));
  WeighScripts(PageOf(page), 0.5f);
  EXPECT_EQ(page[3].guess.script, text::Script::kCyrillic);
  EXPECT_EQ(page[8].guess.script, text::Script::kArabic);
  // A page may be in both.
  page.assign(6, GuessedLine(0.99f, text::Script::kCyrillic));
  for (size_t i = 0; i < 2; ++i) page[i].guess.script = text::Script::kGreek;
  WeighScripts(PageOf(page), 0.5f);
  EXPECT_EQ(page[0].guess.script, text::Script::kGreek);
  EXPECT_EQ(page[5].guess.script, text::Script::kCyrillic);
}

TEST(UnknownScripts, TheSetting_SaysHowLikelyIsEnough) {
  std::vector<text::CtcLine> page(5, GuessedLine(0.97f, text::Script::kCjk));
  page.resize(15, GuessedLine(0.01f, text::Script::kCjk));
  std::vector<text::CtcLine> same = page;
  WeighScripts(PageOf(page), 0.5f);
  EXPECT_TRUE(IsUnknown(page[0]));
  EXPECT_FALSE(IsUnknown(page[5]));
  WeighScripts(PageOf(same), 0.9999f);
  EXPECT_FALSE(IsUnknown(same[0]));
}

TEST(UnknownScripts, TheNote_CountsLinesOfTextAndNamesMostOfThem) {
  std::vector<text::CtcLine> page(6,
                                  GuessedLine(0.999f, text::Script::kArabic));
  page[1].guess.script = text::Script::kHebrew;
  page[2].guess.script = text::Script::kNotText;
  page.push_back(GuessedLine(0.0f, text::Script::kCyrillic));
  page.push_back(GuessedLine(0.999f, text::Script::kArabic));
  page.back().text.clear();  // Nothing was read.
  WeighScripts(PageOf(page), 0.5f);
  EXPECT_TRUE(IsNoText(page[2]));
  std::vector<const text::CtcLine*> lines;
  for (const text::CtcLine& line : page) lines.push_back(&line);
  const UnknownLines unknown = CountUnknown(lines);
  EXPECT_EQ(unknown.lines, 5u);
  EXPECT_EQ(unknown.all, 6u);
  EXPECT_EQ(unknown.script, text::Script::kArabic);
  EXPECT_EQ(CountUnknown({}).lines, 0u);
}

}  // namespace
}  // namespace munja::ocr
