#include "image/resize.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "hwy/tests/hwy_gtest.h"
#include "image/testing.h"

namespace munja::image {
namespace {

using test_pictures::Copy;
using test_pictures::LargestDifference;
using test_pictures::NewImage;
using test_pictures::Pattern;

double Level(const Image& in, int x, int y, int c) {
  x = std::clamp(x, 0, in.width() - 1);
  y = std::clamp(y, 0, in.height() - 1);
  return in.row(y)[3 * x + c];
}

// Levels that need not be whole, of an image without padding.
using Levels = std::vector<double>;

// Bilinear in double precision, from the definition.
Levels LinearTwin(const Image& in, int width, int height) {
  Levels out;
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const double at_x = (x + 0.5) * in.width() / width - 0.5;
      const double at_y = (y + 0.5) * in.height() / height - 0.5;
      const int left = static_cast<int>(std::floor(at_x));
      const int top = static_cast<int>(std::floor(at_y));
      const double fx = at_x - left, fy = at_y - top;
      for (int c = 0; c < 3; ++c) {
        const double upper = Level(in, left, top, c) * (1 - fx) +
                             Level(in, left + 1, top, c) * fx;
        const double lower = Level(in, left, top + 1, c) * (1 - fx) +
                             Level(in, left + 1, top + 1, c) * fx;
        out.push_back(upper * (1 - fy) + lower * fy);
      }
    }
  }
  return out;
}

// The mean over the covered area in double precision.
Levels AreaTwin(const Image& in, int width, int height) {
  Levels out;
  const double sx = static_cast<double>(in.width()) / width;
  const double sy = static_cast<double>(in.height()) / height;
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      double sums[3] = {}, area = 0;
      for (int v = static_cast<int>(y * sy); v < std::ceil((y + 1) * sy); ++v) {
        for (int u = static_cast<int>(x * sx); u < std::ceil((x + 1) * sx);
             ++u) {
          const double cover =
              std::max(0.0, std::min<double>(u + 1, (x + 1) * sx) -
                                std::max<double>(u, x * sx)) *
              std::max(0.0, std::min<double>(v + 1, (y + 1) * sy) -
                                std::max<double>(v, y * sy));
          area += cover;
          for (int c = 0; c < 3; ++c) sums[c] += cover * Level(in, u, v, c);
        }
      }
      for (const double sum : sums) out.push_back(sum / area);
    }
  }
  return out;
}

// The most by which levels are too low and too high.
struct Errors {
  double low = 0, high = 0;
};

Errors ErrorsOf(const Image& out, const Levels& exact) {
  Errors errors;
  for (int y = 0; y < out.height(); ++y) {
    for (int i = 0; i < 3 * out.width(); ++i) {
      const double error =
          out.row(y)[i] - exact[static_cast<size_t>(3 * out.width() * y + i)];
      errors.low = std::max(errors.low, -error);
      errors.high = std::max(errors.high, error);
    }
  }
  return errors;
}

struct Sizes {
  int in_width, in_height, out_width, out_height;
};

class ResizeTest : public hwy::TestWithParamTarget {};
HWY_TARGET_INSTANTIATE_TEST_SUITE_P(ResizeTest);

// Weights of 11 bits cost 1/16 level each way, and rounding half a level; both
// rows are cut off at 1/4 level before.
TEST_P(ResizeTest, Enlarging_IsBilinear) {
  std::vector<Sizes> cases = {
      {100, 80, 33, 27}, {33, 27, 100, 80}, {64, 64, 32, 32}, {64, 64, 64, 64},
      {1, 1, 7, 5},      {2, 3, 17, 2},     {500, 3, 3, 500}, {7, 90, 1, 1}};
  // Every tail of the vector loops.
  for (int width = 1; width < 70; ++width) cases.push_back({41, 9, width, 5});
  for (int width = 1; width < 20; ++width) cases.push_back({width, 9, 23, 5});
  for (const Sizes& s : cases) {
    const Image in = Pattern(s.in_width, s.in_height);
    Image out = NewImage(s.out_width, s.out_height);
    ASSERT_TRUE(Resize(in.view(), out).ok());
    const Errors errors =
        ErrorsOf(out, LinearTwin(in, s.out_width, s.out_height));
    EXPECT_LE(errors.high, 0.64) << s.in_width << "x" << s.in_height << " to "
                                 << s.out_width << "x" << s.out_height;
    EXPECT_LE(errors.low, 1.14) << s.in_width << "x" << s.in_height << " to "
                                << s.out_width << "x" << s.out_height;
  }
}

