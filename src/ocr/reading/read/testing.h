// For tests: lines of blocks that stand for letters, and a network that reads
// them.
#ifndef MUNJA_READING_READ_TESTING_H_
#define MUNJA_READING_READ_TESTING_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "image/image.h"
#include "reading/network/testing.h"
#include "reading/read/line_readers.h"

namespace munja::ocr {

// The red value of a block is 20 times its letter: 1 for "a" to 5 for "e".
inline constexpr int kRedOfLetter = 20, kBlockLetters = 5;
// The box of a line of blocks.
inline constexpr int kBlockTop = 60, kBlockLine = 40;

struct Block {
  int left, letter;
  int top = kBlockTop + 6, height = kBlockLine - 12, width = 20;
};

inline image::Image PageOfBlocks(const std::vector<Block>& blocks,
                                 uint8_t paper = 255) {
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

// Blocks whose left sides stand `pitch` apart.
inline std::vector<Block> BlockLetters(int left, int pitch,
                                       const std::vector<int>& letters) {
  std::vector<Block> blocks;
  for (const int letter : letters) {
    blocks.push_back({left, letter});
    left += pitch;
  }
  return blocks;
}

inline TextBox BlockBox(int left, int right) {
  const auto l = static_cast<float>(left), r = static_cast<float>(right);
  constexpr float kT = kBlockTop, kB = kBlockTop + kBlockLine;
  return {{{{l, kT}, {r, kT}, {r, kB}, {l, kB}}}, 0.9f};
}

// The probability with which the network reads a letter in a line of which this
// part of the columns holds ink.
using BlockProbability = std::function<float(int letter, float ink)>;

inline LineReaders BlockReaders(RecognizerConfig config,
                                BlockProbability probability) {
  config.use_space = false;
  config.part_words = config.settle_signs = false;
  const Normalization n = config.normalization;
  auto recognizer = Recognizer::Create(
      std::make_unique<FakeSession>([n, probability](
                                        const TensorView& input,
                                        std::vector<float>& output) {
        const int height = input.shape[1], width = input.shape[2];
        const auto letter_at = [&](int x) {
          const float* const p =
              input.as<float>() +
              (static_cast<size_t>(height) / 2 * static_cast<size_t>(width) +
               static_cast<size_t>(std::min(x, width - 1))) *
                  3;
          const auto value = [&](size_t channel) {
            return (p[channel] * n.deviation[channel] + n.mean[channel]) * 255;
          };
          const float red = value(2);
          const auto letter = static_cast<int>(red / kRedOfLetter + 0.5f);
          const bool is_ink =
              value(1) < 10 && letter >= 1 && letter <= kBlockLetters &&
              std::abs(red - static_cast<float>(letter * kRedOfLetter)) < 4;
          return is_ink ? letter : 0;
        };
        int first = width, last = -1, inked = 0;
        for (int x = 0; x < width; ++x) {
          if (letter_at(x) == 0) continue;
          first = std::min(first, x);
          last = x;
          ++inked;
        }
        const float ink = last < first
                              ? 0
                              : static_cast<float>(inked) /
                                    static_cast<float>(last + 1 - first);
        const int steps = std::max(width / 8, 1);
        output.assign(static_cast<size_t>(steps) * (kBlockLetters + 1), 0.0f);
        for (int s = 0; s < steps; ++s) {
          const int letter = letter_at(s * 8 + 4);
          output[static_cast<size_t>(s * (kBlockLetters + 1) + letter)] =
              letter == 0 ? 0.95f : probability(letter, ink);
        }
        return Shape{1, steps, kBlockLetters + 1};
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

}  // namespace munja::ocr

#endif  // MUNJA_READING_READ_TESTING_H_
