#include "train/nets/network_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace munja::train {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(NetworkConfig, AbsentSection_GivesTheDefaults) {
  EXPECT_TRUE(RecognizerConfig::FromRecipe(json()).ok());
  EXPECT_TRUE(DetectorConfig::FromRecipe(json()).ok());
}

TEST(NetworkConfig, Members_ReplaceDefaults) {
  const auto config = RecognizerConfig::FromRecipe(json::parse(
      R"({"channels": [8, 16, 24, 32], "activation": "hard_swish"})"));
  ASSERT_TRUE(config.ok()) << config.status().message();
  EXPECT_THAT(config->channels, ElementsAre(8, 16, 24, 32));
  EXPECT_EQ(config->activation, Activation::kHardSwish);
  EXPECT_EQ(config->context_blocks, RecognizerConfig().context_blocks);
}

TEST(NetworkConfig, WrittenConfig_ReadsBack) {
  RecognizerConfig recognizer;
  recognizer.height = 48;
  recognizer.blocks = {2, 1, 1};
  recognizer.dropout = 0.25f;
  recognizer.bottleneck = 64;
  const auto r = RecognizerConfig::FromRecipe(recognizer.ToJson());
  ASSERT_TRUE(r.ok()) << r.status().message();
  EXPECT_EQ(r->ToJson(), recognizer.ToJson());
  DetectorConfig detector;
  detector.context_kernel = 0;
  detector.pyramid_channels = 24;
  const auto d = DetectorConfig::FromRecipe(detector.ToJson());
  ASSERT_TRUE(d.ok()) << d.status().message();
  EXPECT_EQ(d->ToJson(), detector.ToJson());
}

TEST(NetworkConfig, UnknownMember_IsRefusedByName) {
  const struct {
    const char *text, *named;
  } kCases[] = {
      {R"({"chanels": [8, 16, 24, 32]})", "recognizer.network.chanels"},
      {R"({"channels": [8, 16, 24]})", "recognizer.network.channels"},
      {R"({"channels": [8, 16, 24, 0]})", "recognizer.network.channels"},
      {R"({"channels": [8, 16, 24, 1e9]})", "recognizer.network.channels"},
      {R"({"height": 40})", "recognizer.network.height"},
      {R"({"context_kernel": 8})", "recognizer.network.context_kernel"},
      {R"({"bottleneck": -1})", "recognizer.network.bottleneck"},
      {R"({"dropout": 1.0})", "recognizer.network.dropout"},
      {R"({"activation": "gelu"})", "recognizer.network.activation"},
      {R"([])", "recognizer.network"},
  };
  for (const auto& c : kCases) {
    const auto config = RecognizerConfig::FromRecipe(json::parse(c.text));
    ASSERT_FALSE(config.ok()) << c.text;
    EXPECT_EQ(config.status().code(), Code::kMalformed) << c.text;
    EXPECT_THAT(config.status().message(), HasSubstr(c.named));
  }
}

}  // namespace
}  // namespace munja::train
