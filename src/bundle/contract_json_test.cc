#include "bundle/contract_json.h"

#include <gtest/gtest.h>

namespace munja::bundle {
namespace {

TEST(ContractJson, OverridesChangeOnlyWhatTheyName) {
  ocr::Contract contract;
  ASSERT_TRUE(ApplyOverrides(
                  R"({"detector": {"limit_side": 1280, "threshold": 0.3},
                      "min_confidence": 0.5})",
                  &contract)
                  .ok());
  EXPECT_EQ(contract.detector.limit_side, 1280);
  EXPECT_EQ(contract.detector.threshold, 0.3f);
  EXPECT_EQ(contract.min_confidence, 0.5f);
  EXPECT_EQ(contract.detector.box_threshold,
            ocr::Contract().detector.box_threshold);
}

TEST(ContractJson, BaseTakesANamedContractFirst) {
  ocr::Contract contract;
  ASSERT_TRUE(
      ApplyOverrides(R"({"detector": {"unclip_ratio": 2}, "base": "ppocrv5"})",
                     &contract)
          .ok());
  EXPECT_EQ(contract.name, "ppocrv5");
  EXPECT_EQ(contract.detector.box_threshold, 0.6f);
  EXPECT_EQ(contract.detector.unclip_ratio, 2.0f);
}

TEST(ContractJson, AMisspelledOverrideIsTheCallersFault) {
  ocr::Contract contract;
  for (const char* text :
       {"{\"detector\": {\"treshold\": 0.3}}", "{\"detector\": 1}", "nonsense",
        "{\"detector\": {\"threshold\": 7}}"}) {
    const Status status = ApplyOverrides(text, &contract);
    ASSERT_FALSE(status.ok()) << text;
    EXPECT_EQ(status.code(), Code::kInvalidArgument) << text;
  }
}

}  // namespace
}  // namespace munja::bundle
