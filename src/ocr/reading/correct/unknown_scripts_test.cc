#include "reading/correct/unknown_scripts.h"

#include <gtest/gtest.h>

#include <vector>

namespace munja::ocr {
namespace {

Reading GuessedLine(float unknown, text::Writing writing) {
  Reading reading;
  reading.text.text = "abc";
  reading.text.confidence = 0.8f;
  reading.text.guess = {unknown, writing};
  return reading;
}

TEST(UnknownLines, ALineAloneMustBeClear) {
  std::vector<Reading> page = {GuessedLine(0.8f, text::Writing::kCyrillic)};
  WeighWritings(page, 0.5f);
  EXPECT_FALSE(IsUnknown(page[0]));
  page = {GuessedLine(0.99f, text::Writing::kCyrillic)};
  WeighWritings(page, 0.5f);
  EXPECT_TRUE(IsUnknown(page[0]));
}

// The same line among others like it, and among others that are known.
TEST(UnknownLines, ThePageDecidesWhatIsDoubtful) {
  std::vector<Reading> page(20, GuessedLine(0.8f, text::Writing::kGreek));
  WeighWritings(page, 0.5f);
  for (const Reading& line : page) EXPECT_TRUE(IsUnknown(line));
  page.assign(20, GuessedLine(0.02f, text::Writing::kGreek));
  page[7] = GuessedLine(0.9f, text::Writing::kGreek);
  WeighWritings(page, 0.5f);
  for (const Reading& line : page) EXPECT_FALSE(IsUnknown(line));
}

TEST(UnknownLines, GreekAndCyrillicAreToldApartByThePage) {
  std::vector<Reading> page(8, GuessedLine(0.99f, text::Writing::kCyrillic));
  page[3].text.guess.writing = text::Writing::kGreek;
  page.push_back(GuessedLine(0.99f, text::Writing::kArabic));
  WeighWritings(page, 0.5f);
  EXPECT_EQ(page[3].text.guess.writing, text::Writing::kCyrillic);
  EXPECT_EQ(page[8].text.guess.writing, text::Writing::kArabic);
  // A page may be in both.
  page.assign(6, GuessedLine(0.99f, text::Writing::kCyrillic));
  for (size_t i = 0; i < 2; ++i)
    page[i].text.guess.writing = text::Writing::kGreek;
  WeighWritings(page, 0.5f);
  EXPECT_EQ(page[0].text.guess.writing, text::Writing::kGreek);
  EXPECT_EQ(page[5].text.guess.writing, text::Writing::kCyrillic);
}

TEST(UnknownLines, TheSettingSaysHowLikelyIsEnough) {
  std::vector<Reading> page(5, GuessedLine(0.97f, text::Writing::kCjk));
  page.resize(15, GuessedLine(0.01f, text::Writing::kCjk));
  std::vector<Reading> same = page;
  WeighWritings(page, 0.5f);
  EXPECT_TRUE(IsUnknown(page[0]));
  EXPECT_FALSE(IsUnknown(page[5]));
  WeighWritings(same, 0.9999f);
  EXPECT_FALSE(IsUnknown(same[0]));
}

TEST(UnknownLines, TheNoteCountsLinesOfTextAndNamesMostOfThem) {
  std::vector<Reading> page(6, GuessedLine(0.999f, text::Writing::kArabic));
  page[1].text.guess.writing = text::Writing::kHebrew;
  page[2].text.guess.writing = text::Writing::kNotText;
  page.push_back(GuessedLine(0.0f, text::Writing::kCyrillic));
  page.push_back(GuessedLine(0.999f, text::Writing::kArabic));
  page.back().text.text.clear();  // Nothing was read.
  WeighWritings(page, 0.5f);
  EXPECT_TRUE(IsNoText(page[2]));
  const UnknownLines unknown = CountUnknown(page);
  EXPECT_EQ(unknown.lines, 5u);
  EXPECT_EQ(unknown.all, 6u);
  EXPECT_EQ(unknown.writing, text::Writing::kArabic);
  EXPECT_EQ(CountUnknown({}).lines, 0u);
}

}  // namespace
}  // namespace munja::ocr
