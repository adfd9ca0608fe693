#include "synth/float_picture.h"

#include <gtest/gtest.h>

namespace munja::train {
namespace {

TEST(FloatPicture, Lay_MixesColorsByCoverageWithinTheImage) {
  FloatPicture picture(3, 2);
  Coverage coverage;
  coverage.left = 1;
  coverage.top = -1;
  coverage.width = 4;
  coverage.height = 2;
  coverage.values = {
      255, 255, 255, 255,
      255, 51,  0,   255};  // The first row and the last columns are outside.
  Lay(picture, coverage, {200, 100, 50}, 0.5f);
  const auto out = picture.Finish();
  ASSERT_TRUE(out.ok());
  const auto at = [&](int x, int y, int c) {
    return static_cast<int>(out->row(y)[3 * x + c]);
  };
  EXPECT_EQ(at(0, 0, 0), 0);
  EXPECT_EQ(at(1, 0, 0), 100);
  EXPECT_EQ(at(1, 0, 2), 25);
  EXPECT_EQ(at(2, 0, 0), 20);  // A fifth, by half.
  EXPECT_EQ(at(1, 1, 0), 0);
}

TEST(FloatPicture, Finish_ClampsAndRounds) {
  FloatPicture picture(1, 1);
  picture.planes = {{{-20.0f}, {300.0f}, {99.6f}}};
  const auto out = picture.Finish();
  ASSERT_TRUE(out.ok());
  EXPECT_EQ(out->row(0)[0], 0);
  EXPECT_EQ(out->row(0)[1], 255);
  EXPECT_EQ(out->row(0)[2], 100);
}

}  // namespace
}  // namespace munja::train
