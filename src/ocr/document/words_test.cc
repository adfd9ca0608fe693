#include "document/words.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "document/writers/testing.h"

namespace munja::document {
namespace {

TEST(Words, Words_AreSeparatedByWhiteSpace) {
  const std::vector<Word> words = WordsOf(TwoBlocks().lines[0]);
  ASSERT_EQ(words.size(), 2u);
  EXPECT_EQ(words[0].text, "ab");
  EXPECT_FLOAT_EQ(words[0].confidence, 0.75f);
  EXPECT_EQ(words[0].polygon, Rectangle(10, 12, 30, 28));
  EXPECT_EQ(words[0].begin, 0u);
  EXPECT_EQ(words[0].end, 2u);
  EXPECT_EQ(words[1].text, "<&>");
  EXPECT_EQ(words[1].polygon, Rectangle(60, 12, 90, 28));
  EXPECT_EQ(words[1].begin, 3u);
  EXPECT_EQ(words[1].end, 6u);
}

TEST(Words, LineWithoutCharacters_IsSharedByItsWords) {
  Line line;
  line.text = " ab\u3000\uAC00 ";
  line.confidence = 0.5f;
  line.polygon = Rectangle(0, 0, 60, 10);
  const std::vector<Word> words = WordsOf(line);
  ASSERT_EQ(words.size(), 2u);
  EXPECT_EQ(words[0].text, "ab");
  EXPECT_EQ(words[0].polygon, Rectangle(10, 0, 30, 10));
  EXPECT_EQ(words[1].text, "\uAC00");
  EXPECT_EQ(words[1].polygon, Rectangle(40, 0, 50, 10));
  EXPECT_EQ(words[1].confidence, 0.5f);
  line.text = "  ";
  EXPECT_TRUE(WordsOf(line).empty());
  line.text = "";
  EXPECT_TRUE(WordsOf(line).empty());
}

// A line that climbs by 3 in 4: its words' sides run along it.
TEST(Words, Words_LieAlongTheirLine) {
  Line line;
  line.text = "ab";
  line.polygon = {{{0, 30}, {40, 0}, {46, 8}, {6, 38}}};
  line.characters = {{"a", 1, {{{0, 30}, {8, 24}, {14, 32}, {6, 38}}}},
                     {"b", 1, {{{8, 24}, {16, 18}, {22, 26}, {14, 32}}}}};
  const std::vector<Word> words = WordsOf(line);
  ASSERT_EQ(words.size(), 1u);
  const geometry::Quad expected = {{{0, 30}, {16, 18}, {22, 26}, {6, 38}}};
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(words[0].polygon[i].x, expected[i].x, 1e-4) << i;
    EXPECT_NEAR(words[0].polygon[i].y, expected[i].y, 1e-4) << i;
  }
}

TEST(Words, Direction_FollowsTheLetters) {
  Line line;
  line.text = "abc";
  line.polygon = Rectangle(0, 0, 60, 10);
  EXPECT_EQ(DirectionOf(line), Direction::kLeftToRight);
  line.text = "\u05E9\u05DC\u05D5\u05DD a";
  EXPECT_EQ(DirectionOf(line), Direction::kRightToLeft);
  line.polygon = {{{10, 0}, {10, 60}, {0, 60}, {0, 0}}};
  EXPECT_EQ(DirectionOf(line), Direction::kDownwards);
  line.polygon = {{{0, 60}, {0, 0}, {10, 0}, {10, 60}}};
  EXPECT_EQ(DirectionOf(line), Direction::kUpwards);
}

TEST(Words, Baseline_IsWhereMostCharactersStand) {
  Line line = TwoBlocks().lines[0];
  line.characters[1].polygon = Rectangle(20, 12, 30, 33);  // Hangs below.
  const auto [from, to] = BaselineOf(line);
  EXPECT_EQ(from, (geometry::Point{10, 28}));
  EXPECT_EQ(to, (geometry::Point{90, 28}));
}

TEST(Words, Boxes_AreWholeNotEmptyAndInside) {
  const auto edges = [](const PixelBox& box) {
    return std::vector<int>{box.left, box.top, box.right, box.bottom};
  };
  EXPECT_EQ(edges(BoxOf(Rectangle(1.2f, 2.7f, 9.1f, 5), 20, 10)),
            (std::vector<int>{1, 2, 10, 5}));
  EXPECT_EQ(edges(BoxOf(Rectangle(-5, -5, 50, 50), 20, 10)),
            (std::vector<int>{0, 0, 20, 10}));
  EXPECT_EQ(edges(BoxOf(Rectangle(30, 30, 50, 50), 20, 10)),
            (std::vector<int>{19, 9, 20, 10}));
  EXPECT_EQ(edges(BoxOf(Rectangle(3, 3, 3, 3), 20, 10)),
            (std::vector<int>{3, 3, 4, 4}));
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(edges(BoxOf(Rectangle(nan, nan, nan, nan), 20, 10)),
            (std::vector<int>{0, 0, 1, 1}));
}

TEST(Words, Blocks_AreLinesOfOneNumberWithText) {
  Document document = TwoBlocks();
  Line unknown;
  unknown.unknown_writing = "cjk";
  unknown.block = 1;
  document.lines.push_back(unknown);
  const std::vector<Block> blocks = BlocksOf(document);
  ASSERT_EQ(blocks.size(), 2u);
  EXPECT_EQ(blocks[0].lines, std::vector<size_t>{0});
  EXPECT_EQ(blocks[1].lines, std::vector<size_t>{1});
  EXPECT_EQ(blocks[1].number, 1);
}

}  // namespace
}  // namespace munja::document
