#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "hwy/tests/hwy_gtest.h"
#include "image/testing.h"
#include "image/transform.h"

namespace munja::image {
namespace {

using test_pictures::Copy;
using test_pictures::LargestDifference;
using test_pictures::NewImage;
using test_pictures::Pattern;

// Weight of a pixel at distance d: the cubic convolution kernel (Keys) with
// a = -0.75, or the triangle.
double Kernel(double d, bool cubic) {
  constexpr double a = -0.75;
  d = std::abs(d);
  if (!cubic) return std::max(0.0, 1 - d);
  if (d <= 1) return (a + 2) * d * d * d - (a + 3) * d * d + 1;
  if (d < 2) return a * d * d * d - 5 * a * d * d + 8 * a * d - 4 * a;
  return 0;
}

// In double precision; `steps` positions inside a pixel, 0 for the exact one.
Image Twin(const Image& in, const Homography& map, int width, int height,
           bool cubic, double steps) {
  Image out = NewImage(width, height);
  const auto& m = map.m;
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const double w = m[6] * x + m[7] * y + m[8];
      double at_x = w == 0 ? 0 : (m[0] * x + m[1] * y + m[2]) / w;
      double at_y = w == 0 ? 0 : (m[3] * x + m[4] * y + m[5]) / w;
      if (steps > 0) {
        at_x = std::nearbyint(at_x * steps) / steps;
        at_y = std::nearbyint(at_y * steps) / steps;
      }
      at_x = std::clamp(at_x, -1e6, 1e6);
      at_y = std::clamp(at_y, -1e6, 1e6);
      const int left = static_cast<int>(std::floor(at_x)) - 1;
      const int top = static_cast<int>(std::floor(at_y)) - 1;
      for (int c = 0; c < 3; ++c) {
        double sum = 0;
        for (int v = top; v < top + 4; ++v) {
          for (int u = left; u < left + 4; ++u) {
            sum +=
                Kernel(at_x - u, cubic) * Kernel(at_y - v, cubic) *
                in.row(std::clamp(
                    v, 0,
                    in.height() - 1))[3 * std::clamp(u, 0, in.width() - 1) + c];
          }
        }
        out.row(y)[3 * x + c] =
            static_cast<uint8_t>(std::clamp(std::lround(sum), 0l, 255l));
      }
    }
  }
  return out;
}

Homography Map(const std::array<std::array<float, 2>, 4>& quad, int width,
               int height) {
  return std::move(QuadToRectangle(quad, width, height)).value();
}

class WarpTest : public hwy::TestWithParamTarget {};
HWY_TARGET_INSTANTIATE_TEST_SUITE_P(WarpTest);

TEST_P(WarpTest, Result_MatchesTheDoublePrecisionReference) {
  const Image in = Pattern(120, 90);
  const std::array<std::array<float, 2>, 4> kQuads[] = {
      {{{10, 12}, {100, 18}, {95, 50}, {14, 41}}},
      {{{-20, -9}, {150, 4}, {140, 120}, {3, 95}}},  // Past all borders.
      {{{100, 80}, {20, 70}, {30, 20}, {110, 15}}},
      {{{50, 40}, {53, 40}, {53, 42}, {50, 42}}},  // Much larger than it was.
  };
  for (const auto& quad : kQuads) {
    for (const bool cubic : {false, true}) {
      for (const int width : {1, 63, 64, 65, 160}) {
        const Homography map = Map(quad, width, 48);
        Image out = NewImage(width, 48);
        ASSERT_TRUE(WarpPerspective(in.view(), map, out,
                                    cubic ? Interpolation::kBicubic
                                          : Interpolation::kBilinear)
                        .ok());
        // Weights of 14 bits, 16 of them: less than half a level, then
        // rounding.
        EXPECT_LE(LargestDifference(out, Twin(in, map, width, 48, cubic, 32)),
                  1)
            << width << (cubic ? " cubic" : " linear");
      }
    }
  }
}

// Rounding the position to 1/32 pixel moves it by 1/64 at most, each way: on
// a ramp of 8 levels a pixel that is 1/4 level, with rounding one level.
TEST_P(WarpTest, SmoothImages_AreNearTheExactPosition) {
  Image in = NewImage(30, 30);
  for (int y = 0; y < 30; ++y)
    for (int i = 0; i < 90; ++i)
      in.row(y)[i] = static_cast<uint8_t>(8 * (i / 3));
  const Homography map = Map({{{3, 4}, {25, 6}, {24, 26}, {5, 22}}}, 40, 40);
  Image out = NewImage(40, 40);
  ASSERT_TRUE(WarpPerspective(in.view(), map, out).ok());
  EXPECT_LE(LargestDifference(out, Twin(in, map, 40, 40, true, 0)), 1);
}

TEST_P(WarpTest, Identity_Copies) {
  for (const int width : {1, 2, 5, 6, 7, 80}) {
    const Image in = Pattern(width, 11);
    for (const Interpolation i :
         {Interpolation::kBilinear, Interpolation::kBicubic}) {
      Image out = NewImage(width, 11);
      ASSERT_TRUE(WarpPerspective(in.view(), {}, out, i).ok());
      EXPECT_EQ(LargestDifference(out, in), 0) << width;
    }
  }
}

TEST_P(WarpTest, Result_DoesNotDependOnTargetOrThreads) {
  const Image in = Pattern(300, 200);
  const Homography map =
      Map({{{20.3f, 31.7f}, {280, 12}, {291, 160}, {8, 188}}}, 333, 77);
  Image out = NewImage(333, 77);
  ASSERT_TRUE(WarpPerspective(in.view(), map, out).ok());
  static const Image first = Copy(out.view());
  EXPECT_EQ(LargestDifference(out, first), 0);
  ThreadPool pool(3);
  Image again = NewImage(333, 77);
  ASSERT_TRUE(
      WarpPerspective(in.view(), map, again, Interpolation::kBicubic, &pool)
          .ok());
  EXPECT_EQ(LargestDifference(again, first), 0);
}

// Where the map sends a line to infinity, any pixel will do, but the same
// everywhere and without a fault.
TEST_P(WarpTest, HorizonAndWildMaps_AreSafe) {
  const Image in = Pattern(20, 20);
  Homography maps[3];
  maps[0].m = {1, 0, 0, 0, 1, 0, 1, 0, -8};  // w = 0 at x = 8.
  maps[1].m = {1e99, -1e99, 1, 1, 1, 1e99, 0, 0, 1e-99};
  maps[2].m = {0, 0, 0, 0, 0, 0, 0, 0, 0};
  for (int i = 0; i < 3; ++i) {
    Image out = NewImage(70, 5);
    ASSERT_TRUE(WarpPerspective(in.view(), maps[i], out).ok());
    static std::vector<Image> first;
    if (first.size() <= static_cast<size_t>(i))
      first.push_back(Copy(out.view()));
    EXPECT_EQ(LargestDifference(out, first[static_cast<size_t>(i)]), 0) << i;
  }
}

TEST(Warp, InvalidMap_IsRefused) {
  const Image in = Pattern(8, 8);
  Image out = NewImage(8, 8);
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(),
                           std::numeric_limits<double>::infinity(), 1e101}) {
    Homography map;
    map.m[4] = bad;
    EXPECT_EQ(WarpPerspective(in.view(), map, out).code(),
              Code::kInvalidArgument);
  }
  EXPECT_EQ(WarpPerspective({}, {}, out).code(), Code::kInvalidArgument);
}

}  // namespace
}  // namespace munja::image
