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

// Signs have no direction, and neither does a tie.
TEST(Words, LinesWithoutMoreLettersOfEitherKind_GoRight) {
  Line line;
  line.polygon = Rectangle(0, 0, 60, 10);
  for (const char* text : {"", " ", "...", "— (!) %", "12.50", "\u05D0 a",
                           "\u05D0 1", "\u05D0\u05D1 a1"}) {
    line.text = text;
    EXPECT_EQ(DirectionOf(line), Direction::kLeftToRight) << text;
  }
  for (const char* text : {"\u05D0", "\u0627.", "\u05D0\u05D1 a"}) {
    line.text = text;
    EXPECT_EQ(DirectionOf(line), Direction::kRightToLeft) << text;
  }
}

TEST(Words, Direction_IsThatOfTheLongerExtent) {
  Line line;
  line.text = "abc";
  const auto direction = [&](float x, float y) {
    line.polygon = {{{50, 50},
                     {50 + x, 50 + y},
                     {50 + x - y, 50 + y + x},
                     {50 - y, 50 + x}}};
    return DirectionOf(line);
  };
  EXPECT_EQ(direction(40, 39), Direction::kLeftToRight);
  EXPECT_EQ(direction(40, -39), Direction::kLeftToRight);
  EXPECT_EQ(direction(40, 41), Direction::kDownwards);
  EXPECT_EQ(direction(-40, 41), Direction::kDownwards);
  EXPECT_EQ(direction(40, -41), Direction::kUpwards);
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

TEST(Words, BlockBoxes_AreAroundAllTheirLines) {
  Document document = OneRow();
  document.lines[1].polygon = Rectangle(150, 2, 190, 32);
  document.lines.push_back({"x", 1, Rectangle(5, 80, 25, 95), 1, 2});
  const std::vector<Block> blocks = BlocksOf(document);
  ASSERT_EQ(blocks.size(), 2u);
  EXPECT_EQ(blocks[0].lines, (std::vector<size_t>{0, 1, 2}));
  const PixelBox& box = blocks[0].box;
  EXPECT_EQ((std::vector<int>{box.left, box.top, box.right, box.bottom}),
            (std::vector<int>{10, 2, 190, 60}));
  EXPECT_EQ(box.width(), 180);
  EXPECT_EQ(box.height(), 58);
  EXPECT_EQ(blocks[1].box.top, 80);
}

TEST(Words, Rows_AreLinesOfOneNumber) {
  Document document = OneRow();
  const std::vector<TextRow> rows =
      TextRowsOf(document, BlocksOf(document).at(0));
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].lines, (std::vector<size_t>{0, 1}));
  EXPECT_EQ(rows[0].box.left, 10);
  EXPECT_EQ(rows[0].box.right, 190);
  EXPECT_EQ(rows[0].box.bottom, 32);
  EXPECT_EQ(rows[1].lines, (std::vector<size_t>{2}));
  EXPECT_TRUE(AreOneRow(document.lines[0], document.lines[1]));
  EXPECT_FALSE(AreOneRow(document.lines[1], document.lines[2]));
  // The same number in another block is another row, and none is no row.
  document.lines[1].block = 1;
  EXPECT_FALSE(AreOneRow(document.lines[0], document.lines[1]));
  document.lines[0].row = document.lines[2].row = -1;
  EXPECT_FALSE(AreOneRow(document.lines[0], document.lines[2]));
}

}  // namespace
}  // namespace munja::document
