#include "samples/text_picture.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

namespace munja::tools {
namespace {

constexpr int kRows = 7, kColumns = 5;

struct Glyph {
  char letter;
  std::array<uint8_t, kRows> rows;  // Bit 4 is the leftmost of five columns.
};

constexpr Glyph kGlyphs[] = {
    {'A', {0x0e, 0x11, 0x11, 0x1f, 0x11, 0x11, 0x11}},
    {'D', {0x1e, 0x11, 0x11, 0x11, 0x11, 0x11, 0x1e}},
    {'E', {0x1f, 0x10, 0x10, 0x1e, 0x10, 0x10, 0x1f}},
    {'H', {0x11, 0x11, 0x11, 0x1f, 0x11, 0x11, 0x11}},
    {'I', {0x0e, 0x04, 0x04, 0x04, 0x04, 0x04, 0x0e}},
    {'N', {0x11, 0x19, 0x19, 0x15, 0x13, 0x13, 0x11}},
    {'R', {0x1e, 0x11, 0x11, 0x1e, 0x14, 0x12, 0x11}},
    {'S', {0x0f, 0x10, 0x10, 0x0e, 0x01, 0x01, 0x1e}},
    {'T', {0x1f, 0x04, 0x04, 0x04, 0x04, 0x04, 0x04}},
    {'0', {0x0e, 0x11, 0x13, 0x15, 0x19, 0x11, 0x0e}},
    {'1', {0x04, 0x0c, 0x04, 0x04, 0x04, 0x04, 0x0e}},
    {'2', {0x0e, 0x11, 0x01, 0x06, 0x08, 0x10, 0x1f}},
    {'3', {0x1f, 0x02, 0x04, 0x02, 0x01, 0x11, 0x0e}},
    {'4', {0x02, 0x06, 0x0a, 0x12, 0x1f, 0x02, 0x02}},
    {'5', {0x1f, 0x10, 0x1e, 0x01, 0x01, 0x11, 0x0e}},
    {'7', {0x1f, 0x01, 0x02, 0x04, 0x08, 0x08, 0x08}},
};

constexpr std::string_view kText = "READ THIS LINE 1 2345 IN RED 70 ";

const Glyph* Find(char letter) {
  for (const Glyph& glyph : kGlyphs)
    if (glyph.letter == letter) return &glyph;
  return nullptr;
}

// Dark or not, in units of the font's dots from a line's upper left corner.
bool IsInk(int column, int row, int line) {
  if (row < 0 || row >= kRows || column % (kColumns + 1) == kColumns)
    return false;
  const size_t at = static_cast<size_t>(column / (kColumns + 1) + 11 * line);
  const Glyph* glyph = Find(kText[at % kText.size()]);
  return glyph != nullptr &&
         (glyph->rows[row] >> (kColumns - 1 - column % (kColumns + 1)) & 1);
}

}  // namespace

Result<image::Image> TextPicture(int width, int height) {
  MUNJA_ASSIGN_OR_RETURN(image::Image picture,
                         image::Image::Create(width, height));
  // A low picture is one line of text.
  const int dot = height < 64 ? std::max(1, height / (kRows + 2)) : 3;
  const int pitch = dot * (kRows + (height < 64 ? 2 : 6));
  for (int y = 0; y < height; ++y) {
    uint8_t* at = picture.row(y);
    for (int x = 0; x < width; ++x, at += 3) {
      const bool ink =
          x >= dot && y >= dot &&
          IsInk((x - dot) / dot, (y - dot) % pitch / dot, (y - dot) / pitch);
      for (int c = 0; c < 3; ++c)
        at[c] = static_cast<uint8_t>((ink ? 40 : 225) + (x * 5 + y * 3) % 16 +
                                     4 * c);
    }
  }
  return picture;
}

}  // namespace munja::tools
