#include "pruning_study/yolo_boxes.h"

#include <gtest/gtest.h>

#include <vector>

namespace munja::train {
namespace {

DetectedObject Found(ObjectBox box, float score) { return {box, score, 0}; }

TEST(YoloBoxes, Decode_CenterAndSize) {
  // 1 x 2 positions of one kind; the second anchor of the second position.
  constexpr int kFields = 6;
  std::vector<float> values(2 * kYoloAnchors * kFields, 0.0f);
  float* p = &values[(kYoloAnchors + 1) * kFields];
  p[0] = 0.5f;   // In the middle of its cell.
  p[1] = 0.75f;  // A quarter of a cell below... by (2 * 0.75 - 0.5) = 1.
  p[2] = 0.5f;   // As wide as the anchor,
  p[3] = 1.0f;   // four times as high.
  p[4] = 0.8f;
  p[5] = 0.9f;
  std::vector<DetectedObject> objects;
  DecodeLevel(/*level=*/1, values, 1, 2, 1, 640, 0.5f, &objects);
  ASSERT_EQ(objects.size(), 1u);
  const ObjectBox& box = objects[0].box;
  EXPECT_FLOAT_EQ(objects[0].score, 0.8f);
  EXPECT_FLOAT_EQ((box.left + box.right) / 2, 1.5f * 16);
  EXPECT_FLOAT_EQ((box.top + box.bottom) / 2, 1.0f * 16);
  EXPECT_FLOAT_EQ(box.width(), 66);
  EXPECT_FLOAT_EQ(box.height(), 4 * 26);
}

TEST(YoloBoxes, Classes_MultiplyTheScore) {
  std::vector<float> values(kYoloAnchors * 7, 0.0f);
  values[4] = 0.5f;
  values[5] = 0.2f;
  values[6] = 0.8f;
  std::vector<DetectedObject> objects;
  DecodeLevel(0, values, 1, 1, 2, 640, 0.3f, &objects);
  ASSERT_EQ(objects.size(), 1u);
  EXPECT_EQ(objects[0].kind, 1);
  EXPECT_FLOAT_EQ(objects[0].score, 0.4f);
}

TEST(YoloBoxes, Anchors_ShrinkWithTheImage) {
  EXPECT_FLOAT_EQ(AnchorSize(2, 2, 640)[0], 308);
  EXPECT_FLOAT_EQ(AnchorSize(2, 2, 160)[1], 147.0f / 4);
}

TEST(YoloBoxes, OverlappingBoxes_LeaveTheBest) {
  const auto kept = SuppressOverlaps({Found({0, 0, 10, 10}, 0.5f),
                                      Found({1, 0, 11, 10}, 0.9f),
                                      Found({20, 0, 30, 10}, 0.1f),
                                      {{1, 0, 11, 10}, 0.4f, /*kind=*/1}},
                                     0.5f);
  ASSERT_EQ(kept.size(), 3u);
  EXPECT_FLOAT_EQ(kept[0].score, 0.9f);
  EXPECT_FLOAT_EQ(kept[1].score, 0.4f);
  EXPECT_FLOAT_EQ(kept[2].score, 0.1f);
}

// Counted by hand: right, wrong, right of three true boxes.
TEST(YoloBoxes, AveragePrecision_ByHand) {
  const ObjectBox one = {0, 0, 10, 10}, two = {20, 0, 30, 10};
  const ObjectBox three = {40, 0, 50, 10}, nowhere = {70, 0, 80, 10};
  const std::vector<ObjectResult> results = {
      {{Found(one, 0.9f), Found(nowhere, 0.8f)}, {one, two}},
      {{Found(three, 0.7f)}, {three}}};
  EXPECT_DOUBLE_EQ(AveragePrecision(results, 0.5f), (1 + 2.0 / 3) / 3);
}

TEST(YoloBoxes, TrueBox_IsFoundOnce) {
  const ObjectBox one = {0, 0, 10, 10};
  const std::vector<ObjectResult> results = {
      {{Found(one, 0.9f), Found(one, 0.8f)}, {one}}};
  EXPECT_DOUBLE_EQ(AveragePrecision(results, 0.5f), 1);
  EXPECT_DOUBLE_EQ(AveragePrecision({}, 0.5f), 0);
}

}  // namespace
}  // namespace munja::train
