#include "reading/retry/row_ends.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "reading/network/testing.h"

namespace munja::ocr {
namespace {

// Letters are blocks, whose red value is 20 times their class: "a" to "e". The
// network is in doubt about "e".
constexpr int kRedOfLetter = 20, kUnsure = 5, kLetters = 5;
constexpr int kTop = 60, kHeight = 40;  // The line's box.

struct Block {
  int left, letter;
  int top = kTop + 6, height = kHeight - 12, width = 20;
};

image::Image PageOf(const std::vector<Block>& blocks, uint8_t paper = 255) {
  image::Image page = image::Image::Create(600, 160).value();
  for (int y = 0; y < page.height(); ++y)
    std::fill_n(page.row(y), page.stride(), paper);
  for (const Block& block : blocks) {
    for (int y = block.top; y < block.top + block.height; ++y) {
      for (int x = block.left; x < block.left + block.width; ++x) {
        uint8_t* const pixel = page.row(y) + 3 * static_cast<ptrdiff_t>(x);
        pixel[0] = static_cast<uint8_t>(block.letter * kRedOfLetter);
        pixel[1] = pixel[2] = 0;
      }
    }
  }
  return page;
}

LineReaders Readers(bool has_rule = true) {
  RecognizerConfig config;
  config.use_space = false;
  config.part_words = config.settle_signs = false;
  if (!has_rule) config.rules.SwitchOff(Rule::kRowEnds);
  const Normalization n = config.normalization;
  auto recognizer = Recognizer::Create(
      std::make_unique<FakeSession>([n](const TensorView& input,
                                        std::vector<float>& output) {
        const int height = input.shape[1], width = input.shape[2];
        const int steps = std::max(width / 8, 1);
        output.assign(static_cast<size_t>(steps) * (kLetters + 1), 0.0f);
        for (int s = 0; s < steps; ++s) {
          const float* const p =
              input.as<float>() +
              (static_cast<size_t>(height) / 2 * static_cast<size_t>(width) +
               static_cast<size_t>(std::min(s * 8 + 4, width - 1))) *
                  3;
          const auto value = [&](size_t channel) {
            return (p[channel] * n.deviation[channel] + n.mean[channel]) * 255;
          };
          const float red = value(2);
          const auto letter = static_cast<int>(red / kRedOfLetter + 0.5f);
          const bool is_ink =
              value(1) < 10 && letter >= 1 && letter <= kLetters &&
              std::abs(red - static_cast<float>(letter * kRedOfLetter)) < 4;
          const int cls = is_ink ? letter : 0;
          output[static_cast<size_t>(s * (kLetters + 1) + cls)] =
              cls == kUnsure ? 0.5f : 0.95f;
        }
        return Shape{1, steps, kLetters + 1};
      }),
      std::make_shared<const text::Dictionary>(
          text::Dictionary::Parse("a\nb\nc\nd\ne\n", false).value()),
      config);
  EXPECT_TRUE(recognizer.ok()) << recognizer.status().message();
  auto readers = LineReaders::Create(std::move(recognizer).value(),
                                     std::nullopt, std::nullopt, nullptr);
  EXPECT_TRUE(readers.ok());
  return std::move(readers).value();
}

TextBox BoxFrom(int left, int right) {
  const auto l = static_cast<float>(left), r = static_cast<float>(right);
  constexpr float kT = kTop, kB = kTop + kHeight;
  return {{{{l, kT}, {r, kT}, {r, kB}, {l, kB}}}, 0.9f};
}

// The letters of a line, 30 pixels apart.
std::vector<Block> Letters(int left, const std::vector<int>& letters) {
  std::vector<Block> blocks;
  for (const int letter : letters) {
    blocks.push_back({left, letter});
    left += 30;
  }
  return blocks;
}

// "abc" from 200 to 280, and other ink.
std::vector<PageLine> Read(const std::vector<Block>& more,
                           const std::vector<TextBox>& others = {},
                           bool has_rule = true, uint8_t paper = 255) {
  std::vector<Block> blocks = Letters(200, {1, 2, 3});
  blocks.insert(blocks.end(), more.begin(), more.end());
  const image::Image page = PageOf(blocks, paper);
  LineReaders readers = Readers(has_rule);
  std::vector<PageLine> lines;
  lines.push_back({BoxFrom(194, 286)});
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
  EXPECT_EQ(text({{90, 4}}), "abc");                     // Too far away.
  EXPECT_EQ(text({{150, 4, 20, 130}}), "abc");           // It goes on.
  EXPECT_EQ(text({{120, 4, kTop + 6, 28, 60}}), "abc");  // Too wide.
  EXPECT_EQ(text({{150, 4, kTop + 18, 4}}), "abc");      // A dash.
  EXPECT_EQ(text({{150, 4}, {120, 4}, {90, 4}, {60, 4}, {30, 4}, {0, 4}}),
            "abc");  // A line.
  EXPECT_EQ(text({{150, kUnsure}}), "abc");
}

TEST(RowEnds, InkOfAnotherLine_StaysThere) {
  const std::vector<PageLine> lines = Read({{150, 4}}, {BoxFrom(144, 176)});
  EXPECT_EQ(lines[0].reading.text.text, "abc");
  EXPECT_EQ(lines[1].reading.text.text, "d");
}

TEST(RowEnds, SwitchedOff_ChangeNothing) {
  EXPECT_EQ(Read({{150, 4}}, {}, false)[0].reading.text.text, "abc");
}

}  // namespace
}  // namespace munja::ocr
