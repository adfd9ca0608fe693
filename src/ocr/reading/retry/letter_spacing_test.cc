#include "reading/retry/letter_spacing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "reading/read/testing.h"

namespace munja::ocr {
namespace {

// Lines of which less is ink are read with doubt.
constexpr float kDenseInk = 0.65f;

LineReaders DoubtingReaders(bool has_rule = true) {
  RecognizerConfig config;
  if (!has_rule) config.rules.SwitchOff(Rule::kLetterSpacing);
  return BlockReaders(
      config, [](int, float ink) { return ink < kDenseInk ? 0.7f : 0.95f; });
}

std::vector<std::string> TextsOfLines(const std::vector<PageLine>& lines) {
  std::vector<std::string> texts;
  for (const PageLine& line : lines) texts.push_back(line.reading.text.text);
  return texts;
}

// The lines in these boxes after they are read, and those that are joined.
struct SpacedRead {
  std::vector<PageLine> lines, joined;
};
SpacedRead ReadBlocks(const std::vector<Block>& blocks,
                      const std::vector<TextBox>& boxes, bool may_join = true,
                      bool has_rule = true) {
  const image::Image page = PageOfBlocks(blocks);
  LineReaders readers = DoubtingReaders(has_rule);
  SpacedRead read;
  for (const TextBox& box : boxes) read.lines.push_back({box});
  EXPECT_TRUE(readers.ReadAll(page.view(), read.lines).ok());
  EXPECT_TRUE(ReadSpacedLetters(readers, page.view(), &read.lines,
                                may_join ? &read.joined : nullptr)
                  .ok());
  return read;
}

// Black bars 10 wide on white, in a line 40 high.
image::Image BarsAt(const std::vector<int>& places, int width) {
  image::Image line = image::Image::Create(width, 40).value();
  for (int y = 0; y < line.height(); ++y) {
    std::fill_n(line.row(y), 3 * width, uint8_t{255});
    if (y < 6 || y >= 34) continue;
    for (const int x : places) std::fill_n(line.row(y) + 3 * x, 30, uint8_t{0});
  }
  return line;
}

// The gaps between the bars of a line.
std::vector<int> GapsIn(const image::Image& line) {
  std::vector<int> gaps;
  int end = -1;
  for (int x = 0; x < line.width(); ++x) {
    if (line.row(20)[3 * x] != 0) continue;
    if (end >= 0 && x > end + 1) gaps.push_back(x - end - 1);
    end = x;
  }
  return gaps;
}

TEST(CloseLetters, WideGaps_BecomeUsual) {
  // Gaps of 20, which is half the height, and one of 45 between words.
  const image::Image line = BarsAt({20, 50, 80, 135, 165}, 200);
  const Result<ClosedLine> closed = CloseLetters(line.view());
  ASSERT_TRUE(closed.ok());
  ASSERT_EQ(closed->pieces.size(), 5u);
  // A tenth of the height is left of 20, and 16 less of the others.
  EXPECT_EQ(GapsIn(closed->pixels), (std::vector<int>{4, 4, 29, 4}));
  // Each piece is a part of the line, and they follow each other.
  int x = 0;
  for (const ClosedLine::Piece& piece : closed->pieces) {
    EXPECT_EQ(piece.x, x);
    for (int i = piece.begin; i < piece.end; ++i)
      EXPECT_EQ(closed->pixels.row(20)[3 * (piece.x + i - piece.begin)],
                line.row(20)[3 * i]);
    x += piece.end - piece.begin;
  }
  EXPECT_EQ(closed->pixels.width(), x);
}

TEST(CloseLetters, NarrowGapsAmongWideOnes_StayOpen) {
  // Gaps of 1, 19 and three of 20: those of 19 become usual.
  const Result<ClosedLine> closed =
      CloseLetters(BarsAt({20, 31, 60, 90, 120, 150}, 200).view());
  ASSERT_TRUE(closed.ok());
  EXPECT_EQ(GapsIn(closed->pixels), (std::vector<int>{1, 4, 5, 5, 5}));
}

TEST(CloseLetters, LettersAsUsualOrFew_AreLeft) {
  for (const std::vector<int>& places :
       {std::vector<int>{20, 34, 48, 62}, {20, 34, 48, 90, 104}, {20, 60}}) {
    const Result<ClosedLine> closed = CloseLetters(BarsAt(places, 200).view());
    ASSERT_TRUE(closed.ok());
    EXPECT_TRUE(closed->pieces.empty()) << places.size();
  }
}

TEST(LetterSpacing, PiecesOfALine_AreReadAsOne) {
  const std::vector<Block> blocks = BlockLetters(100, 40, {1, 2, 3, 4, 1, 2});
  const SpacedRead read =
      ReadBlocks(blocks, {BlockBox(94, 206), BlockBox(214, 326)});
  EXPECT_TRUE(read.lines.empty());
  ASSERT_EQ(TextsOfLines(read.joined), std::vector<std::string>{"abcdab"});
  // Each letter lies where its block does.
  const text::CtcLine& text = read.joined[0].reading.text;
  const geometry::Quad& polygon = read.joined[0].reading.polygon;
  for (size_t i = 0; i < blocks.size(); ++i) {
    const float middle = (text.marks[i].left + text.marks[i].right) / 2;
    EXPECT_NEAR(polygon[0].x + (polygon[1].x - polygon[0].x) * middle,
                blocks[i].left + 10, 8);
  }
}

TEST(LetterSpacing, LettersThatWereNotFound_AreRead) {
  // Between the boxes and at the end.
  const SpacedRead read =
      ReadBlocks(BlockLetters(100, 40, {1, 2, 3, 4, 1, 2, 3, 5}),
                 {BlockBox(94, 206), BlockBox(254, 366)});
  EXPECT_EQ(TextsOfLines(read.joined), std::vector<std::string>{"abcdabce"});
}

TEST(LetterSpacing, AnotherLineAtTheEnd_IsLeft) {
  std::vector<Block> blocks = BlockLetters(100, 40, {1, 2, 3, 4, 1, 2});
  blocks.push_back({345, 3, kBlockTop - 30, 90, 30});
  TextBox tall = BlockBox(340, 380);
  tall.quad[0].y = tall.quad[1].y = kBlockTop - 36;
  tall.quad[2].y = tall.quad[3].y = kBlockTop + 66;
  const SpacedRead read =
      ReadBlocks(blocks, {BlockBox(94, 206), BlockBox(214, 326), tall});
  EXPECT_EQ(TextsOfLines(read.joined), std::vector<std::string>{"abcdab"});
  EXPECT_EQ(read.lines.size(), 1u);
}

TEST(LetterSpacing, LinesThatAreWhole_KeepTheirPlaces) {
  const SpacedRead read =
      ReadBlocks(BlockLetters(100, 40, {1, 2, 3, 4, 1, 2}),
                 {BlockBox(94, 206), BlockBox(214, 326)}, /*may_join=*/false);
  EXPECT_EQ(TextsOfLines(read.lines), (std::vector<std::string>{"abc", "dab"}));
  for (const PageLine& line : read.lines)
    EXPECT_GT(line.reading.text.confidence, 0.9f);
}

TEST(LetterSpacing, LettersAsUsual_AreLeft) {
  const SpacedRead read = ReadBlocks(BlockLetters(100, 26, {1, 2, 3, 4, 1, 2}),
                                     {BlockBox(94, 176), BlockBox(172, 256)});
  EXPECT_TRUE(read.joined.empty());
  EXPECT_EQ(read.lines.size(), 2u);
}

TEST(LetterSpacing, SwitchedOff_ChangesNothing) {
  const SpacedRead read =
      ReadBlocks(BlockLetters(100, 40, {1, 2, 3, 4, 1, 2}),
                 {BlockBox(94, 206), BlockBox(214, 326)}, true, false);
  EXPECT_TRUE(read.joined.empty());
  EXPECT_EQ(TextsOfLines(read.lines), (std::vector<std::string>{"abc", "dab"}));
}

}  // namespace
}  // namespace munja::ocr
