#include "reading/orient/syllable_columns.h"

#include <gtest/gtest.h>

#include <string_view>
#include <utility>
#include <vector>

#include "reading/orient/testing.h"

namespace munja::ocr {
namespace {

PageLine LineAt(float x, float y, std::string_view text, float width = 50) {
  PageLine line = {Lying(x, y, width, 50)};
  line.reading.polygon = line.box.quad;
  line.reading.text.text = text;
  line.reading.text.confidence = 0.9f;
  line.reading.text.marks.resize(1);
  line.reading.text.marks[0].text_end = text.size();
  return line;
}

size_t LinesAfter(std::vector<PageLine> lines) {
  JoinSyllableColumns(&lines);
  return lines.size();
}

// Two columns, the second one first; one character of it is not read.
std::vector<PageLine> Columns(float apart, float pitch) {
  const char* const left[] = {"문", "자", "인"};
  const char* const right[] = {"안", "녕", "하", "", "요"};
  std::vector<PageLine> lines;
  for (int i = 0; i < 5; ++i) {
    const float y = 20 + pitch * static_cast<float>(i);
    if (i < 3) lines.push_back(LineAt(20, y, left[i]));
    if (i != 3) lines.push_back(LineAt(20 + apart, y, right[i]));
  }
  return lines;
}

TEST(JoinSyllableColumns, Columns_AreLinesFromTheRight) {
  std::vector<PageLine> lines = Columns(120, 70);
  JoinSyllableColumns(&lines);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0].reading.text.text, "안녕하요");
  EXPECT_EQ(lines[1].reading.text.text, "문자인");
  // From the top right downwards; each character in its place.
  const Reading& reading = lines[1].reading;
  EXPECT_EQ(reading.polygon[0], (geometry::Point{70, 20}));
  EXPECT_EQ(reading.polygon[1], (geometry::Point{70, 210}));
  ASSERT_EQ(reading.text.marks.size(), 3u);
  EXPECT_NEAR(reading.text.marks[1].left, 70.0f / 190, 1e-5);
  EXPECT_NEAR(reading.text.marks[1].right, 120.0f / 190, 1e-5);
}

TEST(JoinSyllableColumns, RowsAndCells_StayAsTheyAre) {
  EXPECT_EQ(LinesAfter(Columns(60, 70)), 7u);    // Written in rows.
  EXPECT_EQ(LinesAfter(Columns(120, 130)), 7u);  // A table.
  std::vector<PageLine> labels = Columns(400, 70);
  for (int i = 0; i < 4; ++i)
    labels.push_back(
        LineAt(600, 20 + 70 * static_cast<float>(i), "123-45", 200));
  EXPECT_EQ(LinesAfter(std::move(labels)), 11u);
}

}  // namespace
}  // namespace munja::ocr
