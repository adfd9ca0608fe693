#include "tensor/shape.h"

#include <gtest/gtest.h>

namespace munja {
namespace {

TEST(Shape, Elements_AreCounted) {
  EXPECT_EQ(Shape().elements(), 1);
  EXPECT_EQ((Shape{2, 3, 4}).elements(), 24);
  EXPECT_EQ((Shape{2, 0, 4}).elements(), 0);
  EXPECT_EQ((Shape{2, kDynamic}).elements(), -1);
  EXPECT_EQ((Shape{1 << 30, 1 << 30, 1 << 30}).elements(), -1);  // too many
  // A product that wraps around to 0.
  EXPECT_EQ((Shape{1 << 20, 1 << 20, 1 << 30}).elements(), -1);
  EXPECT_EQ((Shape{2, 3, 4}).elements(1, 3), 12);
}

TEST(Shape, PartsOfEmptyShapes_AreCounted) {
  EXPECT_EQ((Shape{2, 0, 3}).elements(1, 3), 0);
  EXPECT_EQ((Shape{2, 0, 3}).elements(2, 3), 3);
  EXPECT_EQ((Shape{2, 0, 3}).elements(0, 1), 2);
  EXPECT_EQ((Shape{2, 0, kDynamic}).elements(1, 2), 0);
  EXPECT_EQ((Shape{2, 0, 3}).elements(1, 1), 1);
}

TEST(Shape, DynamicDimensions_ArePrinted) {
  EXPECT_EQ((Shape{1, kDynamic, 3}).ToString(), "1x?x3");
  EXPECT_EQ(Shape().ToString(), "scalar");
}

}  // namespace
}  // namespace munja
