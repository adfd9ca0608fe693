#include "reading/find/dense_page.h"

#include <gtest/gtest.h>

#include <vector>

namespace munja::ocr {
namespace {

// `count` boxes of 300 x `height` pixels of a page.
std::vector<TextBox> Boxes(size_t count, float height) {
  std::vector<TextBox> boxes(count);
  for (size_t i = 0; i < count; ++i) {
    const float y = 20.0f * static_cast<float>(i);
    boxes[i].quad = {{{0, y}, {300, y}, {300, y + height}, {0, y + height}}};
  }
  return boxes;
}

DetectorConfig WithDense(int limit) {
  DetectorConfig config;  // limit_side 960.
  config.dense_limit_side = limit;
  config.dense_height = 18;
  return config;
}

TEST(DenseLimit, LowLinesOfALargePage_AreBroughtToAGoodHeight) {
  // At 960 of 2,400 pixels a box of 30 is 12 high, at 1,440 it is 18.
  EXPECT_EQ(DenseLimit(Boxes(40, 30), WithDense(1536), 1800, 2400), 1440);
  EXPECT_EQ(DenseLimit(Boxes(40, 30), WithDense(1536), 2400, 1800), 1440);
}

TEST(DenseLimit, Limit_IsNeverAboveTheConfig) {
  EXPECT_EQ(DenseLimit(Boxes(40, 20), WithDense(1536), 1800, 2400), 1536);
}

TEST(DenseLimit, AFewMorePixels_AreNotWorthIt) {
  // At 960 16.5 high, at 1,047 pixels 18.
  EXPECT_FALSE(DenseLimit(Boxes(40, 33), WithDense(1536), 1440, 1920));
}

TEST(DenseLimit, BoxesOfNoHeight_AreNoReasonToAskForMore) {
  EXPECT_EQ(DenseLimit(Boxes(40, 0), WithDense(1536), 1800, 2400), 1536);
}

TEST(DenseLimit, Limit_IsNeverAboveThePage) {
  EXPECT_EQ(DenseLimit(Boxes(40, 15), WithDense(1536), 1000, 1200), 1200);
}

TEST(DenseLimit, Zero_TurnsItOff) {
  EXPECT_FALSE(DenseLimit(Boxes(40, 30), WithDense(0), 1800, 2400));
}

TEST(DenseLimit, FewLowLines_MayBeAllThatIsSeenOfAPage) {
  EXPECT_EQ(DenseLimit(Boxes(3, 30), WithDense(1536), 1800, 2400), 1440);
}

TEST(DenseLimit, SomeNetworks_ReadLowerLines) {
  DetectorConfig config = WithDense(1536);
  config.dense_height = 12;
  EXPECT_FALSE(DenseLimit(Boxes(40, 30), config, 1800, 2400));
  EXPECT_EQ(DenseLimit(Boxes(40, 24), config, 1800, 2400), 1200);
}

TEST(DenseLimit, NoLinesOrHighLines_AreLeftAlone) {
  EXPECT_FALSE(DenseLimit(Boxes(40, 60), WithDense(1536), 1800, 2400));
  EXPECT_FALSE(DenseLimit({}, WithDense(1536), 1800, 2400));
}

TEST(DenseLimit, PageThatWasNotScaledDown_HasNoMorePixels) {
  EXPECT_FALSE(DenseLimit(Boxes(40, 10), WithDense(1536), 800, 960));
}

TEST(DenseLimit, UpscaledPages_AreLeftAlone) {
  DetectorConfig config = WithDense(1536);
  config.limit_type = LimitType::kMin;
  EXPECT_FALSE(DenseLimit(Boxes(40, 30), config, 1800, 2400));
}

TEST(HighResolutionPass, FewBoxes_NeedClearlyMore) {
  std::vector<TextBox> few = Boxes(3, 30), more = Boxes(4, 30);
  for (std::vector<TextBox>* boxes : {&few, &more})
    for (TextBox& box : *boxes) box.score = 0.9f;
  EXPECT_TRUE(HighResolutionCounts(more, few));
  EXPECT_FALSE(HighResolutionCounts(few, few));
  EXPECT_FALSE(HighResolutionCounts(few, more));
  // A page full of lines was meant to be looked at.
  EXPECT_TRUE(HighResolutionCounts(few, Boxes(40, 30)));
}

}  // namespace
}  // namespace munja::ocr
