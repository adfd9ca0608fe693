#include "image/pixels.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

namespace munja::image {
namespace {

std::array<int, 3> PixelOf(const Image& image, int x, int y) {
  const uint8_t* const p = image.row(y) + 3 * x;
  return {p[0], p[1], p[2]};
}

TEST(Pixels, Gray8_FillsAllChannels) {
  const uint8_t gray[] = {10, 200, 99, 30, 40, 99};
  const auto image =
      ToRgb({PixelFormat::kGray8, 2, 2, {gray, nullptr, nullptr}, {3, 0, 0}});
  ASSERT_TRUE(image.ok());
  EXPECT_EQ(PixelOf(*image, 1, 0), (std::array{200, 200, 200}));
  EXPECT_EQ(PixelOf(*image, 0, 1), (std::array{30, 30, 30}));
}

TEST(Pixels, PackedFormats_KeepTheColor) {
  const uint8_t rgb[] = {1, 2, 3}, bgr[] = {3, 2, 1};
  const uint8_t rgba[] = {1, 2, 3, 255}, bgra[] = {3, 2, 1, 255};
  const struct {
    PixelFormat format;
    const uint8_t* data;
  } cases[] = {{PixelFormat::kRgb, rgb},
               {PixelFormat::kBgr, bgr},
               {PixelFormat::kRgba, rgba},
               {PixelFormat::kBgra, bgra}};
  for (const auto& c : cases) {
    const auto image = ToRgb({c.format, 1, 1, {c.data, nullptr, nullptr}, {4}});
    ASSERT_TRUE(image.ok());
    EXPECT_EQ(PixelOf(*image, 0, 0), (std::array{1, 2, 3}));
  }
}

TEST(Pixels, Transparency_IsBlendedOverWhite) {
  const uint8_t rgba[] = {0, 100, 200, 0, 0, 100, 200, 51};
  const auto image =
      ToRgb({PixelFormat::kRgba, 2, 1, {rgba, nullptr, nullptr}, {8}});
  ASSERT_TRUE(image.ok());
  EXPECT_EQ(PixelOf(*image, 0, 0), (std::array{255, 255, 255}));
  // 0.2 of the color and 0.8 of white.
  EXPECT_EQ(PixelOf(*image, 1, 0), (std::array{204, 224, 244}));
}

TEST(Pixels, WhiteOnTransparent_IsBlendedOverBlack) {
  const uint8_t rgba[] = {255, 255, 255, 255, 255, 255, 255, 0};
  const auto image =
      ToRgb({PixelFormat::kRgba, 2, 1, {rgba, nullptr, nullptr}, {8}});
  ASSERT_TRUE(image.ok());
  EXPECT_EQ(PixelOf(*image, 0, 0), (std::array{255, 255, 255}));
  EXPECT_EQ(PixelOf(*image, 1, 0), (std::array{0, 0, 0}));
}

// The definition of BT.601 in floating point.
std::array<int, 3> Reference(int y, int u, int v) {
  const double luma = 255.0 / 219 * (y - 16);
  const double r = luma + 255.0 / 224 * 1.402 * (v - 128);
  const double g =
      luma - 255.0 / 224 * (0.344136 * (u - 128) + 0.714136 * (v - 128));
  const double b = luma + 255.0 / 224 * 1.772 * (u - 128);
  const auto round = [](double x) {
    return static_cast<int>(std::lround(std::fmin(std::fmax(x, 0), 255)));
  };
  return {round(r), round(g), round(b)};
}

TEST(Pixels, YuvFormats_AreBt601) {
  // 3 x 3 pixels, chroma planes 2 x 2, strides longer than rows.
  const uint8_t y[] = {16, 80, 235, 0, 40, 120, 200, 0, 90, 100, 110, 0};
  const uint8_t u[] = {128, 90, 0, 200, 16, 0}, v[] = {128, 240, 0, 60, 140, 0};
  std::vector<uint8_t> nv12, nv21;
  for (int i = 0; i < 6; ++i) {
    nv12.insert(nv12.end(), {u[i], v[i]});
    nv21.insert(nv21.end(), {v[i], u[i]});
  }
  const auto i420 = ToRgb({PixelFormat::kI420, 3, 3, {y, u, v}, {4, 3, 3}});
  const auto from12 =
      ToRgb({PixelFormat::kNv12, 3, 3, {y, nv12.data(), nullptr}, {4, 6, 0}});
  const auto from21 =
      ToRgb({PixelFormat::kNv21, 3, 3, {y, nv21.data(), nullptr}, {4, 6, 0}});
  ASSERT_TRUE(i420.ok() && from12.ok() && from21.ok());
  for (int row = 0; row < 3; ++row) {
    for (int x = 0; x < 3; ++x) {
      const auto expected = Reference(y[4 * row + x], u[3 * (row / 2) + x / 2],
                                      v[3 * (row / 2) + x / 2]);
      const auto got = PixelOf(*i420, x, row);
      for (size_t c = 0; c < 3; ++c)  // Factors are rounded to 1/256.
        EXPECT_NEAR(got[c], expected[c], 1) << x << ", " << row;
      EXPECT_EQ(PixelOf(*from12, x, row), got);
      EXPECT_EQ(PixelOf(*from21, x, row), got);
    }
  }
}

TEST(Pixels, ImpossibleLayouts_AreRefused) {
  const uint8_t data[16] = {};
  const PixelView good = {PixelFormat::kNv12, 2, 2, {data, data}, {2, 2}};
  EXPECT_TRUE(Check(good).ok());
  PixelView bad = good;
  bad.width = 0;
  EXPECT_EQ(Check(bad).code(), Code::kInvalidArgument);
  bad = good;
  bad.planes[1] = nullptr;
  EXPECT_EQ(Check(bad).code(), Code::kInvalidArgument);
  bad = good;
  bad.strides[1] = 1;
  EXPECT_EQ(Check(bad).code(), Code::kInvalidArgument);
  bad = {PixelFormat::kRgb, 3, 2, {data}, {8}};
  EXPECT_EQ(ToRgb(bad).status().code(), Code::kInvalidArgument);
}

}  // namespace
}  // namespace munja::image
