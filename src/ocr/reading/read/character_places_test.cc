#include "reading/read/character_places.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace munja::ocr {
namespace {

constexpr int kHeight = 48, kStep = 8;

struct Ink {
  int left, top, right, bottom;
};

image::Image Draw(int width, const std::vector<Ink>& inks, uint8_t paper = 240,
                  uint8_t ink = 20) {
  image::Image line = image::Image::Create(width, kHeight).value();
  for (int y = 0; y < kHeight; ++y) std::fill_n(line.row(y), 3 * width, paper);
  for (const Ink& i : inks)
    for (int y = i.top; y < i.bottom; ++y)
      std::fill_n(line.row(y) + 3 * i.left, 3 * (i.right - i.left), ink);
  return line;
}

class CharacterPlacesTest : public testing::Test {
 protected:
  // One step for each class.
  static text::CtcMark Mark(size_t step, int cls) {
    text::CtcMark mark;
    mark.begin = step;
    mark.end = step + 1;
    mark.cls = cls;
    return mark;
  }
  void ExpectAt(const text::CtcMark& mark, int width, const Ink& ink) {
    const auto w = static_cast<float>(width);
    EXPECT_NEAR(mark.left * w, ink.left, 0.01);
    EXPECT_NEAR(mark.right * w, ink.right, 0.01);
    EXPECT_NEAR(mark.top * kHeight, ink.top, 0.01);
    EXPECT_NEAR(mark.bottom * kHeight, ink.bottom, 0.01);
  }

