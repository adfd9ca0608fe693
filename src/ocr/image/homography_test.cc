#include "image/homography.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace munja::image {
namespace {

using Quad = std::array<std::array<float, 2>, 4>;

std::array<double, 2> Apply(const Homography& map, double x, double y) {
  const auto& m = map.m;
  const double w = m[6] * x + m[7] * y + m[8];
  return {(m[0] * x + m[1] * y + m[2]) / w, (m[3] * x + m[4] * y + m[5]) / w};
}

TEST(QuadToRectangle, Map_MeetsTheCorners) {
  const Quad kQuads[] = {
      {{{10, 20}, {110, 20}, {110, 50}, {10, 50}}},
      {{{10, 20}, {110, 35}, {100, 75}, {5, 50}}},
      {{{300, 200}, {120, 210}, {130, 180}, {290, 160}}},  // Upside down.
      {{{0, 0}, {3000, 1}, {2900, 40}, {2, 30}}},
  };
  for (const Quad& quad : kQuads) {
    const Result<Homography> map = QuadToRectangle(quad, 160, 48);
    ASSERT_TRUE(map.ok());
    const double xs[4] = {0, 160, 160, 0}, ys[4] = {0, 0, 48, 48};
    const Result<Homography> back = Invert(*map);
    ASSERT_TRUE(back.ok());
    for (size_t i = 0; i < 4; ++i) {
      const auto p = Apply(*map, xs[i], ys[i]);
      // Some thirty double operations on coordinates up to 3000.
      EXPECT_NEAR(p[0], quad[i][0], 1e-8);
      EXPECT_NEAR(p[1], quad[i][1], 1e-8);
      const auto q = Apply(*back, quad[i][0], quad[i][1]);
      EXPECT_NEAR(q[0], xs[i], 1e-8);
      EXPECT_NEAR(q[1], ys[i], 1e-8);
    }
  }
}

TEST(QuadToRectangle, QuadWithoutArea_IsRefused) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Quad kQuads[] = {
      {{{0, 0}, {10, 0}, {20, 0}, {0, 10}}},
      {{{5, 5}, {5, 5}, {5, 5}, {5, 5}}},
      {{{0, 0}, {0, 0}, {10, 10}, {0, 10}}},
      {{{nan, 0}, {10, 0}, {10, 10}, {0, 10}}},
  };
  for (const Quad& quad : kQuads)
    EXPECT_EQ(QuadToRectangle(quad, 10, 10).status().code(),
              Code::kInvalidArgument);
  const Quad good = {{{0, 0}, {10, 0}, {10, 10}, {0, 10}}};
  EXPECT_FALSE(QuadToRectangle(good, 0, 10).ok());
  EXPECT_TRUE(QuadToRectangle(good, 1, 1).ok());
}

TEST(Invert, FlatMaps_AreRefused) {
  Homography flat;
  flat.m = {1, 2, 3, 2, 4, 6, 0, 0, 1};
  EXPECT_EQ(Invert(flat).status().code(), Code::kInvalidArgument);
}

}  // namespace
}  // namespace munja::image
