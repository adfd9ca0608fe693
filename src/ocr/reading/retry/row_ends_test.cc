#include "reading/retry/row_ends.h"

#include <gtest/gtest.h>

#include <vector>

#include "reading/read/testing.h"

namespace munja::ocr {
namespace {

constexpr int kUnsure = 5;  // The network is in doubt about "e".

LineReaders Readers(bool has_rule) {
  RecognizerConfig config;
  if (!has_rule) config.rules.SwitchOff(Rule::kRowEnds);
  return BlockReaders(config, [](int letter, float) {
    return letter == kUnsure ? 0.5f : 0.95f;
  });
}

// "abc" from 200 to 280, and other ink.
std::vector<PageLine> Read(const std::vector<Block>& more,
                           const std::vector<TextBox>& others = {},
                           bool has_rule = true, uint8_t paper = 255) {
  std::vector<Block> blocks = BlockLetters(200, 30, {1, 2, 3});
  blocks.insert(blocks.end(), more.begin(), more.end());
  const image::Image page = PageOfBlocks(blocks, paper);
  LineReaders readers = Readers(has_rule);
  std::vector<PageLine> lines;
  lines.push_back({BlockBox(194, 286)});
  for (const TextBox& other : others) lines.push_back({other});
  EXPECT_TRUE(readers.ReadAll(page.view(), lines).ok());
  EXPECT_EQ(lines[0].reading.text.text, "abc");
  EXPECT_TRUE(ReadRowEnds(readers, page.view(), &lines).ok());
  return lines;
}

TEST(RowEnds, CharacterAloneBesideALine_BelongsToIt) {
  const std::vector<PageLine> before = Read({{150, 4}});
  EXPECT_EQ(before[0].reading.text.text, "dabc");
  const geometry::Quad outline = OutlineOf(before[0]);
  EXPECT_NEAR(outline[0].x, 147, 4);
  EXPECT_NEAR(outline[1].x, 286, 1);
  // The new character lies where its ink does.
  const text::CtcMark& mark = before[0].reading.text.marks[0];
  const geometry::Quad& box = before[0].reading.polygon;
  const float middle =
      box[0].x + (box[1].x - box[0].x) * (mark.left + mark.right) / 2;
  EXPECT_NEAR(middle, 160, 6);
  EXPECT_EQ(Read({{320, 4}})[0].reading.text.text, "abcd");
  EXPECT_EQ(Read({{150, 4}, {320, 4}})[0].reading.text.text, "dabcd");
}

TEST(RowEnds, InkThatIsNoCharacterOfTheRow_IsLeftOut) {
  const auto text = [](const std::vector<Block>& more) {
    return Read(more)[0].reading.text.text;
  };
  EXPECT_EQ(text({{90, 4}}), "abc");                          // Too far away.
  EXPECT_EQ(text({{150, 4, 20, 130}}), "abc");                // It goes on.
  EXPECT_EQ(text({{120, 4, kBlockTop + 6, 28, 60}}), "abc");  // Too wide.
  EXPECT_EQ(text({{150, 4, kBlockTop + 18, 4}}), "abc");      // A dash.
  EXPECT_EQ(text({{150, 4}, {120, 4}, {90, 4}, {60, 4}, {30, 4}, {0, 4}}),
            "abc");  // A line.
  EXPECT_EQ(text({{150, kUnsure}}), "abc");
}

TEST(RowEnds, InkOfAnotherLine_StaysThere) {
  const std::vector<PageLine> lines = Read({{150, 4}}, {BlockBox(144, 176)});
  EXPECT_EQ(lines[0].reading.text.text, "abc");
  EXPECT_EQ(lines[1].reading.text.text, "d");
}

TEST(RowEnds, SwitchedOff_ChangeNothing) {
  EXPECT_EQ(Read({{150, 4}}, {}, false)[0].reading.text.text, "abc");
}

}  // namespace
}  // namespace munja::ocr
