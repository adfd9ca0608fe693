#include "document/evaluation_json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace munja::document {
namespace {

// One crop with one letter of four wrong; no pictures.
TEST(EvaluationJson, Crops_HaveNoFiguresOfPictures) {
  LabeledImage label;
  label.is_crop = true;
  label.text = "abcd";
  Score score;
  score.AddCrop(label, "abxd");
  EXPECT_EQ(nlohmann::json::parse(ToJson(score, 2)),
            (nlohmann::json{{"images", 1},
                            {"missing_results", 2},
                            {"accuracy", 0.0},
                            {"accuracy_relaxed", 0.0},
                            {"cer", 0.25},
                            {"characters", 4}}));
}

// One line of four letters that is read right, one that is not read.
TEST(EvaluationJson, Pictures_HaveNoFiguresOfCrops) {
  LabeledImage label;
  label.lines = {
      {.text = "abcd", .polygon = {{0, 0}, {9, 0}, {9, 5}, {0, 5}}},
      {.text = "gone", .polygon = {{0, 20}, {9, 20}, {9, 25}, {0, 25}}}};
  Line line;
  line.text = "abcd";
  line.confidence = 1;
  line.polygon = {{{0, 0}, {9, 0}, {9, 5}, {0, 5}}};
  Document read;
  read.lines = {line};
  Score score;
  score.AddPicture(label, read);
  const auto json = nlohmann::json::parse(ToJson(score, 0));
  for (const char* name : {"accuracy", "accuracy_relaxed", "cer", "characters"})
    EXPECT_FALSE(json.contains(name)) << name;
  EXPECT_EQ(json["lines"], 2);
  EXPECT_EQ(json["boxes"], 1);
  EXPECT_EQ(json["det_precision"], 1.0);
  EXPECT_EQ(json["det_recall"], 0.5);
  EXPECT_EQ(json["line_recall"], 0.5);
  EXPECT_EQ(json["confidence_error"], 0.0);
}

}  // namespace
}  // namespace munja::document
