#include "image/pixels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <utility>
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

// All pairs of a level and an alpha, against exact fractions: no pair lies
// between two levels.
TEST(Pixels, EveryTransparency_IsRoundedToNearest) {
  const auto blended = [](int level, int alpha, int ground) {
    return (2 * (level * alpha + ground * (255 - alpha)) + 255) / 510;
  };
  std::vector<uint8_t> pixels;
  for (int level = 0; level < 256; ++level) {
    for (int alpha = 0; alpha < 256; ++alpha) {
      const auto v = static_cast<uint8_t>(level);
      pixels.insert(pixels.end(), {v, static_cast<uint8_t>(255 - level), 7,
                                   static_cast<uint8_t>(alpha)});
    }
  }
  for (const PixelFormat format : {PixelFormat::kRgba, PixelFormat::kBgra}) {
    const bool is_bgr = format == PixelFormat::kBgra;
    const auto image =
        ToRgb({format, 256, 256, {pixels.data(), nullptr, nullptr}, {1024}});
    ASSERT_TRUE(image.ok());
    for (int level = 0; level < 256; ++level) {
      for (int alpha = 0; alpha < 256; ++alpha) {
        std::array want = {blended(level, alpha, 255),
                           blended(255 - level, alpha, 255),
                           blended(7, alpha, 255)};
        if (is_bgr) std::swap(want[0], want[2]);
        ASSERT_EQ(PixelOf(*image, alpha, level), want) << level << ' ' << alpha;
      }
    }
  }
}

// Where all is 200 or lighter over white, it is laid over black, unless that
// shows no more.
TEST(Pixels, Ground_IsBlackWhereNextToNothingIsSeenOverWhite) {
  const auto corner = [](std::vector<uint8_t> rgba) {
    const int width = static_cast<int>(rgba.size() / 4);
    const auto image = ToRgb({PixelFormat::kRgba,
                              width,
                              1,
                              {rgba.data(), nullptr, nullptr},
                              {rgba.size()}});
    EXPECT_TRUE(image.ok());
    return PixelOf(*image, width - 1, 0)[0];  // It is transparent.
  };
  EXPECT_EQ(corner({200, 200, 200, 255, 9, 9, 9, 0}), 0);
  EXPECT_EQ(corner({255, 200, 255, 255, 9, 9, 9, 0}), 0);
  EXPECT_EQ(corner({255, 199, 255, 255, 9, 9, 9, 0}), 255);
  EXPECT_EQ(corner({199, 255, 255, 255, 9, 9, 9, 0}), 255);
  // Transparent throughout: neither shows anything.
  EXPECT_EQ(corner({9, 9, 9, 0, 9, 9, 9, 0}), 255);
}

// BT.601 in units of 1/256: the factors of the definition rounded, then sums
// rounded to the nearest, which doubles hold exactly.
std::array<int, 3> Reference(int y, int u, int v) {
  const auto factor = [](double exact) { return std::round(256 * exact); };
  constexpr double kLuma = 255.0 / 219, kChroma = 255.0 / 224;
  const double luma = factor(kLuma) * (y - 16);
  const double r = luma + factor(kChroma * 1.402) * (v - 128);
  const double g = luma - factor(kChroma * 0.344136) * (u - 128) -
                   factor(kChroma * 0.714136) * (v - 128);
  const double b = luma + factor(kChroma * 1.772) * (u - 128);
  const auto level = [](double sum) {
    return static_cast<int>(std::clamp(std::floor(sum / 256 + 0.5), 0., 255.));
  };
  return {level(r), level(g), level(b)};
}

