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

Reading Read(const TextBox& box, size_t start, float confidence) {
  Reading reading;
  for (size_t i = 0; i < 4; ++i) reading.polygon[i] = box.quad[(start + i) % 4];
  reading.text.confidence = confidence;
  return reading;
}

TEST(TurnSample, Lines_AreThoseThatLieAsMostDo) {
  const RecognizerConfig config;
  std::vector<PageLine> lines = LinesOf(
      {Lying(0, 0, 200, 20), Standing(0, 30, 100, 20), Lying(0, 60, 120, 20),
       Lying(0, 90, 60, 20), Lying(0, 120, 15, 20)});
  // The shortest that has letters enough comes first; one that is too short to
  // lie any way never comes.
  EXPECT_EQ(TurnSample(lines, config), (std::vector<size_t>{2, 0, 3}));
  lines[2].box.is_low_score = true;
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

// The polygon of a reading starts where the text does.
TEST(TurnVotes, Turns_AreCountedClockwise) {
  const TextBox lying = Lying(0, 0, 100, 20), stands = Standing(0, 0, 100, 20);
  const struct {
    const TextBox& box;
    size_t start;
    int turns;
  } kCases[] = {{lying, 0, 0}, {lying, 2, 2}, {stands, 1, 3}, {stands, 3, 1}};
  for (const auto& test : kCases) {
    TurnVotes votes;
    for (int line = 0; line < 3; ++line) {
      const Reading right = Read(test.box, test.start, 0.95f);
      const Reading wrong = Read(test.box, (test.start + 2) % 4, 0.5f);
      votes.Add({&wrong, &right});
    }
    EXPECT_EQ(votes.Turns(), test.turns);
  }
}

TEST(TurnVotes, APage_StaysWhereLinesAreInDoubt) {
  const TextBox box = Lying(0, 0, 100, 20);
  const auto turns = [&](std::vector<std::pair<float, float>> lines) {
    TurnVotes votes;
    for (const auto& [upright, around] : lines) {
      const Reading a = Read(box, 0, upright), b = Read(box, 2, around);
      votes.Add({&a, &b});
    }
    return votes.Turns();
  };
  EXPECT_EQ(turns({}), 0);
  EXPECT_EQ(turns({{0.5f, 0.9f}, {0.5f, 0.9f}, {0.5f, 0.9f}}), 2);
  // Too few lines; none that is text; too little between the two ways.
  EXPECT_EQ(turns({{0.5f, 0.9f}, {0.5f, 0.9f}}), 0);
  EXPECT_EQ(turns({{0.2f, 0.55f}, {0.2f, 0.55f}, {0.2f, 0.55f}}), 0);
  EXPECT_EQ(turns({{0.9f, 0.94f}, {0.9f, 0.94f}, {0.9f, 0.94f}}), 0);
  // One line alone has the better mean.
  EXPECT_EQ(turns({{0.75f, 0.6f}, {0.9f, 0.8f}, {0.1f, 0.99f}}), 0);
}

}  // namespace
}  // namespace munja::ocr
