#include "pruning_study/yolo_layers.h"

#include <gtest/gtest.h>

#include <string>

namespace munja::train {
namespace {

int64_t CountAt(double level) {
  return CountParameters(*PrunedByLevel(YoloTiny(/*classes=*/1), level));
}

// Published with one digit behind the point, cut off: 6 M, 1.5 M, 956.1 K,
// 535.4 K, 238.3 K, 58.6 K. The exact numbers were computed apart from this
// code.
TEST(YoloLayers, CountsOfOneClass_AreThePublishedOnes) {
  EXPECT_EQ(CountAt(0), 6007596);
  EXPECT_EQ(CountAt(0.5), 1508300);
  EXPECT_EQ(CountAt(0.6), 956155);
  EXPECT_EQ(CountAt(0.7), 535445);
  EXPECT_EQ(CountAt(0.8), 238323);
  EXPECT_EQ(CountAt(0.9), 58653);
}

// Published for 80 classes, batch normalization apart: 6.2 M.
TEST(YoloLayers, CountOfEightyClasses_IsThePublishedOne) {
  const int64_t count = CountParameters(YoloTiny(80));
  EXPECT_GT(count, 6'150'000);
  EXPECT_LT(count, 6'250'000);
}

TEST(YoloLayers, Heads_ReadTheThreeStrides) {
  const YoloLayers network = YoloTiny(1);
  ASSERT_EQ(network.layers.size(), 77u);  // The published list, without output.
  const std::vector<int> channels = network.Channels();
  EXPECT_EQ(network.heads, (std::array<int, 3>{74, 75, 76}));
  EXPECT_EQ(channels[74], 128);
  EXPECT_EQ(channels[75], 256);
  EXPECT_EQ(channels[76], 512);
  EXPECT_EQ(network.outputs(), 18);
}

TEST(YoloLayers, LevelThatLeavesNothing_NamesTheLayer) {
  const auto pruned = PrunedByLevel(YoloTiny(1), 1);
  ASSERT_EQ(pruned.status().code(), Code::kInvalidArgument);
  EXPECT_NE(pruned.status().message().find("'layer0'"), std::string_view::npos);
}

TEST(YoloLayers, Filters_AreReadAndSetInOrder) {
  YoloLayers network = YoloTiny(1, 0.25);
  const auto pruned = PrunedByLevel(network, 0.5);
  ASSERT_TRUE(pruned.ok());
  ASSERT_TRUE(network.SetFilters(pruned->Filters()).ok());
  EXPECT_EQ(network.Channels(), pruned->Channels());
  EXPECT_FALSE(network.SetFilters({1, 2}).ok());
}

}  // namespace
}  // namespace munja::train
