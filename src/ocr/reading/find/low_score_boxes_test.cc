#include "reading/find/low_score_boxes.h"

#include <gtest/gtest.h>

#include <vector>

namespace munja::ocr {
namespace {

TextBox ScoredBox(float score, float left, float top, float right,
                  float bottom) {
  TextBox box;
  box.quad = {{{left, top}, {right, top}, {right, bottom}, {left, bottom}}};
  box.score = score;
  return box;
}

std::vector<float> Scores(const std::vector<TextBox>& boxes) {
  std::vector<float> scores;
  for (const TextBox& box : boxes) scores.push_back(box.score);
  return scores;
}

TEST(LowScoreBoxes, Boxes_AreTakenByTheirScore) {
  DetectorConfig config;
  config.box_threshold = 0.5f;
  config.faint_threshold = 0.25f;
  std::vector<TextBox> boxes;
  for (const float score : {0.3f, 0.9f, 0.1f, 0.5f, 0.25f, 0.6f})
    boxes.push_back(ScoredBox(score, 0, 0, 100, 20));
  const std::vector<TextBox> low_score = TakeLowScore(config, &boxes);
  EXPECT_EQ(Scores(boxes), (std::vector<float>{0.9f, 0.5f, 0.6f}));
  EXPECT_EQ(Scores(low_score), (std::vector<float>{0.3f, 0.25f}));
  for (const TextBox& box : boxes) EXPECT_FALSE(box.is_low_score);
  for (const TextBox& box : low_score) EXPECT_TRUE(box.is_low_score);
  config.faint_threshold = 1;
  boxes.push_back(ScoredBox(0.3f, 0, 0, 100, 20));
  EXPECT_TRUE(TakeLowScore(config, &boxes).empty());
  EXPECT_EQ(boxes.size(), 3u);
}

TEST(LowScoreBoxes, ThoseOverOthers_AreParts) {
  std::vector<TextBox> boxes = {ScoredBox(0.9f, 100, 100, 300, 120)};
  AddLowScore({ScoredBox(0.3f, 100, 105, 200, 118),   // Within the line.
               ScoredBox(0.31f, 100, 124, 300, 144),  // Below it.
               ScoredBox(0.32f, 280, 100, 400, 120),  // Goes on behind it.
               ScoredBox(0.33f, 100, 112, 300, 132)},
              &boxes);
  EXPECT_EQ(Scores(boxes), (std::vector<float>{0.9f, 0.31f, 0.32f, 0.33f}));
  // Over the ink, where the box is fit to that: the last ones stand apart.
  TextBox fit = ScoredBox(0.34f, 100, 90, 300, 160);
  fit.outline = ScoredBox(0, 100, 146, 300, 160).quad;
  AddLowScore({fit}, &boxes);
  EXPECT_EQ(boxes.size(), 5u);
}

}  // namespace
}  // namespace munja::ocr
