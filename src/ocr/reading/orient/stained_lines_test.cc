#include "reading/orient/stained_lines.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reading/orient/testing.h"

namespace munja::ocr {
namespace {

using Places = std::vector<geometry::Rect<float>>;

PageLine ReadAt(float y, float height, std::string_view text,
                float confidence = 0.97f) {
  PageLine line = {Lying(20, y, 300, height)};
  line.reading.text.text = text;
  line.reading.text.confidence = confidence;
  for (size_t i = 1; i <= text.size(); ++i) {
    text::CtcMark& mark = line.reading.text.marks.emplace_back();
    mark.text_end = i;
    mark.probability = confidence;
  }
  return line;
}

template <class... Lines>
std::vector<PageLine> LinesOf(Lines... each) {
  std::vector<PageLine> lines;
  (lines.push_back(std::move(each)), ...);
  return lines;
}

std::string TextOf(const std::vector<PageLine>& lines) {
  std::string text;
  for (const PageLine& line : lines) text += line.reading.text.text + "|";
  return text;
}

// A stamp makes one box of two lines, which shows less text than these.
TEST(TakeBetter, LinesUnderAStamp_ReplaceTheOneOfBoth) {
  std::vector<PageLine> lines =
      LinesOf(ReadAt(20, 30, "Receipt"), ReadAt(70, 90, "EU", 0.9f),
              ReadAt(180, 30, "Thanks"));
  TakeBetter(Places{{60, 70, 120, 102}},
             LinesOf(ReadAt(20, 30, "Receint"), ReadAt(72, 30, "Total"),
                     ReadAt(125, 30, "EUR")),
             &lines);
  EXPECT_EQ(TextOf(lines), "Receipt|Total|EUR|Thanks|");
}

TEST(TakeBetter, LessText_ReplacesNothing) {
  std::vector<PageLine> lines = LinesOf(ReadAt(20, 30, "Receipt 12"));
  TakeBetter(Places{{60, 20, 120, 52}}, LinesOf(ReadAt(20, 30, "Rece")),
             &lines);
  EXPECT_EQ(TextOf(lines), "Receipt 12|");
}

TEST(DropReadPlaces, OnlyUnreadPlaces_Stay) {
  const std::vector<PageLine> lines =
      LinesOf(ReadAt(20, 30, "Receipt", 0.99f), ReadAt(80, 30, "Tot", 0.8f));
  Places places = {{60, 20, 92, 52}, {60, 84, 92, 116}, {60, 200, 92, 232}};
  DropReadPlaces(lines, &places);
  ASSERT_EQ(places.size(), 2u);
  EXPECT_EQ(places[0].top, 84);
}

}  // namespace
}  // namespace munja::ocr
