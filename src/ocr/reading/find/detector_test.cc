#include "reading/find/detector.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "reading/network/testing.h"

namespace munja::ocr {
namespace {

// PaddleOCR's rule: scale the longer side to the limit, then round each side
// to the nearest multiple of 32, never below 32.
TEST(PlanDetectorInput, Stretch_RoundsToTheNearestMultiples) {
  DetectorConfig config;
  config.fit = InputFit::kStretch;
  const auto size = [&](int width, int height) {
    const DetectorInput input = PlanDetectorInput(width, height, config);
    EXPECT_EQ(input.scaled_width, input.width);
    EXPECT_EQ(input.left, 0);
    return std::pair(input.width, input.height);
  };
  EXPECT_EQ(size(640, 480), std::pair(640, 480));
  EXPECT_EQ(size(1920, 2560), std::pair(704, 960));
  EXPECT_EQ(size(1, 1), std::pair(32, 32));
  EXPECT_EQ(size(30000, 20), std::pair(960, 32));
  EXPECT_EQ(size(655, 655), std::pair(640, 640));
  config.limit_type = LimitType::kMin;
  config.limit_side = 736;
  EXPECT_EQ(size(368, 736), std::pair(736, 1472));
  EXPECT_EQ(size(10, 30000), std::pair(32, 4000));
}

TEST(PlanDetectorInput, Pad_GoesToTheNextMultiplesAndKeepsTheAspect) {
  const DetectorConfig config;
  EXPECT_EQ(PlanDetectorInput(640, 480, config),
            (DetectorInput{640, 480, 640, 480, 0, 0}));
  EXPECT_EQ(PlanDetectorInput(1920, 2560, config),
            (DetectorInput{736, 960, 720, 960, 8, 0}));
  EXPECT_EQ(PlanDetectorInput(340, 76, config),
            (DetectorInput{352, 96, 340, 76, 6, 10}));
  EXPECT_EQ(PlanDetectorInput(1, 1, config),
            (DetectorInput{32, 32, 1, 1, 15, 15}));
  EXPECT_EQ(PlanDetectorInput(30000, 20, config),
            (DetectorInput{960, 32, 960, 1, 0, 15}));
}

Shape RedChannel(const TensorView& input, std::vector<float>& output) {
  const int height = input.shape[1], width = input.shape[2];
  output.resize(static_cast<size_t>(height) * width);
  for (size_t i = 0; i < output.size(); ++i)
    output[i] = input.as<float>()[i * 3 + 2];  // BGR
  return Shape{1, height, width, 1};
}

TEST(Detector, Input_IsNormalizedBgr) {
  auto page = image::Image::Create(64, 32);
  ASSERT_TRUE(page.ok());
  for (int y = 0; y < 32; ++y) {
    for (int x = 0; x < 64; ++x) {
      page->row(y)[x * 3] = static_cast<uint8_t>(x * 4);
      page->row(y)[x * 3 + 1] = page->row(y)[x * 3 + 2] = 0;
    }
  }
  const DetectorConfig config;
  auto detector =
      Detector::Create(std::make_unique<FakeSession>(RedChannel), config);
  ASSERT_TRUE(detector.ok());
  const auto output = detector->Run(page->view(), nullptr);
  ASSERT_TRUE(output.ok());
  EXPECT_EQ(output->map.width, 64);
  for (int x = 0; x < 64; ++x) {
    const float expected =
        (static_cast<float>(x * 4) / 255.0f - 0.406f) / 0.225f;
    EXPECT_NEAR(output->map.values[x], expected, 1e-5);
  }
}

TEST(Detector, APaddedPage_LiesWhereThePlacementSays) {
  auto page = image::Image::Create(40, 20);
  ASSERT_TRUE(page.ok());
  for (int y = 0; y < 20; ++y) std::fill_n(page->row(y), 120, uint8_t{255});
  auto detector = Detector::Create(std::make_unique<FakeSession>(RedChannel),
                                   DetectorConfig());
  ASSERT_TRUE(detector.ok());
  const auto output = detector->Run(page->view(), nullptr);
  ASSERT_TRUE(output.ok());
  const ProbabilityMap& map = output->map;
  ASSERT_EQ(map.width, 64);
  ASSERT_EQ(map.height, 32);
  EXPECT_EQ(map.placement.offset_x, 12);
  EXPECT_EQ(map.placement.offset_y, 6);
  EXPECT_EQ(map.placement.scale_x, 1);
  for (int y = 0; y < 32; ++y) {
    for (int x = 0; x < 64; ++x) {
      const bool on_page = x >= 12 && x < 52 && y >= 6 && y < 26;
      const float level = on_page ? 255.0f : 114.0f;
      EXPECT_NEAR(map.values[y * 64 + x], (level / 255.0f - 0.406f) / 0.225f,
                  1e-5)
          << x << "," << y;
    }
  }
}

// A network without neighbors sees the same in zones as in the whole.
TEST(Detector, Zones_AreSeenWhereTheyLieAndNothingElse) {
  auto page = image::Image::Create(150, 100);
  ASSERT_TRUE(page.ok());
  for (int y = 0; y < 100; ++y)
    for (int x = 0; x < 3 * 150; ++x)
      page->row(y)[x] = static_cast<uint8_t>(128 + (7 * x + 13 * y) % 128);
  auto detector = Detector::Create(std::make_unique<FakeSession>(RedChannel),
                                   DetectorConfig());
  ASSERT_TRUE(detector.ok());
  const auto whole = detector->Run(page->view(), 960, {}, nullptr);
  ASSERT_TRUE(whole.ok());
  const std::vector<float> expected(whole->map.values.begin(),
                                    whole->map.values.end());
  const std::vector<InputZone> zones = {{0, 0, 64, 32}, {96, 32, 64, 96}};
  const auto parts = detector->Run(page->view(), 960, zones, nullptr);
  ASSERT_TRUE(parts.ok());
  const ProbabilityMap& map = parts->map;
  ASSERT_EQ(map.width, 160);
  ASSERT_EQ(map.height, 128);
  EXPECT_EQ(map.placement.offset_x, whole->map.placement.offset_x);
  EXPECT_EQ(map.placement.offset_y, whole->map.placement.offset_y);
  for (int y = 0; y < 128; ++y) {
    for (int x = 0; x < 160; ++x) {
      const bool is_in = (x < 64 && y < 32) || (x >= 96 && y >= 32);
      EXPECT_EQ(map.values[y * 160 + x], is_in ? expected[y * 160 + x] : 0.0f)
          << x << "," << y;
    }
  }
}

TEST(Detector, AMapOfAnotherSize_IsRefused) {
  auto page = image::Image::Create(64, 32);
  ASSERT_TRUE(page.ok());
  auto detector =
      Detector::Create(std::make_unique<FakeSession>(
                           [](const TensorView&, std::vector<float>& output) {
                             output.assign(16, 0.0f);
                             return Shape{1, 4, 4, 1};
                           }),
                       DetectorConfig());
  ASSERT_TRUE(detector.ok());
  const auto output = detector->Run(page->view(), nullptr);
  ASSERT_FALSE(output.ok());
  EXPECT_NE(output.status().message().find("1x4x4x1"), std::string::npos);
}

}  // namespace
}  // namespace munja::ocr
