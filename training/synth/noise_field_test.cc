#include "synth/noise_field.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace munja::train {
namespace {

TEST(NoiseField, Values_AreSmoothAndBounded) {
  Random random(3);
  const NoiseField field = MakeNoise(200, 60, 20, 10, random);
  ASSERT_EQ(field.values.size(), 200u * 60);
  float least = 1, most = -1, step = 0;
  for (int y = 0; y < 60; ++y) {
    for (int x = 0; x < 200; ++x) {
      least = std::min(least, field.row(y)[x]);
      most = std::max(most, field.row(y)[x]);
      if (x > 0)
        step = std::max(step, std::abs(field.row(y)[x] - field.row(y)[x - 1]));
    }
  }
  EXPECT_GE(least, -1);
  EXPECT_LE(most, 1);
  EXPECT_GT(most - least, 1);          // 80 random values in [-1, 1].
  EXPECT_LE(step, 2.0f / 20 + 1e-4f);  // From -1 to 1 within a cell at most.
}

}  // namespace
}  // namespace munja::train
