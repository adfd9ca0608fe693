#include "geometry/quad.h"

#include <gtest/gtest.h>

namespace munja::geometry {
namespace {

constexpr int kWidth = 100, kHeight = 50;

TEST(CutTo, CornersOnEachSide_AreBroughtIntoThePage) {
  const Quad inside = {{{10, 5}, {100, 5}, {100, 50}, {10, 50}}};
  EXPECT_EQ(CutTo(inside, kWidth, kHeight), inside);
  EXPECT_EQ(CutTo({{{-7, -3}, {90, -3}, {90, 20}, {-7, 20}}}, kWidth, kHeight),
            (Quad{{{0, 0}, {90, 0}, {90, 20}, {0, 20}}}));
  EXPECT_EQ(
      CutTo({{{80, 30}, {130, 30}, {130, 60}, {80, 60}}}, kWidth, kHeight),
      (Quad{{{80, 30}, {100, 30}, {100, 50}, {80, 50}}}));
}

TEST(CutTo, QuadOutsideOfThePage_IsNothing) {
  EXPECT_FALSE(
      CutTo({{{110, 5}, {130, 5}, {130, 20}, {110, 20}}}, kWidth, kHeight));
  EXPECT_FALSE(
      CutTo({{{10, 60}, {30, 60}, {30, 70}, {10, 70}}}, kWidth, kHeight));
}

}  // namespace
}  // namespace munja::geometry
