#include "reading/orient/shared_letters.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace munja::ocr {
namespace {

// A line whose letters are 10 wide, from x on; each is as sure as it says.
PageLine LettersAt(float x, float y, const std::string& text,
                   const std::vector<float>& sure = {}) {
  PageLine line;
  const float width = 10 * static_cast<float>(text.size());
  line.box.quad = {{{x, y}, {x + width, y}, {x + width, y + 20}, {x, y + 20}}};
  line.reading.polygon = line.box.quad;
  line.reading.text.text = text;
  for (size_t i = 0; i < text.size(); ++i) {
    text::CtcMark mark;
    mark.text_end = i + 1;
    mark.probability = i < sure.size() ? sure[i] : 0.9f;
    mark.left = static_cast<float>(i) / static_cast<float>(text.size());
    mark.right = static_cast<float>(i + 1) / static_cast<float>(text.size());
    line.reading.text.marks.push_back(mark);
  }
  return line;
}

template <class... Lines>
std::vector<std::string> LeftOf(Lines&&... all) {
  std::vector<PageLine> lines;
  (lines.push_back(std::move(all)), ...);
  DropSharedLetters(&lines);
  std::vector<std::string> texts;
  for (const PageLine& line : lines) {
    texts.push_back(line.reading.text.text);
    EXPECT_EQ(line.reading.text.marks.size(), texts.back().size());
    if (!texts.back().empty()) {
      EXPECT_EQ(line.reading.text.marks.back().text_end, texts.back().size());
    }
  }
  return texts;
}

using Texts = std::vector<std::string>;

TEST(SharedLetters, SurerLetter_IsKept) {
  // "are" and "e soaked", the "e" in both; "litres n" and "water", whose "w"
  // is cut in the first.
  EXPECT_EQ(
      LeftOf(LettersAt(0, 0, "are"), LettersAt(20, 2, "e soaked", {0.4f})),
      (Texts{"are", "soaked"}));
  EXPECT_EQ(LeftOf(LettersAt(70, 0, "water"),
                   LettersAt(0, 0, "litres n",
                             {.9f, .9f, .9f, .9f, .9f, .9f, .9f, .3f})),
            (Texts{"water", "litres"}));
}

TEST(SharedLetters, LinesApart_StayAsTheyAre) {
  // Beside each other, below each other, one in the other, across.
  EXPECT_EQ(LeftOf(LettersAt(0, 0, "are"), LettersAt(30, 0, "soaked")),
            (Texts{"are", "soaked"}));
  EXPECT_EQ(LeftOf(LettersAt(0, 0, "are"), LettersAt(20, 14, "soaked")),
            (Texts{"are", "soaked"}));
  EXPECT_EQ(LeftOf(LettersAt(0, 0, "soaked"), LettersAt(20, 0, "ak")),
            (Texts{"soaked", "ak"}));
  PageLine across = LettersAt(25, -20, "soaked");
  across.reading.polygon = {{{35, -20}, {35, 40}, {15, 40}, {15, -20}}};
  EXPECT_EQ(LeftOf(LettersAt(0, 0, "are"), across), (Texts{"are", "soaked"}));
}

// Letters that only one of the boxes holds are kept, be they in the overlap.
TEST(SharedLetters, LettersOfOneBox_AreKept) {
  PageLine gap = LettersAt(20, 0, "  so");
  EXPECT_EQ(LeftOf(LettersAt(0, 0, "are"), gap), (Texts{"are", "  so"}));
}

TEST(SharedLetters, LinesWithoutText_AreRemoved) {
  EXPECT_EQ(LeftOf(LettersAt(0, 0, "are"), LettersAt(24, 0, "e", {0.2f})),
            (Texts{"are"}));
}

}  // namespace
}  // namespace munja::ocr
