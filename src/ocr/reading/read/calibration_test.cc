#include "reading/read/calibration.h"

#include <gtest/gtest.h>

namespace munja::ocr {
namespace {

TEST(Calibration, WithoutParameters_NothingChanges) {
  for (const float p : {0.0f, 1e-9f, 0.3f, 0.999999f, 1.0f})
    EXPECT_EQ(CalibratedConfidence(RecognizerConfig(), p), p);
}

TEST(Calibration, Function_IsLogisticInTheLogit) {
  RecognizerConfig config;
  config.confidence_offset = -1;
  // logit(0.9) is log 9: 9 / e to one.
  EXPECT_NEAR(CalibratedConfidence(config, 0.9f), 0.768036, 1e-5);
  config.confidence_offset = 0;
  config.confidence_slope = 2;
  EXPECT_NEAR(CalibratedConfidence(config, 0.9f), 81.0 / 82, 1e-6);
  EXPECT_NEAR(CalibratedConfidence(config, 0.5f), 0.5, 1e-6);
}

TEST(Calibration, Function_RisesWithTheProbabilityWithinZeroAndOne) {
  RecognizerConfig config;
  config.confidence_slope = 1.7f;
  config.confidence_offset = -3;
  float last = 0;
  for (int i = 0; i <= 1000; ++i) {
    const float p = CalibratedConfidence(config, static_cast<float>(i) / 1000);
    EXPECT_GE(p, last);
    EXPECT_LE(p, 1.0f);
    last = p;
  }
  EXPECT_GT(last, 0.99f);
}

}  // namespace
}  // namespace munja::ocr
