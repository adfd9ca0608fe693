#include "reading/find/table_rules.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace munja::ocr {
namespace {

constexpr int kRowPitch = 40, kBoxHeight = 24;

void FillInk(image::Image& page, int left, int top, int right, int bottom) {
  for (int y = top; y < bottom; ++y)
    std::fill_n(page.row(y) + 3 * static_cast<ptrdiff_t>(left),
                3 * (right - left), uint8_t{20});
}

int TopOf(int row) { return 20 + row * kRowPitch; }

// Letters in `rows` rows, from `left` on, `cells` to a row, `width` apart.
struct Table {
  int rows = 4, cells = 3, width = 120, left = 20, letters = 4;
  int rule_bottom = 0;  // 0: below all rows.
};

image::Image DrawTable(const Table& table) {
  image::Image page = image::Image::Create(500, 240).value();
  for (int y = 0; y < page.height(); ++y)
    std::fill_n(page.row(y), page.stride(), uint8_t{240});
  for (int row = 0; row < table.rows; ++row)
    for (int cell = 0; cell < table.cells; ++cell)
      for (int letter = 0; letter < table.letters; ++letter) {
        const int x = table.left + cell * table.width + 6 + letter * 20;
        FillInk(page, x, TopOf(row) + 5, x + 12, TopOf(row) + kBoxHeight - 5);
      }
  const int bottom =
      table.rule_bottom > 0 ? table.rule_bottom : TopOf(table.rows);
  for (int cell = 0; cell <= table.cells; ++cell) {
    const int x = table.left + cell * table.width;
    FillInk(page, x, 5, x + 2, bottom);
  }
  return page;
}

TextBox BoxAt(int row, int left, int right) {
  const auto l = static_cast<float>(left), r = static_cast<float>(right);
  const auto t = static_cast<float>(TopOf(row)), b = t + kBoxHeight;
  TextBox box = {.quad = {{{l, t}, {r, t}, {r, b}, {l, b}}}, .score = 0.9f};
  box.outline = geometry::Quad{
      {{l + 1, t + 4}, {r - 1, t + 4}, {r - 1, b - 4}, {l + 1, b - 4}}};
  return box;
}

std::vector<TextBox> Split(const Table& table, std::vector<TextBox> boxes) {
  SplitAtRules(DrawTable(table).view(), &boxes);
  return boxes;
}

std::vector<TextBox> Rows(int count, int left, int right) {
  std::vector<TextBox> boxes;
  for (int row = 0; row < count; ++row)
    boxes.push_back(BoxAt(row, left, right));
  return boxes;
}

TEST(TableRules, BoxOfARow_IsSplitIntoItsCells) {
  const std::vector<TextBox> boxes = Split({}, Rows(4, 24, 376));
  ASSERT_EQ(boxes.size(), 12u);
  for (size_t i = 0; i < boxes.size(); ++i) {
    const float left = 20 + 120 * static_cast<float>(i % 3);
    // With a little paper around the letters.
    EXPECT_NEAR(boxes[i].quad[1].x, left + 78 + 5, 1) << i;
    // Behind one rule, before the next.
    EXPECT_GE(boxes[i].quad[0].x, left + 2) << i;
    EXPECT_LE(boxes[i].quad[1].x, left + 120) << i;
    EXPECT_FLOAT_EQ(boxes[i].quad[0].y, TopOf(static_cast<int>(i / 3)));
    ASSERT_TRUE(boxes[i].outline.has_value());
    EXPECT_GE((*boxes[i].outline)[0].x, left + 2) << i;
    EXPECT_LE((*boxes[i].outline)[1].x, left + 120) << i;
    EXPECT_FLOAT_EQ((*boxes[i].outline)[0].y,
                    TopOf(static_cast<int>(i / 3)) + 4);
    EXPECT_FLOAT_EQ(boxes[i].score, 0.9f);
  }
}

// The rules are the same, wherever a box begins to count.
TEST(TableRules, RowsThatBeginApart_HaveTheSameRules) {
  const std::vector<TextBox> boxes =
      Split({}, {BoxAt(0, 24, 376), BoxAt(1, 64, 376)});
  ASSERT_EQ(boxes.size(), 6u);
  for (size_t i = 0; i < boxes.size(); ++i)
    EXPECT_NEAR(boxes[i].quad[1].x,
                20 + 120 * static_cast<float>(i % 3) + 78 + 5, 1)
        << i;
}

TEST(TableRules, RuleAtTheEndOfABox_IsCutOff) {
  for (const TextBox& box : Split({}, Rows(4, 17, 145))) {
    EXPECT_NEAR(box.quad[0].x, 22.5f, 1);
    EXPECT_NEAR(box.quad[1].x, 20 + 78 + 5, 1);
  }
}

TEST(TableRules, CellWithoutText_HasNoBox) {
  Table table;
  table.letters = 0;
  std::vector<TextBox> boxes = Rows(4, 24, 376);
  const image::Image page = [&] {
    image::Image drawn = DrawTable(table);
    for (int row = 0; row < 4; ++row)
      FillInk(drawn, 160, TopOf(row) + 5, 200, TopOf(row) + kBoxHeight - 5);
    return drawn;
  }();
  SplitAtRules(page.view(), &boxes);
  ASSERT_EQ(boxes.size(), 4u);
  EXPECT_NEAR(boxes[0].quad[0].x, 160 - 5, 1);
  EXPECT_NEAR(boxes[0].quad[1].x, 200 + 5, 1);
}

// A pole behind a sign, a letter of another line.
TEST(TableRules, StrokeThatCrossesOneBox_IsNoRule) {
  EXPECT_EQ(Split({}, Rows(2, 24, 376)).size(), 6u);
  EXPECT_EQ(Split({}, Rows(1, 24, 376)).size(), 1u);
  Table one_row;
  one_row.rule_bottom = TopOf(1) - 4;
  EXPECT_EQ(Split(one_row, Rows(4, 24, 376)).size(), 4u);
}

TEST(TableRules, StrokeWithinTheLine_IsALetter) {
  Table table;
  table.rule_bottom = 6;
  image::Image page = DrawTable(table);
  for (int row = 0; row < 4; ++row)
    FillInk(page, 138, TopOf(row) + 2, 140, TopOf(row) + kBoxHeight - 2);
  std::vector<TextBox> boxes = Rows(4, 24, 376);
  SplitAtRules(page.view(), &boxes);
  EXPECT_EQ(boxes.size(), 4u);
}

TEST(TableRules, Hatching_IsNoTable) {
  image::Image page = DrawTable({.rule_bottom = 6});
  for (int x = 4; x + 3 < page.width(); x += 9) FillInk(page, x, 0, x + 2, 240);
  std::vector<TextBox> boxes = Rows(4, 24, 376);
  SplitAtRules(page.view(), &boxes);
  EXPECT_EQ(boxes.size(), 4u);
}

TEST(TableRules, CombField_StaysWhole) {
  EXPECT_EQ(
      Split({.cells = 12, .width = 26, .letters = 1}, Rows(4, 16, 336)).size(),
      4u);
}

}  // namespace
}  // namespace munja::ocr
