#include "reading/orient/companions.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "reading/read/testing.h"

namespace munja::ocr {
namespace {

// A line of letters, 10 wide and 20 high each, from x on; signs are read with
// little confidence.
PageLine CompanyAt(float x, float y, const std::string& text,
                   bool is_low_score = false) {
  PageLine line;
  const float width = 10 * static_cast<float>(text.size());
  line.box.quad = {{{x, y}, {x + width, y}, {x + width, y + 20}, {x, y + 20}}};
  line.box.is_low_score = is_low_score;
  line.is_read = true;
  line.reading.text.text = text;
  for (size_t i = 0; i < text.size(); ++i) {
    text::CtcMark mark;
    mark.text_end = i + 1;
    mark.probability = text[i] == '.' ? 0.3f : 0.95f;
    line.reading.text.marks.push_back(mark);
  }
  return line;
}

// Whether the last of the lines, whose score is low, is kept.
template <class... Lines>
bool IsKept(Lines&&... all) {
  std::vector<PageLine> lines;
  (lines.push_back(std::move(all)), ...);
  lines.back().box.is_low_score = true;
  KeepReadCompanions(RecognizerConfig(), lines);
  return !lines.back().box.is_low_score;
}

TEST(Companions, DotsLead_ToANumber) {
  EXPECT_TRUE(
      IsKept(CompanyAt(0, 0, "Introduction.."), CompanyAt(600, 0, "1")));
  EXPECT_TRUE(
      IsKept(CompanyAt(0, 0, "Introduction . ."), CompanyAt(600, 2, ".1")));
  EXPECT_FALSE(IsKept(CompanyAt(0, 0, "Introduction"), CompanyAt(600, 0, "1")));
  EXPECT_FALSE(
      IsKept(CompanyAt(0, 0, "Introduction."), CompanyAt(600, 0, "1")));
  EXPECT_FALSE(
      IsKept(CompanyAt(0, 0, "Introduction.."), CompanyAt(600, 0, "l")));
  // Another row, and a place that the dots do not lead to.
  EXPECT_FALSE(
      IsKept(CompanyAt(0, 0, "Introduction.."), CompanyAt(600, 30, "1")));
  EXPECT_FALSE(
      IsKept(CompanyAt(60, 0, "Introduction.."), CompanyAt(0, 0, "1")));
}

TEST(Companions, Signs_DoNotCount) {
  // Its letters are read well, the dots before them are not.
  EXPECT_TRUE(IsKept(CompanyAt(0, 0, "Methods"), CompanyAt(600, 0, "...12")));
  EXPECT_FALSE(IsKept(CompanyAt(0, 0, "Methods"), CompanyAt(600, 0, "...")));
}

TEST(Companions, Numbers_KeepEachOtherCompany) {
  EXPECT_TRUE(IsKept(CompanyAt(0, 0, "104"), CompanyAt(10, 40, "37"),
                     CompanyAt(20, 80, "1")));
  EXPECT_FALSE(IsKept(CompanyAt(0, 0, "cow"), CompanyAt(10, 40, "37"),
                      CompanyAt(20, 80, "1")));
}

// The boxes of three letters in a row; the last one has a low score and holds
// less than its letter, whose outline is known.
std::vector<PageLine> LettersOfARow(const geometry::Quad& outline) {
  std::vector<PageLine> lines;
  lines.push_back({BlockBox(96, 124)});
  lines.push_back({BlockBox(196, 224)});
  PageLine& last = lines.emplace_back();
  last.box = BlockBox(322, 350);
  last.box.is_low_score = true;
  last.box.outline = outline;
  return lines;
}

TEST(Companions, LetterBesideItsBox_IsReadAroundItsInk) {
  const image::Image page =
      PageOfBlocks({{100, 1}, {200, 2}, {300, 3}, {400, 4}});
  LineReaders readers =
      BlockReaders(RecognizerConfig(), [](int, float) { return 0.95f; });
  const auto read = [&](std::vector<PageLine> lines) {
    // It has room for a line, and so is read.
    lines[2].box.is_low_score = false;
    EXPECT_TRUE(readers.ReadAll(page.view(), lines).ok());
    lines[2].box.is_low_score = true;
    EXPECT_EQ(lines[2].reading.text.text, "");
    EXPECT_TRUE(KeepCompanions(readers, page.view(), &lines).ok());
    return std::move(lines[2]);
  };
  const PageLine found = read(LettersOfARow(BlockBox(298, 322).quad));
  EXPECT_EQ(found.reading.text.text, "c");
  EXPECT_FALSE(found.box.is_low_score);
  const PageLine empty = read(LettersOfARow(BlockBox(330, 350).quad));
  EXPECT_EQ(empty.reading.text.text, "");
  EXPECT_TRUE(empty.box.is_low_score);
}

}  // namespace
}  // namespace munja::ocr
