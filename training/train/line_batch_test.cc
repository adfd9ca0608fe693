#include "train/line_batch.h"

#include <gtest/gtest.h>

#include <set>

namespace munja::train {
namespace {

ScaledLine Line(int width, size_t characters = 1) {
  ScaledLine line;
  auto picture = image::Image::Create(width, 32);
  EXPECT_TRUE(picture.ok());
  for (int y = 0; y < 32; ++y)
    for (int i = 0; i < 3 * width; ++i)
      picture->row(y)[i] = static_cast<uint8_t>(i / 3 + 5 * (i % 3) + y);
  line.picture = std::move(picture).value();
  line.label.assign(characters, 1);
  return line;
}

TEST(LineBatchTest, Pixels_AreLevelsBetweenMinusOneAndOneAndEdgesGoOn) {
  const ScaledLine wide = Line(32), narrow = Line(20);
  const ScaledLine* lines[] = {&wide, &narrow};
  const LineBatch batch =
      MakeLineBatch(lines, 32, LineChanges::None(), Random(1));
  ASSERT_EQ(batch.width, 32);
  const auto at = [&](int n, int y, int x, int c) {
    return batch.pixels[static_cast<size_t>(((n * 32 + y) * 32 + x) * 3 + c)];
  };
  // One rounding of each of three operations in single precision.
  EXPECT_NEAR(at(0, 3, 7, 2), (7 + 10 + 3) / 127.5 - 1, 1e-6);
  EXPECT_NEAR(at(1, 31, 19, 1), (19 + 5 + 31) / 127.5 - 1, 1e-6);
  EXPECT_EQ(at(1, 31, 31, 1), at(1, 31, 19, 1));
}

TEST(LineBatchTest, Width_HoldsTheStepsOfTheLabels) {
  // Nine equal characters need 17 steps of four columns.
  const ScaledLine line = Line(20, 9);
  const ScaledLine* lines[] = {&line};
  EXPECT_EQ(BatchWidth(lines), 80);
}

TEST(LineBatchTest, Changes_StayInRangeAndAreRepeatable) {
  const ScaledLine line = Line(64);
  const ScaledLine* lines[] = {&line};
  LineChanges changes;
  changes.noise = 0;  // Grain may go beyond.
  const LineBatch a = MakeLineBatch(lines, 32, changes, Random(5));
  const LineBatch b = MakeLineBatch(lines, 32, changes, Random(5));
  const LineBatch c = MakeLineBatch(lines, 32, changes, Random(6));
  EXPECT_EQ(a.pixels, b.pixels);
  EXPECT_NE(a.pixels, c.pixels);
  for (float v : c.pixels) {
    EXPECT_GE(v, -1);
    EXPECT_LE(v, 1);
  }
}

TEST(LineBatchTest, Groups_HoldEveryLineOnceWithinTheirBounds) {
  std::vector<ScaledLine> lines;
  Random random(3);
  for (int i = 0; i < 200; ++i) lines.push_back(Line(random.Integer(8, 300)));
  lines[17].picture = image::Image();  // Not usable.
  std::set<uint32_t> seen;
  for (const auto& group : GroupByWidth(lines, 1024, 10, Random(4))) {
    std::vector<const ScaledLine*> members;
    for (uint32_t i : group) {
      EXPECT_TRUE(seen.insert(i).second);
      members.push_back(&lines[i]);
    }
    EXPECT_LE(group.size(), 10u);
    EXPECT_LE(BatchWidth(members) * static_cast<int>(group.size()), 1024);
  }
  EXPECT_EQ(seen.size(), 199u);
  EXPECT_FALSE(seen.contains(17));
}

TEST(LineBatchTest, LongLines_AreSqueezedALittleOrRefused) {
  const ScaledLine line = Line(480);
  auto squeezed = ScaleLine(line.picture.view(), 32, 400);
  ASSERT_TRUE(squeezed.ok());
  EXPECT_EQ(squeezed->width(), 400);
  EXPECT_EQ(ScaleLine(line.picture.view(), 32, 300).status().code(),
            Code::kUnsupported);
  auto half = ScaleLine(line.picture.view(), 16, 400);
  ASSERT_TRUE(half.ok());
  EXPECT_EQ(half->width(), 240);
  EXPECT_EQ(half->height(), 16);
}

}  // namespace
}  // namespace munja::train
