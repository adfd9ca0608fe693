#include "document/comparison.h"

#include <gtest/gtest.h>

namespace munja::document {
namespace {

std::vector<geometry::PointD> OutlineOf(double x, double y, double w,
                                        double h) {
  return {{x, y}, {x + w, y}, {x + w, y + h}, {x, y + h}};
}

Line Read(std::string text, float x, float y, float w, float h) {
  Line line;
  line.text = std::move(text);
  line.confidence = 0.75f;
  line.polygon = {{{x, y}, {x + w, y}, {x + w, y + h}, {x, y + h}}};
  return line;
}

TEST(Compare, EachLine_HasItsResult) {
  LabeledImage label;
  label.lines = {
      {.text = "Hello, world", .polygon = OutlineOf(0, 0, 100, 10)},
      {.text = "abcd", .polygon = OutlineOf(0, 20, 40, 10)},
      {.text = "###", .polygon = OutlineOf(0, 60, 40, 10), .is_ignored = true},
      {.text = "gone", .polygon = OutlineOf(0, 40, 40, 10)},
      {.text = "nowhere", .polygon = {}}};
  Document read;
  read.lines = {Read("more", 200, 20, 40, 10), Read("abxd", 0, 20, 40, 10),
                Read("any", 0, 60, 40, 10),
                Read("Hello,  world", 0, 1, 100, 10)};
  const std::vector<ComparedLine> lines = Compare(label, read);
  ASSERT_EQ(lines.size(), 5u);
  EXPECT_EQ(lines[0].label, "Hello, world");
  EXPECT_EQ(lines[0].read, "Hello,  world");
  EXPECT_TRUE(lines[0].is_right);  // White space is squeezed.
  EXPECT_EQ(lines[0].outline, OutlineOf(0, 0, 100, 10));
  EXPECT_EQ(lines[0].polygon[0].y, 1);
  EXPECT_EQ(lines[0].confidence, 0.75f);
  EXPECT_EQ(lines[1].label, "abcd");
  EXPECT_EQ(lines[1].read, "abxd");
  EXPECT_FALSE(lines[1].is_right);
  EXPECT_EQ(lines[2].label, "gone");
  EXPECT_FALSE(lines[2].read.has_value());
  EXPECT_FALSE(lines[2].is_right);
  // Without an outline nothing can be matched with it.
  EXPECT_EQ(lines[3].label, "nowhere");
  EXPECT_FALSE(lines[3].read.has_value());
  EXPECT_TRUE(lines[3].outline.empty());
  EXPECT_EQ(lines[4].read, "more");
  EXPECT_FALSE(lines[4].label.has_value());
  EXPECT_FALSE(lines[4].is_right);
}

TEST(Compare, Crop_IsOneLine) {
  LabeledImage label;
  label.is_crop = true;
  label.text = "two words";
  Document read;
  read.width = 30;
  read.height = 10;
  read.lines = {Read("two", 0, 0, 10, 10), Read("words", 12, 0, 10, 10)};
  read.lines[1].confidence = 0.5f;
  const std::vector<ComparedLine> lines = Compare(label, read);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_TRUE(lines[0].is_right);
  EXPECT_EQ(lines[0].read, "two words");
  EXPECT_EQ(lines[0].confidence, 0.5f);
  EXPECT_EQ(lines[0].polygon[2].x, 30);
  EXPECT_FALSE(Compare(label, Document())[0].is_right);
}

}  // namespace
}  // namespace munja::document
