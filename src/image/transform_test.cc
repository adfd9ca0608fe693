#include "image/transform.h"

#include <gtest/gtest.h>

#include "image/testing.h"

namespace munja::image {
namespace {

using test_pictures::LargestDifference;
using test_pictures::Pattern;

TEST(Orient, BringsEveryOrientationUpright) {
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

TEST(Rotate, TurnsClockwise) {
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

TEST(Rotate, RefusesEmptyPictures) {
  EXPECT_EQ(Rotate({}, 1).status().code(), Code::kInvalidArgument);
}

}  // namespace
}  // namespace munja::image
