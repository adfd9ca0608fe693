#include "geometry/quad.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

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

// A corner is cut off where it lies a hundredth of a pixel or less beside the
// line through its neighbors, whichever it is and whichever way it turns.
TEST(CutTo, CornerOnTheLineOfItsNeighbors_IsNone) {
  for (const float apart : {-0.012f, -0.008f, 0.0f, 0.008f, 0.012f}) {
    Quad quad = {{{20, 10}, {30, 10 + apart}, {40, 10}, {20, 40}}};
    for (int turn = 0; turn < 4; ++turn) {
      EXPECT_EQ(CutTo(quad, kWidth, kHeight).has_value(),
                std::abs(apart) > 0.01f)
          << apart << ' ' << turn;
      std::rotate(quad.begin(), quad.begin() + 1, quad.end());
    }
  }
}

TEST(Quad, Sides_AreThoseAtTheFirstCorner) {
  // 5 and 13 at the first corner, 20 and 16 at the third.
  const Quad quad = {{{0, 0}, {3, 4}, {3, 24}, {-5, 12}}};
  EXPECT_FLOAT_EQ(LongerSide(quad), 13);
  EXPECT_FLOAT_EQ(ShorterSide(quad), 5);
  const Quad other = {{{0, 0}, {-5, 12}, {3, 24}, {3, 4}}};
  EXPECT_FLOAT_EQ(LongerSide(other), 13);
  EXPECT_FLOAT_EQ(ShorterSide(other), 5);
}

TEST(Unit, Vectors_KeepTheirDirection) {
  EXPECT_FLOAT_EQ(Unit({-3, 4}).x, -0.6f);
  EXPECT_FLOAT_EQ(Unit({-3, 4}).y, 0.8f);
  EXPECT_FLOAT_EQ(Unit({0, 1e-20f}, {1, 0}).y, 1);
  EXPECT_EQ(Unit({0, 0}), (Point{0, 0}));
  EXPECT_EQ(Unit({0, 0}, {1, 0}), (Point{1, 0}));
}

}  // namespace
}  // namespace munja::geometry
