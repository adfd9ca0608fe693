#include "reading/find/low_score_boxes.h"

#include <gtest/gtest.h>

#include <string>
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

TEST(FaintBoxes, AreTakenFromTheOthersByTheirScore) {
  DetectorContract contract;
  contract.box_threshold = 0.5f;
  contract.faint_threshold = 0.25f;
  std::vector<TextBox> boxes;
  for (const float score : {0.3f, 0.9f, 0.1f, 0.5f, 0.25f, 0.6f})
    boxes.push_back(ScoredBox(score, 0, 0, 100, 20));
  const std::vector<TextBox> faint = TakeFaint(contract, &boxes);
  EXPECT_EQ(Scores(boxes), (std::vector<float>{0.9f, 0.5f, 0.6f}));
  EXPECT_EQ(Scores(faint), (std::vector<float>{0.3f, 0.25f}));
  for (const TextBox& box : boxes) EXPECT_FALSE(box.is_faint);
  for (const TextBox& box : faint) EXPECT_TRUE(box.is_faint);
  contract.faint_threshold = 1;
  boxes.push_back(ScoredBox(0.3f, 0, 0, 100, 20));
  EXPECT_TRUE(TakeFaint(contract, &boxes).empty());
  EXPECT_EQ(boxes.size(), 3u);
}

TEST(FaintBoxes, ThoseOverOthersAreParts) {
  std::vector<TextBox> boxes = {ScoredBox(0.9f, 100, 100, 300, 120)};
  AddFaint({ScoredBox(0.3f, 100, 105, 200, 118),   // Within the line.
            ScoredBox(0.31f, 100, 124, 300, 144),  // Below it.
            ScoredBox(0.32f, 280, 100, 400, 120),  // Goes on behind it.
            ScoredBox(0.33f, 100, 112, 300, 132)},
           &boxes);
  EXPECT_EQ(Scores(boxes), (std::vector<float>{0.9f, 0.31f, 0.32f, 0.33f}));
  // Over the ink, where the box is fit to that: the last ones stand apart.
  TextBox fit = ScoredBox(0.34f, 100, 90, 300, 160);
  fit.outline = ScoredBox(0, 100, 146, 300, 160).quad;
  AddFaint({fit}, &boxes);
  EXPECT_EQ(boxes.size(), 5u);
}

TEST(FaintBoxes, AreLinesWhenTextIsReadInThem) {
  Contract contract;
  contract.recognizer.faint_confidence = 0.8f;
  struct Case {
    const char* text;
    float confidence;
    bool is_faint, is_line;
  };
  const std::vector<Case> cases = {
      {"constituent elements", 0.8f, true, true},
      {"constituent elements", 0.79f, true, false},
      {"1,240.50", 0.95f, true, true},
      {"가나다라", 0.95f, true, true},
      {"l i1", 0.99f, true, false},         // Three.
      {"--- *** ---", 0.99f, true, false},  // None.
      {"", 0, true, false},
      {"l", 0.1f, false, true},
      {"", 0, false, true},  // Not for this function to say.
  };
  std::vector<TextBox> boxes;
  std::vector<Reading> readings;
  std::vector<std::string> expected;
  for (const Case& c : cases) {
    boxes.push_back(ScoredBox(static_cast<float>(boxes.size()), 0, 0, 9, 9));
    boxes.back().is_faint = c.is_faint;
    readings.emplace_back().text.text = c.text;
    readings.back().text.confidence = c.confidence;
    if (c.is_line) expected.emplace_back(c.text);
  }
  KeepWhatReads(contract, &boxes, &readings);
  std::vector<std::string> texts;
  for (const Reading& reading : readings) texts.push_back(reading.text.text);
  EXPECT_EQ(texts, expected);
  EXPECT_EQ(Scores(boxes), (std::vector<float>{0, 2, 3, 7, 8}));
}

}  // namespace
}  // namespace munja::ocr
