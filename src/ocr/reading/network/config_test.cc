#include "reading/network/config.h"

#include <gtest/gtest.h>

#include <cmath>

namespace munja::ocr {
namespace {

TEST(Config, NamedOnes_AreValid) {
  for (const char* name : {"ppocrv6", "ppocrv5"}) {
    const auto config = NamedConfig(name);
    ASSERT_TRUE(config.ok()) << name;
    EXPECT_EQ(config->name, name);
    EXPECT_TRUE(Validate(*config).ok()) << name;
  }
  EXPECT_EQ(NamedConfig("x").status().code(), Code::kNotFound);
  EXPECT_NE(NamedConfig("x").status().message().find("ppocrv5"),
            std::string::npos);
}

TEST(Config, AFieldOutOfRange_IsNamed) {
  struct Case {
    const char* field;
    void (*spoil)(Config&);
  };
  const Case cases[] = {
      {"detector.threshold", [](Config& c) { c.detector.threshold = 1.5f; }},
      {"detector.threshold",
       [](Config& c) { c.detector.threshold = std::nanf(""); }},
      {"detector.limit_side", [](Config& c) { c.detector.limit_side = 0; }},
      {"detector.dense_limit_side",
       [](Config& c) { c.detector.dense_limit_side = -1; }},
      {"detector.dense_height", [](Config& c) { c.detector.dense_height = 0; }},
      {"detector.deviation",
       [](Config& c) { c.detector.normalization.deviation[1] = 0; }},
      {"recognizer.max_width", [](Config& c) { c.recognizer.max_width = 100; }},
      {"min_confidence", [](Config& c) { c.min_confidence = -1; }},
      // Settings with which a page would take minutes.
      {"detector.limit_side", [](Config& c) { c.detector.limit_side = 9600; }},
      {"detector.dense_limit_side",
       [](Config& c) { c.detector.dense_limit_side = 9048; }},
      {"detector.max_side", [](Config& c) { c.detector.max_side = 9000; }},
      {"detector.unclip_ratio",
       [](Config& c) { c.detector.unclip_ratio = 9.4f; }},
      {"detector.max_candidates",
       [](Config& c) { c.detector.max_candidates = 30000; }},
      {"detector.mean",
       [](Config& c) { c.detector.normalization.mean[0] = 9.5f; }},
      {"recognizer.mean",
       [](Config& c) { c.recognizer.normalization.mean[2] = -9.5f; }},
      {"recognizer.height", [](Config& c) { c.recognizer.height = 192; }},
      {"recognizer.min_width",
       [](Config& c) { c.recognizer.min_width = 2048; }},
      {"classifier.width", [](Config& c) { c.classifier.width = 1600; }},
  };
  for (const Case& test : cases) {
    Config config;
    test.spoil(config);
    const Status status = Validate(config);
    EXPECT_EQ(status.code(), Code::kInvalidArgument) << test.field;
    EXPECT_NE(status.message().find(test.field), std::string_view::npos)
        << status.message();
  }
}

}  // namespace
}  // namespace munja::ocr
