#include "ocr/detector.h"

#include <gtest/gtest.h>

#include "ocr/testing.h"

namespace munja::ocr {
namespace {

// PaddleOCR's rule: scale the longer side to the limit, then round each side
// to the nearest multiple of 32, never below 32.
TEST(DetectorInputSize, FollowsTheLimitRule) {
  DetectorContract contract;
  EXPECT_EQ(DetectorInputSize(640, 480, contract), (InputSize{640, 480}));
  EXPECT_EQ(DetectorInputSize(1920, 2560, contract), (InputSize{704, 960}));
  EXPECT_EQ(DetectorInputSize(1, 1, contract), (InputSize{32, 32}));
  EXPECT_EQ(DetectorInputSize(30000, 20, contract), (InputSize{960, 32}));
  EXPECT_EQ(DetectorInputSize(655, 655, contract), (InputSize{640, 640}));
  contract.limit_type = LimitType::kMin;
  contract.limit_side = 736;
  EXPECT_EQ(DetectorInputSize(368, 736, contract), (InputSize{736, 1472}));
  EXPECT_EQ(DetectorInputSize(10, 30000, contract), (InputSize{32, 4000}));
}

Shape RedChannel(const TensorView& input, std::vector<float>& output) {
  const int height = input.shape[1], width = input.shape[2];
  output.resize(static_cast<size_t>(height) * width);
  for (size_t i = 0; i < output.size(); ++i)
    output[i] = input.as<float>()[i * 3 + 2];  // BGR
  return Shape{1, height, width, 1};
}

TEST(Detector, GivesTheNetworkNormalizedBgr) {
  auto page = image::Image::Create(64, 32);
  ASSERT_TRUE(page.ok());
  for (int y = 0; y < 32; ++y) {
    for (int x = 0; x < 64; ++x) {
      page->row(y)[x * 3] = static_cast<uint8_t>(x * 4);
      page->row(y)[x * 3 + 1] = page->row(y)[x * 3 + 2] = 0;
    }
  }
  const DetectorContract contract;
  auto detector =
      Detector::Create(std::make_unique<FakeSession>(RedChannel), contract);
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

TEST(Detector, AMapOfAnotherSizeIsRefused) {
  auto page = image::Image::Create(64, 32);
  ASSERT_TRUE(page.ok());
  auto detector =
      Detector::Create(std::make_unique<FakeSession>(
                           [](const TensorView&, std::vector<float>& output) {
                             output.assign(16, 0.0f);
                             return Shape{1, 4, 4, 1};
                           }),
                       DetectorContract());
  ASSERT_TRUE(detector.ok());
  const auto output = detector->Run(page->view(), nullptr);
  ASSERT_FALSE(output.ok());
  EXPECT_NE(output.status().message().find("1x4x4x1"), std::string::npos);
}

}  // namespace
}  // namespace munja::ocr
