#include "synth/dot_matrix.h"

#include <gtest/gtest.h>

namespace munja::train {
namespace {

TEST(DotMatrix, Bar_BecomesARowOfDots) {
  SetLine line;
  SetGlyph glyph;
  glyph.x = 5.2f;
  glyph.advance = 60;
  glyph.outline.AddBox({0, -10, 50, 0});  // Five cells of 10 pixels, one high.
  line.glyphs.push_back(glyph);
  DotLine(line, 100, 10, 0.4f, true);
  EXPECT_EQ(line.glyphs[0].x, 10);  // On the grid.
  const Path& dots = line.glyphs[0].outline;
  ASSERT_EQ(dots.points().size(), 5u * 4);
  const Box box = dots.Bounds();
  EXPECT_FLOAT_EQ(box.left, 1);  // The first dot is 8 wide around 5.
  EXPECT_FLOAT_EQ(box.right, 49);
  EXPECT_FLOAT_EQ(box.top, -9);
}

TEST(DotMatrix, HardlyCoveredCells_StayEmpty) {
  SetLine line;
  line.glyphs.emplace_back().outline.AddBox({0, -3, 50, 0});
  DotLine(line, 100, 10, 0.4f, false);
  EXPECT_TRUE(line.glyphs[0].outline.empty());
}

}  // namespace
}  // namespace munja::train
