#include "reading/find/comb_fields.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>

namespace munja::ocr {
namespace {

constexpr int kPitch = 28, kRule = 100, kStart = 100, kThick = 1;

image::Image Sheet() {
  image::Image page = image::Image::Create(640, 200).value();
  for (int y = 0; y < page.height(); ++y)
    std::fill_n(page.row(y), page.stride(), uint8_t{250});
  return page;
}

void Ink(image::Image& page, int x0, int y0, int x1, int y1,
         uint8_t level = 30) {
  for (int y = y0; y < y1; ++y)
    std::fill_n(page.row(y) + 3 * x0, 3 * (x1 - x0), level);
}

// A field whose cells hold a character ("x"), two of them ("2") or none (" ").
// `wall`: how far the strokes between the cells rise.
image::Image Field(std::string_view cells, int wall, bool has_top = false,
                   int below = 0) {
  image::Image page = Sheet();
  const int end = kStart + kPitch * static_cast<int>(cells.size());
  Ink(page, kStart, kRule, end + kThick, kRule + kThick, 120);
  if (has_top)
    Ink(page, kStart, kRule - wall, end + kThick, kRule - wall + kThick, 120);
  for (size_t i = 0; i <= cells.size(); ++i) {
    const int x = kStart + kPitch * static_cast<int>(i);
    Ink(page, x, kRule - wall, x + kThick, kRule + kThick + below, 120);
    if (i == cells.size()) break;
    if (cells[i] == 'x') Ink(page, x + 8, kRule - 24, x + 20, kRule - 6);
    if (cells[i] == '2') {
      Ink(page, x + 3, kRule - 24, x + 12, kRule - 6);
      Ink(page, x + 16, kRule - 24, x + 25, kRule - 6);
    }
  }
  return page;
}

// Around the character of the first cell.
TextBox FirstBox(float right = kStart + 24) {
  const float left = kStart + 5, top = kRule - 28, bottom = kRule - 2;
  return {{{{left, top}, {right, top}, {right, bottom}, {left, bottom}}}, 0.9f};
}

std::vector<CombField> Find(const image::Image& page,
                            const TextBox& box = FirstBox()) {
  return FindCombFields(page.view(), {&box, 1});
}

TEST(FindCombFields, CharactersBetweenTicks_AreOneField) {
  const std::vector<CombField> fields = Find(Field("xxx xx  ", 6));
  ASSERT_EQ(fields.size(), 1u);
  const CombField& field = fields[0];
  ASSERT_EQ(field.cells.size(), 5u);
  for (size_t i = 0; i < 5; ++i) {
    const int x = kStart + kPitch * static_cast<int>(i < 3 ? i : i + 1);
    EXPECT_EQ(field.cells[i].left, x + 8);
    EXPECT_EQ(field.cells[i].right, x + 20);
    EXPECT_EQ(field.cells[i].empty_before, i == 3 ? 1 : 0);
  }
  EXPECT_EQ(field.bounds.top, kRule - 24);
  EXPECT_EQ(field.bounds.bottom, kRule - 6);
}

TEST(FindCombFields, CharactersInBoxes_AreOneField) {
  const std::vector<CombField> fields = Find(Field("xxxxx ", 32, true));
  ASSERT_EQ(fields.size(), 1u);
  EXPECT_EQ(fields[0].cells.size(), 5u);
  EXPECT_EQ(fields[0].bounds.top, kRule - 24);
  EXPECT_EQ(fields[0].bounds.bottom, kRule - 6);
}

// Cells of a table have others above or below; words under which a rule runs
// have no ticks; two numbers in a cell are none of a word.
TEST(FindCombFields, Tables_AreNone) {
  EXPECT_TRUE(Find(Field("xxxxxx", 32, true, 20)).empty());
  EXPECT_TRUE(Find(Field("222222", 32, true)).empty());
  image::Image page = Sheet();
  Ink(page, kStart, kRule, kStart + 200, kRule + 1);
  for (int x = kStart; x < kStart + 200; x += 16)
    Ink(page, x, kRule - 24, x + 12, kRule - 4);
  EXPECT_TRUE(Find(page, FirstBox(kStart + 198)).empty());
}

TEST(FindCombFields, ABoxWithoutARule_IsNone) {
  EXPECT_TRUE(Find(Sheet()).empty());
}

TEST(DrawCombLine, Characters_StandSideBySide) {
  const image::Image page = Field("xx x", 6);
  const std::vector<CombField> fields = Find(page);
  ASSERT_EQ(fields.size(), 1u);
  const auto line = DrawCombLine(page.view(), fields[0]);
  ASSERT_TRUE(line.ok());
  ASSERT_EQ(line->starts.size(), 3u);
  // Closer together than they stand, the one behind the empty cell apart.
  EXPECT_LT(line->starts[1] - line->starts[0], kPitch - 10);
  EXPECT_GT(line->starts[2] - line->starts[1],
            line->starts[1] - line->starts[0] + 4);
  const image::ImageView view = line->pixels.view();
  const uint8_t* middle = view.row(view.height / 2);
  for (int x = 0; x < view.width; ++x) {
    const bool is_ink =
        std::any_of(line->starts.begin(), line->starts.end(),
                    [&](int start) { return x >= start && x < start + 12; });
    EXPECT_EQ(middle[3 * x], is_ink ? 30 : 250) << x;
  }
  EXPECT_EQ(view.row(0)[0], 250);
}

}  // namespace
}  // namespace munja::ocr
