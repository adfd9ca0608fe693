#include "reading/orient/quarter_turns.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "reading/orient/testing.h"

namespace munja::ocr {
namespace {

std::vector<PageLine> LinesOf(const std::vector<TextBox>& boxes) {
  std::vector<PageLine> lines;
  for (const TextBox& box : boxes) lines.push_back({box});
  return lines;
}

TEST(TurnSample, Lines_AreThoseThatLieAsMostDo) {
  const RecognizerConfig config;
  std::vector<PageLine> lines = LinesOf(
      {Lying(0, 0, 200, 20), Standing(0, 30, 100, 20), Lying(0, 60, 120, 20),
       Lying(0, 90, 60, 20), Lying(0, 120, 15, 20)});
  // The shortest that has letters enough comes first; one that is too short to
  // lie any way never comes.
  lines.push_back({Lying(0, 150, 120, 20)});
  lines.push_back({Lying(0, 180, 120, 20)});
  EXPECT_EQ(TurnSample(lines, config), (std::vector<size_t>{2, 5, 6, 0, 3}));
}

TEST(TurnSample, FewLines_AreAllAsked) {
  const RecognizerConfig config;
  std::vector<PageLine> lines = LinesOf(
      {Lying(0, 0, 200, 20), Standing(0, 30, 100, 20), Lying(0, 120, 15, 20)});
  EXPECT_EQ(TurnSample(lines, config), (std::vector<size_t>{0, 1}));
  // A box that may be no line is asked where one alone is left.
  lines[1].box.is_low_score = true;
  EXPECT_EQ(TurnSample(lines, config), (std::vector<size_t>{0, 1}));
  lines.push_back({Lying(0, 150, 120, 20)});
  EXPECT_EQ(TurnSample(lines, config), (std::vector<size_t>{3, 0}));
  // One line alone says nothing of the page.
  lines.resize(1);
  EXPECT_TRUE(TurnSample(lines, config).empty());
}

TEST(TurnSample, BothKinds_AreAskedWhereNeitherIsNearlyAll) {
  const RecognizerConfig config;
  std::vector<TextBox> boxes;
  for (int i = 0; i < 3; ++i) {
    boxes.push_back(Lying(0, 30.0f * i, 100, 20));
    boxes.push_back(Standing(200 + 30.0f * i, 0, 150, 20));
  }
  const std::vector<size_t> sample = TurnSample(LinesOf(boxes), config);
  ASSERT_EQ(sample.size(), 6u);
  // Boxes that are rotated by 90 degrees are longer.
  for (size_t i = 0; i < 3; ++i) EXPECT_EQ(sample[i] % 2, 1u) << i;
}

TEST(ShortSample, Lines_AreOfALetterOrTwo) {
  const RecognizerConfig config;
  std::vector<TextBox> boxes;
  for (int i = 0; i < 8; ++i) boxes.push_back(Lying(0, 30.0f * i, 25, 20));
  EXPECT_TRUE(TurnSample(LinesOf(boxes), config).empty());
  boxes.push_back(Lying(0, 300, 100, 20));
  EXPECT_EQ(ShortSample(LinesOf(boxes), config).size(), 8u);
  boxes.resize(4);
  EXPECT_TRUE(ShortSample(LinesOf(boxes), config).empty());
}

TEST(TurnVotes, Turns_AreThoseOfTheBestWay) {
  for (int turns = 0; turns < 4; ++turns) {
    TurnVotes votes;
    for (int line = 0; line < 3; ++line) {
      TurnVotes::Evidence evidence = {1, 1, 1, 1};
      evidence[static_cast<size_t>(turns)] = 5;
      votes.Add(evidence);
    }
    EXPECT_EQ(votes.Turns(), turns);
  }
}

TEST(TurnVotes, BestWay_IsThatOfTheLinesSoFar) {
  TurnVotes votes;
  EXPECT_EQ(votes.Best(), 0u);
  votes.Add({1, 0, 0, 4});
  EXPECT_EQ(votes.Best(), 3u);
  EXPECT_EQ(votes.Turns(), 0);  // One line alone turns no page.
}

TEST(TurnVotes, APage_StaysWhereLinesAreInDoubt) {
  const auto turns = [&](std::vector<std::pair<float, float>> lines) {
    TurnVotes votes;
    for (const auto& [upright, around] : lines)
      votes.Add({upright, 0, around, 0});
    return votes.Turns();
  };
  EXPECT_EQ(turns({}), 0);
  EXPECT_EQ(turns({{1.0f, 9.0f}, {1.0f, 9.0f}, {1.0f, 9.0f}}), 2);
  // Two lines suffice where their text is much more one way.
  EXPECT_EQ(turns({{1.0f, 9.0f}, {1.0f, 9.0f}}), 2);
  EXPECT_EQ(turns({{7.0f, 9.0f}, {7.0f, 9.0f}}), 0);
  EXPECT_EQ(turns({{0.5f, 3.0f}, {0.5f, 3.0f}}), 0);
  EXPECT_EQ(turns({{1.0f, 9.0f}}), 0);
  // None that is text; too little between the two ways.
  EXPECT_EQ(turns({{0.0f, 0.0f}, {0.0f, 0.0f}, {0.0f, 0.0f}}), 0);
  EXPECT_EQ(turns({{9.0f, 9.5f}, {9.0f, 9.5f}, {9.0f, 9.5f}}), 0);
  // One line alone is read better around.
  EXPECT_EQ(turns({{8.0f, 6.0f}, {9.0f, 8.0f}, {1.0f, 9.0f}}), 0);
}

// Where the bounds lie: two thirds of the lines, evidence of 8 that is 1.4
// times any other where only two lines agree, and a margin of 0.12 of a line.
TEST(TurnVotes, APage_TurnsFromABoundOn) {
  const auto turns = [](std::vector<TurnVotes::Evidence> lines) {
    TurnVotes votes;
    for (const TurnVotes::Evidence& line : lines) votes.Add(line);
    return votes.Turns();
  };
  using Lines = std::vector<TurnVotes::Evidence>;
  EXPECT_EQ(turns(Lines(2, {2.8f, 0, 4, 0})), 2);
  EXPECT_EQ(turns(Lines(2, {2.9f, 0, 4, 0})), 0);
  EXPECT_EQ(turns(Lines(2, {0, 2.9f, 4, 0})), 0);
  EXPECT_EQ(turns(Lines(2, {0, 0, 4, 2.9f})), 0);
  EXPECT_EQ(turns(Lines(2, {0.1f, 0, 3.9f, 0})), 0);
  EXPECT_EQ(turns(Lines(3, {0.1f, 0, 0.2f, 0})), 2);
  EXPECT_EQ(turns(Lines(3, {8.7f, 0, 10, 0})), 2);
  EXPECT_EQ(turns(Lines(3, {8.9f, 0, 10, 0})), 0);
  EXPECT_EQ(turns(Lines(3, {0, 0, 10, 8.9f})), 0);
  const TurnVotes::Evidence around = {1, 0, 9, 0}, upright = {9, 0, 1, 0};
  EXPECT_EQ(turns({around, around, upright}), 2);
  EXPECT_EQ(turns({around, around, upright, upright}), 0);
  EXPECT_EQ(turns({around, around, around, upright, upright}), 0);
  EXPECT_EQ(turns({around, around, around, around, upright, upright}), 2);
}

}  // namespace
}  // namespace munja::ocr