// Half a level of rounding; weights of 14 bits whose running total is rounded,
// so that their errors have either sign, cost little more.
TEST_P(ResizeTest, Shrinking_AveragesAreas) {
  std::vector<Sizes> cases = {{100, 80, 33, 27}, {64, 64, 32, 32},
                              {64, 64, 64, 64},  {640, 480, 7, 5},
                              {5, 5, 1, 1},      {1000, 2, 3, 1}};
  for (int width = 1; width < 40; ++width)
    cases.push_back({width, 9, (width + 1) / 2, 5});
  for (const Sizes& s : cases) {
    const Image in = Pattern(s.in_width, s.in_height);
    Image out = NewImage(s.out_width, s.out_height);
    ASSERT_TRUE(ResizeArea(in.view(), out).ok());
    const Errors errors =
        ErrorsOf(out, AreaTwin(in, s.out_width, s.out_height));
    EXPECT_LE(std::max(errors.low, errors.high), 0.55)
        << s.in_width << "x" << s.in_height << " to " << s.out_width << "x"
        << s.out_height;
  }
  // A side that grows is linear.
  const Image in = Pattern(20, 15);
  Image out = NewImage(50, 40);
  ASSERT_TRUE(ResizeArea(in.view(), out).ok());
  const Errors errors = ErrorsOf(out, LinearTwin(in, 50, 40));
  EXPECT_LE(std::max(errors.low, errors.high), 0.55);
}

TEST_P(ResizeTest, PlainAreas_AreKept) {
  for (const int level : {0, 1, 127, 254, 255}) {
    Image in = NewImage(61, 47);
    std::memset(in.row(0), level, in.stride() * 47);
    Image out = NewImage(23, 19), area = NewImage(23, 19);
    ASSERT_TRUE(Resize(in.view(), out).ok());
    ASSERT_TRUE(ResizeArea(in.view(), area).ok());
    for (int i = 0; i < 23 * 19 * 3; ++i) {
      ASSERT_EQ(out.row(0)[i], level);
      ASSERT_EQ(area.row(0)[i], level);
    }
  }
}

// Not within one level: equal. The numbers were computed by hand from the
// rule (weights 1536 and 512 of 2048 and the like), so that they hold for
// every target alike.
TEST_P(ResizeTest, Result_FollowsTheRuleExactly) {
  Image in = NewImage(2, 1);
  const uint8_t levels[6] = {0, 10, 255, 100, 11, 0};
  std::memcpy(in.row(0), levels, 6);
  Image out = NewImage(4, 1);
  ASSERT_TRUE(Resize(in.view(), out).ok());
  const uint8_t expected[12] = {0,  10, 255, 25,  10, 191,
                                75, 11, 64,  100, 11, 0};
  for (int i = 0; i < 12; ++i) EXPECT_EQ(out.row(0)[i], expected[i]) << i;
}

// A checksum of one image, the same wherever this runs.
TEST_P(ResizeTest, Result_DoesNotDependOnTargetOrThreads) {
  const Image in = Pattern(321, 203);
  Image out = NewImage(187, 159), area = NewImage(187, 99);
  ASSERT_TRUE(Resize(in.view(), out).ok());
  ASSERT_TRUE(ResizeArea(in.view(), area).ok());
  static const Image first_out = Copy(out.view()),
                     first_area = Copy(area.view());
  EXPECT_EQ(LargestDifference(out, first_out), 0);
  EXPECT_EQ(LargestDifference(area, first_area), 0);
  for (const int threads : {1, 3}) {
    ThreadPool pool(threads);
    Image again = NewImage(187, 159), area_again = NewImage(187, 99);
    ASSERT_TRUE(Resize(in.view(), again, &pool).ok());
    ASSERT_TRUE(ResizeArea(in.view(), area_again, &pool).ok());
    EXPECT_EQ(LargestDifference(again, first_out), 0);
    EXPECT_EQ(LargestDifference(area_again, first_area), 0);
  }
}

TEST_P(ResizeTest, Window_IsRead) {
  const Image whole = Pattern(90, 70);
  const ImageView window = {whole.row(11) + 3 * 13, 37, 29, whole.stride()};
  const Image cut = Copy(window);
  Image a = NewImage(19, 23), b = NewImage(19, 23);
  ASSERT_TRUE(Resize(window, a).ok());
  ASSERT_TRUE(Resize(cut.view(), b).ok());
  EXPECT_EQ(LargestDifference(a, b), 0);
}

TEST(Resize, EmptyImages_AreRefused) {
  Image out = NewImage(3, 3), none;
  EXPECT_EQ(Resize({}, out).code(), Code::kInvalidArgument);
  EXPECT_EQ(ResizeArea({}, out).code(), Code::kInvalidArgument);
  EXPECT_EQ(Resize(out.view(), none).code(), Code::kInvalidArgument);
}

}  // namespace
}  // namespace munja::image