// Rows of odd length with chroma that differs in each place, and strides that
// are longer than rows.
TEST(Pixels, YuvFormats_AreBt601) {
  constexpr int kWidth = 257, kHeight = 9;  // Chroma: 129 x 5.
  constexpr size_t kStride = 260, kHalfStride = 131;
  std::mt19937 random(4);
  std::vector<uint8_t> y(kStride * kHeight), u(kHalfStride * 5), v(u.size());
  for (std::vector<uint8_t>* plane : {&y, &u, &v})
    for (uint8_t& level : *plane) level = static_cast<uint8_t>(random());
  std::vector<uint8_t> nv12, nv21;
  for (size_t i = 0; i < u.size(); ++i) {
    nv12.insert(nv12.end(), {u[i], v[i]});
    nv21.insert(nv21.end(), {v[i], u[i]});
  }
  const auto i420 = ToRgb({PixelFormat::kI420,
                           kWidth,
                           kHeight,
                           {y.data(), u.data(), v.data()},
                           {kStride, kHalfStride, kHalfStride}});
  const auto from12 = ToRgb({PixelFormat::kNv12,
                             kWidth,
                             kHeight,
                             {y.data(), nv12.data(), nullptr},
                             {kStride, 2 * kHalfStride, 0}});
  const auto from21 = ToRgb({PixelFormat::kNv21,
                             kWidth,
                             kHeight,
                             {y.data(), nv21.data(), nullptr},
                             {kStride, 2 * kHalfStride, 0}});
  ASSERT_TRUE(i420.ok() && from12.ok() && from21.ok());
  for (int row = 0; row < kHeight; ++row) {
    for (int x = 0; x < kWidth; ++x) {
      const size_t at = kHalfStride * static_cast<size_t>(row / 2) +
                        static_cast<size_t>(x / 2);
      const auto want = Reference(
          y[kStride * static_cast<size_t>(row) + static_cast<size_t>(x)], u[at],
          v[at]);
      ASSERT_EQ(PixelOf(*i420, x, row), want) << x << ", " << row;
      ASSERT_EQ(PixelOf(*from12, x, row), want) << x << ", " << row;
      ASSERT_EQ(PixelOf(*from21, x, row), want) << x << ", " << row;
    }
  }
}

// The least stride of each plane, from the layouts: 5 pixels have 3 of chroma.
TEST(Pixels, ShorterStridesAndMissingPlanes_AreRefused) {
  const struct {
    PixelFormat format;
    std::array<size_t, 3> least;
  } cases[] = {
      {PixelFormat::kGray8, {5, 0, 0}}, {PixelFormat::kRgb, {15, 0, 0}},
      {PixelFormat::kBgr, {15, 0, 0}},  {PixelFormat::kRgba, {20, 0, 0}},
      {PixelFormat::kBgra, {20, 0, 0}}, {PixelFormat::kNv12, {5, 6, 0}},
      {PixelFormat::kNv21, {5, 6, 0}},  {PixelFormat::kI420, {5, 3, 3}},
  };
  const uint8_t data[64] = {};
  for (const auto& c : cases) {
    PixelView good = {c.format, 5, 2, {}, {}};
    for (size_t i = 0; i < 3; ++i) {
      good.planes[i] = c.least[i] > 0 ? data : nullptr;
      good.strides[i] = c.least[i];
    }
    EXPECT_TRUE(Check(good).ok()) << static_cast<int>(c.format);
    for (size_t i = 0; i < 3 && c.least[i] > 0; ++i) {
      PixelView bad = good;
      bad.planes[i] = nullptr;
      EXPECT_FALSE(Check(bad).ok()) << static_cast<int>(c.format) << ' ' << i;
      bad = good;
      bad.strides[i] -= 1;
      EXPECT_FALSE(Check(bad).ok()) << static_cast<int>(c.format) << ' ' << i;
    }
  }
}

TEST(Pixels, Sides_AreOneToTheLargest) {
  const uint8_t data[1] = {};
  const auto is_ok = [&](int width, int height) {
    return Check(
               {PixelFormat::kGray8, width, height, {data}, {size_t{1} << 20}})
        .ok();
  };
  EXPECT_TRUE(is_ok(1, 1));
  EXPECT_FALSE(is_ok(0, 1));
  EXPECT_FALSE(is_ok(1, 0));
  EXPECT_TRUE(is_ok(kMaxImageSide, kMaxImageSide));
  EXPECT_FALSE(is_ok(kMaxImageSide + 1, 1));
  EXPECT_FALSE(is_ok(1, kMaxImageSide + 1));
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
