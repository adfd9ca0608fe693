#include "train/testing.h"

#include <algorithm>
#include <utility>

#include "synth/random.h"

namespace munja::train {
namespace {

// Bit 3 * row + column of a 3 x 5 digit.
constexpr uint16_t kDigits[10] = {0b111'101'101'101'111, 0b010'010'010'011'010,
                                  0b111'001'111'100'111, 0b111'100'110'100'111,
                                  0b100'100'111'101'101, 0b111'100'111'001'111,
                                  0b111'101'111'001'111, 0b100'100'100'100'111,
                                  0b111'101'111'101'111, 0b111'100'111'101'111};

Result<LineSample> BarLine(uint64_t seed, uint64_t index) {
  Random random(seed, index);
  const int count = random.Integer(3, 5);
  LineSample sample;
  for (int i = 0; i < count; ++i)
    sample.text += static_cast<char>('0' + random.Below(10));
  const int height = 32, width = 8 + 14 * count;
  MUNJA_ASSIGN_OR_RETURN(sample.picture, image::Image::Create(width, height));
  const int paper = random.Integer(170, 250), ink = random.Integer(0, 90);
  const int left = random.Integer(2, 6), top = random.Integer(2, 6);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const int along = x - left, digit = along < 0 ? count : along / 14;
      const int column = along % 14 / 3, row = (y - top) / 5;
      bool dark = false;
      if (digit < count && column < 3 && y >= top && row < 5) {
        const int symbol = sample.text[static_cast<size_t>(digit)] - '0';
        // The bits are written from the last row and column to the first.
        dark = kDigits[symbol] >> (3 * row + column) & 1;
      }
      const int level = (dark ? ink : paper) + random.Integer(-12, 12);
      std::fill_n(sample.picture.row(y) + 3 * x, 3,
                  static_cast<uint8_t>(std::clamp(level, 0, 255)));
    }
  }
  return sample;
}

}  // namespace

std::vector<std::string> BarAlphabet() {
  std::vector<std::string> alphabet;
  for (char c = '0'; c <= '9'; ++c) alphabet.emplace_back(1, c);
  return alphabet;
}

LineFeeder::Maker BarLines(uint64_t seed) {
  return [seed](uint64_t index) { return BarLine(seed, index); };
}

}  // namespace munja::train
