#include "geometry/rect.h"

#include <gtest/gtest.h>

namespace munja::geometry {
namespace {

TEST(Rect, Area_OfAnEmptyOneIsZero) {
  EXPECT_EQ((Rect<int>{1, 2, 4, 8}).area(), 18);
  EXPECT_EQ((Rect<int>{4, 2, 1, 8}).area(), 0);
  EXPECT_EQ((Rect<int>{4, 8, 1, 2}).area(), 0);
}

TEST(Rect, Intersection_IsTheCommonPart) {
  const Rect<double> a = {0, 0, 10, 10}, b = {6, -2, 20, 5};
  EXPECT_EQ(Intersection(a, b), (Rect<double>{6, 0, 10, 5}));
  EXPECT_EQ(Intersection(a, Rect<double>{11, 0, 12, 1}).area(), 0);
}

TEST(Rect, Bounds_AreAroundAllCorners) {
  const Quad quad = {{{3, 1}, {9, 4}, {6, 8}, {1, 5}}};
  EXPECT_EQ(BoundsOf(quad), (Rect<float>{1, 1, 9, 8}));
}

TEST(Rect, Corners_GoClockwiseFromTheTopLeft) {
  EXPECT_EQ(CornersOf({1, 2, 9, 8}), (Quad{{{1, 2}, {9, 2}, {9, 8}, {1, 8}}}));
}

}  // namespace
}  // namespace munja::geometry
