#include "text/ctc.h"

#include <gtest/gtest.h>

#include <vector>

namespace munja::text {
namespace {

// Classes: 0 blank, 1 "a", 2 "b", 3 a Chinese character, 4 space.
class CtcTest : public ::testing::Test {
 protected:
  CtcTest() : dictionary_(*Dictionary::Parse("a\nb\n\u4E2D\n", true)) {}
  CtcText Decode(const std::vector<CtcStep>& steps) {
    return DecodeCtc(steps, dictionary_);
  }
  Dictionary dictionary_;
};

TEST_F(CtcTest, Repeats_CollapseAndBlanksVanish) {
  const CtcText out = Decode(
      {{0, .9f}, {1, .8f}, {1, .9f}, {0, .9f}, {2, .6f}, {3, .7f}, {3, .7f}});
  EXPECT_EQ(out.text, "ab\u4E2D");
  ASSERT_EQ(out.characters.size(), 3u);
  EXPECT_EQ(out.characters[0].step, 1u);
  EXPECT_EQ(out.characters[1].step, 4u);
  EXPECT_EQ(out.characters[2].step, 5u);
  EXPECT_EQ(out.characters[2].text, "\u4E2D");
  EXPECT_FLOAT_EQ(out.characters[1].probability, .6f);
}

TEST_F(CtcTest, DoubleLetters_NeedABlankBetween) {
  EXPECT_EQ(Decode({{1, 1}, {0, 1}, {1, 1}}).text, "aa");
  EXPECT_EQ(Decode({{1, 1}, {1, 1}}).text, "a");
  EXPECT_EQ(Decode({{1, 1}, {2, 1}, {1, 1}}).text, "aba");
}

TEST_F(CtcTest, TheLastClass_IsTheSpace) {
  EXPECT_EQ(Decode({{1, 1}, {4, 1}, {2, 1}}).text, "a b");
  EXPECT_EQ(Decode({{4, 1}, {1, 1}, {4, 1}}).text, " a ");
}

TEST_F(CtcTest, Confidence_IsTheMeanOfTheGivenProbabilities) {
  // The first step of each character counts, blanks and repeats do not.
  const CtcText out =
      Decode({{0, .1f}, {1, .75f}, {1, .1f}, {0, .2f}, {2, .25f}});
  EXPECT_FLOAT_EQ(out.confidence, .5f);
}

TEST_F(CtcTest, EmptyText_HasNoConfidence) {
  EXPECT_EQ(Decode({}).confidence, 0);
  const CtcText out = Decode({{0, 1}, {0, 1}});
  EXPECT_EQ(out.text, "");
  EXPECT_EQ(out.confidence, 0);
  EXPECT_TRUE(out.characters.empty());
}

// A line's memory serves again; what it held is gone.
TEST_F(CtcTest, ALine_HoldsTheLastTextOnly) {
  CtcLine line;
  for (const std::vector<CtcStep>& steps :
       {std::vector<CtcStep>{{1, .5f}, {2, .5f}},
        std::vector<CtcStep>{{2, .9f}}, std::vector<CtcStep>{}}) {
    DecodeCtc(steps, dictionary_, line);
    const CtcText alone = Decode(steps);
    EXPECT_EQ(line.text, alone.text);
    EXPECT_EQ(line.confidence, alone.confidence);
  }
}

TEST(ReplaceCharacters, Marks_StillMakeUpTheText) {
  const auto dictionary = Dictionary::Parse("a\n-\n–\n", true);
  ASSERT_TRUE(dictionary.ok());
  CtcLine line;
  line.text = "a-–a";
  for (const size_t end : {1, 2, 5, 6})
    line.marks.emplace_back().text_end = end;
  line.marks[2].cls = 3;
  ReplaceCharacters(std::vector<int>{0, 3, 2, 0}, *dictionary, line);
  EXPECT_EQ(line.text, "a–-a");
  EXPECT_EQ(CharactersOf(line),
            (std::vector<std::string_view>{"a", "–", "-", "a"}));
  EXPECT_EQ(line.marks[1].cls, 3);
  EXPECT_EQ(line.marks[2].cls, 2);
}

}  // namespace
}  // namespace munja::text
