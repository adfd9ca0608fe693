#include "reading/orient/stacks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace munja::ocr {
namespace {

// A white strip of a tall box, from its top at the left, with black bars.
LineImage Strip(int width, const std::vector<std::pair<int, int>>& bars) {
  LineImage line;
  EXPECT_TRUE(line.pixels.Resize(width, 32).ok());
  const auto w = static_cast<float>(width);
  line.polygon = {{{32, 0}, {32, w}, {0, w}, {0, 0}}};
  for (int y = 0; y < 32; ++y) {
    std::fill_n(line.pixels.row(y), 3 * width, uint8_t{255});
    for (const auto& [begin, end] : bars)
      if (y >= 4 && y < 28)
        std::fill_n(line.pixels.row(y) + 3 * begin, 3 * (end - begin),
                    uint8_t{0});
  }
  return line;
}

TEST(StackIn, Cells_LieAcrossTheBox) {
  const Stack stack = StackIn(Strip(120, {{10, 30}, {50, 70}, {90, 110}}));
  ASSERT_EQ(stack.cells.size(), 3u);
  EXPECT_TRUE(stack.is_spaced);
  for (size_t i = 0; i < 3; ++i) {
    const geometry::Quad& cell = stack.cells[i];
    const auto top = 10 + 40 * static_cast<float>(i);
    // From left to right on the page, around the ink.
    EXPECT_LE(cell[0].x, 0);
    EXPECT_GE(cell[1].x, 32);
    EXPECT_EQ(cell[0].y, cell[1].y);
    EXPECT_LT(cell[0].y, top);
    EXPECT_GT(cell[2].y, top + 20);
    if (i > 0) {
      EXPECT_GE(cell[0].y, stack.cells[i - 1][2].y);
    }
  }
}

TEST(StackIn, Letters_AreNotSpaced) {
  const Stack stack = StackIn(Strip(120, {{10, 30}, {34, 54}, {58, 78}}));
  EXPECT_EQ(stack.cells.size(), 3u);
  EXPECT_FALSE(stack.is_spaced);
}

TEST(StackIn, Rules_AreNoCells) {
  const Stack stack =
      StackIn(Strip(120, {{10, 30}, {39, 41}, {50, 70}, {79, 81}, {90, 110}}));
  EXPECT_EQ(stack.cells.size(), 3u);
}

TEST(StackIn, AnEmptyBox_HasNoCells) {
  EXPECT_TRUE(StackIn(Strip(120, {})).cells.empty());
}

}  // namespace
}  // namespace munja::ocr
