#include "reading/network/config.h"

#include <gtest/gtest.h>

#include <cmath>

namespace munja::ocr {
namespace {

TEST(Contract, NamedOnesAreValid) {
  for (const char* name : {"ppocrv6", "ppocrv5"}) {
    const auto contract = NamedContract(name);
    ASSERT_TRUE(contract.ok()) << name;
    EXPECT_EQ(contract->name, name);
    EXPECT_TRUE(Validate(*contract).ok()) << name;
  }
  EXPECT_EQ(NamedContract("x").status().code(), Code::kNotFound);
  EXPECT_NE(NamedContract("x").status().message().find("ppocrv5"),
            std::string::npos);
}

TEST(Contract, AFieldOutOfRangeIsNamed) {
  struct Case {
    const char* field;
    void (*spoil)(Contract&);
  };
  const Case cases[] = {
      {"detector.threshold", [](Contract& c) { c.detector.threshold = 1.5f; }},
      {"detector.threshold",
       [](Contract& c) { c.detector.threshold = std::nanf(""); }},
      {"detector.limit_side", [](Contract& c) { c.detector.limit_side = 0; }},
      {"detector.dense_limit_side",
       [](Contract& c) { c.detector.dense_limit_side = -1; }},
      {"detector.dense_height",
       [](Contract& c) { c.detector.dense_height = 0; }},
      {"detector.deviation",
       [](Contract& c) { c.detector.normalization.deviation[1] = 0; }},
      {"recognizer.max_width",
       [](Contract& c) { c.recognizer.max_width = 100; }},
      {"min_confidence", [](Contract& c) { c.min_confidence = -1; }},
      // Settings with which a page would take minutes.
      {"detector.limit_side",
       [](Contract& c) { c.detector.limit_side = 9600; }},
      {"detector.dense_limit_side",
       [](Contract& c) { c.detector.dense_limit_side = 9048; }},
      {"detector.max_side", [](Contract& c) { c.detector.max_side = 9000; }},
      {"detector.unclip_ratio",
       [](Contract& c) { c.detector.unclip_ratio = 9.4f; }},
      {"detector.max_candidates",
       [](Contract& c) { c.detector.max_candidates = 30000; }},
      {"detector.mean",
       [](Contract& c) { c.detector.normalization.mean[0] = 9.5f; }},
      {"recognizer.mean",
       [](Contract& c) { c.recognizer.normalization.mean[2] = -9.5f; }},
      {"recognizer.height", [](Contract& c) { c.recognizer.height = 192; }},
      {"recognizer.min_width",
       [](Contract& c) { c.recognizer.min_width = 2048; }},
      {"classifier.width", [](Contract& c) { c.classifier.width = 1600; }},
  };
  for (const Case& test : cases) {
    Contract contract;
    test.spoil(contract);
    const Status status = Validate(contract);
    EXPECT_EQ(status.code(), Code::kInvalidArgument) << test.field;
    EXPECT_NE(status.message().find(test.field), std::string_view::npos)
        << status.message();
  }
}

}  // namespace
}  // namespace munja::ocr
