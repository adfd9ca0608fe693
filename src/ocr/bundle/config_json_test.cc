#include "bundle/config_json.h"

#include <gtest/gtest.h>

namespace munja::bundle {
namespace {

TEST(ConfigJson, Overrides_ChangeOnlyNamedFields) {
  ocr::Config config;
  ASSERT_TRUE(ApplyOverrides(
                  R"({"detector": {"limit_side": 1280, "threshold": 0.3},
                      "min_confidence": 0.5})",
                  &config)
                  .ok());
  EXPECT_EQ(config.detector.limit_side, 1280);
  EXPECT_EQ(config.detector.threshold, 0.3f);
  EXPECT_EQ(config.min_confidence, 0.5f);
  EXPECT_EQ(config.detector.box_threshold,
            ocr::Config().detector.box_threshold);
}

TEST(ConfigJson, Base_StartsFromANamedConfig) {
  ocr::Config config;
  ASSERT_TRUE(
      ApplyOverrides(R"({"detector": {"unclip_ratio": 2}, "base": "ppocrv5"})",
                     &config)
          .ok());
  EXPECT_EQ(config.name, "ppocrv5");
  EXPECT_EQ(config.detector.box_threshold, 0.6f);
  EXPECT_EQ(config.detector.unclip_ratio, 2.0f);
}

TEST(ConfigJson, MisspelledOverride_IsAnInvalidArgument) {
  ocr::Config config;
  for (const char* text :
       {"{\"detector\": {\"treshold\": 0.3}}", "{\"detector\": 1}", "nonsense",
        "{\"detector\": {\"threshold\": 7}}"}) {
    const Status status = ApplyOverrides(text, &config);
    ASSERT_FALSE(status.ok()) << text;
    EXPECT_EQ(status.code(), Code::kInvalidArgument) << text;
  }
}

TEST(ConfigJson, Without_SwitchesRulesOffByName) {
  ocr::Config config;
  ASSERT_TRUE(ApplyOverrides(R"({"without": "dashes,skew"})", &config).ok());
  for (const ocr::Rules& rules :
       {config.detector.rules, config.recognizer.rules}) {
    EXPECT_FALSE(rules.Has(ocr::Rule::kDashes));
    EXPECT_FALSE(rules.Has(ocr::Rule::kSkew));
    EXPECT_TRUE(rules.Has(ocr::Rule::kQuotes));
  }
  // Written in the order of the table.
  EXPECT_EQ(ConfigToJson(config)["without"], "skew,dashes");
  EXPECT_FALSE(ConfigToJson(ocr::Config()).contains("without"));
  const Status status = ApplyOverrides(R"({"without": "hope"})", &config);
  EXPECT_EQ(status.code(), Code::kInvalidArgument);
}

// Values that a field may take, whatever it means.
std::vector<nlohmann::json> OtherValues(const nlohmann::json& value) {
  if (value.is_boolean()) return {!value.get<bool>()};
  if (value.is_string())
    return {"max", "min", "pad", "stretch", "bgr", "rgb", "keep", "another"};
  const double number = value.get<double>();
  if (value.is_number_integer()) {
    const auto whole = static_cast<int64_t>(number);
    return {2 * whole, whole / 2, whole + 32, whole + 1};
  }
  return {number / 2, 2 * number, number + 0.25, 0.5};
}

// Each field alone gets another value: reading what was written keeps it.
TEST(ConfigJson, EveryField_IsReadAndWritten) {
  const nlohmann::json plain = ConfigToJson(ocr::Config());
  const nlohmann::json fields = plain.flatten();
  for (const auto& [path, value] : fields.items()) {
    bool is_kept = false;
    for (const nlohmann::json& other : OtherValues(value)) {
      if (other == value) continue;
      nlohmann::json changed = plain;
      changed[nlohmann::json::json_pointer(path)] = other;
      ocr::Config config;
      if (!ReadConfig(changed, "", &config).ok()) continue;
      // Both may have been written as the other one.
      const nlohmann::json back = ConfigToJson(config);
      EXPECT_EQ(back, changed) << path;
      is_kept |= back == changed;
    }
    EXPECT_TRUE(is_kept) << path << " takes no other value than " << value;
  }
}

// Bundles of earlier versions load.
TEST(ConfigJson, RemovedSettings_HaveNoEffect) {
  ocr::Config config;
  EXPECT_TRUE(
      ApplyOverrides(R"({"detector": {"part_touching": false}})", &config)
          .ok());
  EXPECT_EQ(ConfigToJson(config), ConfigToJson(ocr::Config()));
}

}  // namespace
}  // namespace munja::bundle
