#include "image/transform.h"

#include <gtest/gtest.h>

#include "image/testing.h"

namespace munja::image {
namespace {

using test_pictures::LargestDifference;
using test_pictures::Pattern;

TEST(Orient, EveryOrientation_IsBroughtUpright) {
  for (const int width : {1, 31, 65}) {
    const Image pattern = Pattern(width, 43);
    for (int orientation = 1; orientation <= 8; ++orientation) {
      const Image stored = test_pictures::StoredAs(pattern, orientation);
      const Result<Image> upright = Orient(stored.view(), orientation);
      ASSERT_TRUE(upright.ok());
      EXPECT_EQ(LargestDifference(*upright, pattern), 0) << orientation;
    }
  }
}

TEST(Orient, Window_IsTurned) {
  const Image pattern = Pattern(40, 30);
  ImageView window = pattern.view();
  window.data += 3 * 5 + 4 * window.stride;
  window.width = 21;
  window.height = 17;
  const Image alone = test_pictures::Copy(window);
  for (int orientation = 1; orientation <= 8; ++orientation) {
    const Result<Image> a = Orient(window, orientation);
    const Result<Image> b = Orient(alone.view(), orientation);
    ASSERT_TRUE(a.ok() && b.ok());
    EXPECT_EQ(LargestDifference(*a, *b), 0) << orientation;
  }
}

TEST(Rotate, RepeatedTurns_AddUp) {
  const Image pattern = Pattern(37, 21);
  for (int turns = -9; turns <= 9; ++turns) {
    Image step_by_step = test_pictures::Copy(pattern.view());
    for (int i = 0; i < (turns % 4 + 4) % 4; ++i)
      step_by_step = std::move(Rotate(step_by_step.view(), 1)).value();
    const Result<Image> at_once = Rotate(pattern.view(), turns);
    ASSERT_TRUE(at_once.ok());
    EXPECT_EQ(LargestDifference(*at_once, step_by_step), 0) << turns;
  }
}

TEST(Rotate, Turn_IsClockwise) {
  Image in = std::move(Image::Create(2, 1)).value();
  for (int i = 0; i < 6; ++i) in.row(0)[i] = static_cast<uint8_t>(i);
  const Result<Image> right = Rotate(in.view(), 1);
  ASSERT_TRUE(right.ok());
  ASSERT_EQ(right->width(), 1);
  ASSERT_EQ(right->height(), 2);
  EXPECT_EQ(right->row(0)[0], 0);  // The left end is up.
  const Result<Image> left = Rotate(in.view(), -1);
  ASSERT_TRUE(left.ok());
  EXPECT_EQ(left->row(0)[0], 3);
  const Result<Image> half = Rotate(in.view(), 6);
  ASSERT_TRUE(half.ok());
  EXPECT_EQ(half->row(0)[0], 3);

  const Image pattern = Pattern(37, 21);
  Image turned = test_pictures::Copy(pattern.view());
  for (int i = 0; i < 4; ++i)
    turned = std::move(Rotate(turned.view(), 1)).value();
  EXPECT_EQ(LargestDifference(turned, pattern), 0);
}

TEST(Rotate, EmptyImages_AreRefused) {
  EXPECT_EQ(Rotate({}, 1).status().code(), Code::kInvalidArgument);
}

}  // namespace
}  // namespace munja::image