  const text::Dictionary dictionary_ =
      text::Dictionary::Parse("a\nb\n", true).value();  // Space: 3.
  CharacterPlaces places_{dictionary_};
};

// Steps 1, 3, 5 | 8: their middles are 12, 28, 44 and 68.
TEST_F(CharacterPlacesTest, Boxes_EndWhereTheInkDoes) {
  const std::vector<Ink> inks = {
      {6, 12, 20, 36}, {23, 8, 33, 36}, {38, 12, 51, 44}, {62, 12, 73, 36}};
  for (const bool is_light : {false, true}) {
    const image::Image line =
        is_light ? Draw(96, inks, 30, 220) : Draw(96, inks);
    std::vector<text::CtcMark> marks = {Mark(1, 1), Mark(3, 2), Mark(5, 1),
                                        Mark(6, 3), Mark(8, 2)};
    places_.Find(line.view(), kStep, marks);
    ExpectAt(marks[0], 96, inks[0]);
    ExpectAt(marks[1], 96, inks[1]);
    ExpectAt(marks[2], 96, inks[2]);
    ExpectAt(marks[3], 96, {51, 12, 62, 44});  // The space between.
    ExpectAt(marks[4], 96, inks[3]);
  }
}

// Connected ink is split where there is least of it.
TEST_F(CharacterPlacesTest, CharactersThatTouch_AreSplitWhereTheyAreThin) {
  const image::Image line =
      Draw(64, {{6, 12, 24, 36}, {24, 34, 28, 36}, {28, 12, 44, 36}});
  std::vector<text::CtcMark> marks = {Mark(1, 1), Mark(4, 2)};
  places_.Find(line.view(), kStep, marks);
  EXPECT_GE(marks[0].right * 64, 24);
  EXPECT_LE(marks[0].right * 64, 28);
  EXPECT_FLOAT_EQ(marks[0].right, marks[1].left);
  EXPECT_FLOAT_EQ(marks[1].right * 64, 44);
}

// The line above and below reach into the cut, and a stroke far behind the
// last character is none of it.
TEST_F(CharacterPlacesTest, InkOfOthers_IsLeftOut) {
  const image::Image line = Draw(
      128, {{6, 14, 20, 34}, {6, 0, 20, 3}, {6, 45, 20, 48}, {70, 14, 74, 34}});
  std::vector<text::CtcMark> marks = {Mark(1, 1)};
  places_.Find(line.view(), kStep, marks);
  ExpectAt(marks[0], 128, {6, 14, 20, 34});
}

TEST_F(CharacterPlacesTest, AccentsAndPoints_HaveTheirPlace) {
  const image::Image line =
      Draw(64, {{6, 14, 20, 34}, {10, 8, 16, 11}, {26, 36, 30, 40}});
  std::vector<text::CtcMark> marks = {Mark(1, 1), Mark(3, 2)};
  places_.Find(line.view(), kStep, marks);
  ExpectAt(marks[0], 64, {6, 8, 20, 34});
  ExpectAt(marks[1], 64, {26, 36, 30, 40});
}

// Characters of any width and height, read at the step in their middle, with
// white space between them: their boxes are those of their ink, and a space is
// what lies between its neighbors. There is less ink than paper.
TEST_F(CharacterPlacesTest, AnyCharacters_HaveTheExtentOfTheirInk) {
  std::mt19937 random(8);
  const auto any = [&](int least, int most) {
    return std::uniform_int_distribution<int>(least, most)(random);
  };
  for (int round = 0; round < 300; ++round) {
    std::vector<Ink> inks;
    std::vector<text::CtcMark> marks;
    std::vector<size_t> ink_of;  // By mark; a space has the next one.
    int x = any(2, 14);
    const int count = any(1, 8);
    for (int i = 0; i < count; ++i) {
      const int width = any(4, 56);
      const Ink ink = {x, any(10, 18), x + width, any(30, 36)};
      // At most half a step from the middle, as networks read.
      const auto step = static_cast<size_t>((ink.left + ink.right) / 2 / kStep);
      if (i > 0 && any(0, 2) == 0 && step > marks.back().end) {
        marks.push_back(Mark(step - 1, 3));
        ink_of.push_back(inks.size());
      }
      marks.push_back(Mark(step, any(1, 2)));
      ink_of.push_back(inks.size());
      inks.push_back(ink);
      x += width + any(9, 16);
    }
    const int width = x + any(0, 60);
    const image::Image line = Draw(width, inks);
    places_.Find(line.view(), kStep, marks);
    for (size_t i = 0; i < marks.size(); ++i) {
      SCOPED_TRACE(testing::Message() << round << ": " << i);
      const Ink& ink = inks[ink_of[i]];
      if (marks[i].cls != 3) {
        ExpectAt(marks[i], width, ink);
      } else {
        const Ink& before = inks[ink_of[i] - 1];
        ExpectAt(marks[i], width,
                 {before.right, before.top, ink.left, before.bottom});
      }
    }
  }
}

// Steps may lie in the padding, and a line may be blank.
TEST_F(CharacterPlacesTest, LinesWithoutInk_AreDividedByTheirSteps) {
  const image::Image line = Draw(40, {});
  std::vector<text::CtcMark> marks = {Mark(1, 1), Mark(2, 3), Mark(9, 2)};
  places_.Find(line.view(), kStep, marks);
  for (const text::CtcMark& mark : marks) {
    EXPECT_GE(mark.left, 0);
    EXPECT_LE(mark.right, 1);
    EXPECT_LE(mark.left, mark.right);
    EXPECT_EQ(mark.top, 0);
    EXPECT_EQ(mark.bottom, 1);
  }
  EXPECT_LE(marks[0].right, marks[2].left);
  std::vector<text::CtcMark> spaces = {Mark(1, 3), Mark(3, 3)};
  places_.Find(line.view(), kStep, spaces);
  EXPECT_EQ(spaces[0].left, 0);
  EXPECT_FLOAT_EQ(spaces[0].right, spaces[1].left);
  EXPECT_FLOAT_EQ(spaces[1].right, 1);
}

// A box of 100 x 40 that was cut with 2 pixels more on all sides.
TEST(PlaceInBox, Growth_IsTakenBack) {
  const geometry::Quad cut = {{{-2, -2}, {102, -2}, {102, 42}, {-2, 42}}};
  text::CtcMark mark;
  mark.left = 12.0f / 104;
  mark.right = 52.0f / 104;
  mark.top = 6.0f / 44;
  mark.bottom = 42.0f / 44;
  PlaceInBox(cut, 2, {&mark, 1});
  EXPECT_NEAR(mark.left, 0.1, 1e-6);
  EXPECT_NEAR(mark.right, 0.5, 1e-6);
  EXPECT_NEAR(mark.top, 0.1, 1e-6);
  EXPECT_NEAR(mark.bottom, 1, 1e-6);
}

}  // namespace
}  // namespace munja::ocr
