#include "reading/orient/upright_columns.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace munja::ocr {
namespace {

// Ink in a column as the page has it: x to the right, y down.
struct Ink {
  int left, top, right, bottom;
};

constexpr int kWidth = 60;

// The column on its side: its top at the left, its left edge at the bottom.
image::Image OnItsSide(int length, const std::vector<Ink>& inks,
                       uint8_t paper = 250, uint8_t ink = 10) {
  image::Image column;
  EXPECT_TRUE(column.Resize(length, kWidth).ok());
  for (int y = 0; y < kWidth; ++y)
    std::fill_n(column.row(y), 3 * length, paper);
  for (const Ink& i : inks)
    for (int x = i.left; x < i.right; ++x)
      std::fill_n(column.row(kWidth - 1 - x) + 3 * i.top,
                  3 * (i.bottom - i.top), ink);
  return column;
}

RowOfColumn Drawn(const image::Image& column) {
  Result<RowOfColumn> row = DrawAsRow(column.view());
  EXPECT_TRUE(row.ok());
  return std::move(*row);
}

std::vector<int> Begins(const RowOfColumn& row) {
  std::vector<int> begins;
  for (const RowOfColumn::Cell& cell : row.cells) begins.push_back(cell.begin);
  return begins;
}

// A syllable of two parts, two that touch, and a point behind them.
const std::vector<Ink> kSyllables = {{10, 20, 50, 36},   {10, 40, 50, 58},
                                     {10, 66, 50, 104},  {28, 104, 32, 108},
                                     {10, 108, 50, 146}, {12, 152, 18, 158}};

TEST(DrawAsRow, Syllables_StandSideBySide) {
  const RowOfColumn row = Drawn(OnItsSide(180, kSyllables));
  ASSERT_EQ(row.cells.size(), 4u);
  EXPECT_EQ(row.cells[0].begin, 20);
  EXPECT_EQ(row.cells[0].end, 58);
  EXPECT_NEAR(row.cells[1].end, 106, 3);
  EXPECT_EQ(row.cells[1].end, row.cells[2].begin);
  EXPECT_EQ(row.cells[3].begin, 152);
  // From middle to middle: half of each width and the gap, less the 2 pixels
  // by which the usual one is wider than in rows.
  EXPECT_EQ(row.cells[1].x - row.cells[0].x, 40 + (66 - 58) - 2);
  EXPECT_EQ(row.cells[3].x - row.cells[2].x, 20 + (152 - 146) - 2 + 3);
}

TEST(DrawAsRow, Pixels_AreUpright) {
  // An L: a stem at the left, a foot below.
  const RowOfColumn row =
      Drawn(OnItsSide(90, {{10, 20, 16, 60}, {16, 54, 50, 60}}));
  ASSERT_EQ(row.cells.size(), 1u);
  int left = row.pixels.width(), top = row.pixels.height(), right = 0,
      bottom = 0;
  const auto is_ink = [&](int x, int y) {
    return row.pixels.row(y)[3 * x] < 128;
  };
  for (int y = 0; y < row.pixels.height(); ++y) {
    for (int x = 0; x < row.pixels.width(); ++x) {
      if (!is_ink(x, y)) continue;
      left = std::min(left, x);
      right = std::max(right, x);
      top = std::min(top, y);
      bottom = std::max(bottom, y);
    }
  }
  EXPECT_EQ(right + 1 - left, 40);
  EXPECT_EQ(bottom + 1 - top, 40);
  EXPECT_TRUE(is_ink(left, top));
  EXPECT_TRUE(is_ink(left, bottom));
  EXPECT_TRUE(is_ink(right, bottom));
  EXPECT_FALSE(is_ink(right, top));
  EXPECT_EQ(row.pixels.row(0)[0], 250);
}

TEST(DrawAsRow, LightPrint_IsInkAsWell) {
  EXPECT_EQ(Begins(Drawn(OnItsSide(180, kSyllables, 20, 240))),
            Begins(Drawn(OnItsSide(180, kSyllables))));
}

// The crop of a tilted column reaches over the edge of its board, at one side
// or at both.
TEST(DrawAsRow, BackgroundBesideTheColumn_IsNoInk) {
  const std::vector<int> begins = Begins(Drawn(OnItsSide(300, kSyllables)));
  for (const bool both : {false, true}) {
    std::vector<Ink> inks = kSyllables;
    for (int step = 0; step < 6; ++step) {
      inks.push_back({60 - step, 20 * step, 60, 300});
      if (both) inks.push_back({0, 0, step, 300 - 20 * step});
    }
    EXPECT_EQ(Begins(Drawn(OnItsSide(300, inks))), begins);
  }
}

// A point stands low in its row, as commas do.
TEST(DrawAsRow, Points_StandLow) {
  const RowOfColumn row = Drawn(OnItsSide(180, kSyllables));
  ASSERT_EQ(row.cells.size(), 4u);
  const int x = row.cells[3].x;
  int top = row.pixels.height();
  for (int y = row.pixels.height(); y-- > 0;)
    if (row.pixels.row(y)[3 * x] < 128) top = y;
  EXPECT_GT(top, row.pixels.height() / 2);
}

// Characters set loosely below each other stand as close as in a row; wider
// gaps, of spaces, stay wider by as much.
TEST(DrawAsRow, LooseColumns_AreDrawnClose) {
  const RowOfColumn row = Drawn(OnItsSide(300, {{10, 10, 50, 50},
                                                {10, 80, 50, 120},
                                                {10, 150, 50, 190},
                                                {10, 240, 50, 280}}));
  ASSERT_EQ(row.cells.size(), 4u);
  const int close = row.cells[1].x - row.cells[0].x;
  EXPECT_GE(close, 41);
  EXPECT_LE(close, 46);
  EXPECT_EQ(row.cells[2].x - row.cells[1].x, close);
  EXPECT_EQ(row.cells[3].x - row.cells[2].x, close + 20);
}

TEST(DrawAsRow, EmptyColumns_HaveNoCells) {
  EXPECT_TRUE(Drawn(OnItsSide(120, {})).cells.empty());
}

}  // namespace
}  // namespace munja::ocr
