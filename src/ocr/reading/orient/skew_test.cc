#include "reading/orient/skew.h"

#include <gtest/gtest.h>

#include <vector>

#include "reading/orient/testing.h"

namespace munja::ocr {
namespace {

TEST(Skew, Angle_IsThatOfMostOfTheText) {
  const RecognizerConfig config;
  for (const float degrees : {-44.0f, -20.0f, -3.0f, 3.0f, 12.0f, 40.0f}) {
    std::vector<TextBox> lying, on_end;
    for (int i = 0; i < 6; ++i) {
      const float angle = degrees + 0.2f * static_cast<float>(i - 2);
      lying.push_back(Lying(50, 100 + 40.0f * i, 300, 20, angle));
      on_end.push_back(Standing(100 + 40.0f * i, 50, 300, 20, angle));
    }
    lying.push_back(Lying(0, 0, 200, 20));  // Another way.
    EXPECT_NEAR(Skew(lying, config), degrees * kDegree, 0.4f * kDegree);
    EXPECT_NEAR(Skew(on_end, config), degrees * kDegree, 0.4f * kDegree);
  }
}

TEST(Skew, LittleSkewOrMixedLines_GiveNone) {
  const RecognizerConfig config;
  const auto skew = [&](std::vector<float> angles, float length) {
    std::vector<TextBox> boxes;
    for (const float angle : angles)
      boxes.push_back(Lying(50, 50, length, 20, angle));
    return Skew(boxes, config);
  };
  EXPECT_EQ(skew({}, 300), 0);
  EXPECT_EQ(skew({1.5f, 1.5f, 1.5f}, 300), 0);
  EXPECT_NE(skew({2.5f, 2.5f, 2.5f, 2.5f, 2.5f, 2.5f}, 300), 0);
  EXPECT_NE(skew({2.5f, 2.5f, 2.5f}, 300), 0);
  EXPECT_EQ(skew({7, 7}, 300), 0);
  EXPECT_EQ(skew({7, 7, 7}, 60), 0);  // Too short to tell.
  EXPECT_EQ(skew({-8, -4, 3, 6, 9}, 300), 0);
  // Boxes are rougher where lines run far from the sides of the image.
  EXPECT_EQ(skew({4, 7, 10}, 300), 0);
  EXPECT_NEAR(skew({27, 30, 33}, 300), 30 * kDegree, kDegree);
}

// Half way between lying and on end the same direction has two names.
TEST(Skew, LinesOnBothSidesOfAnEighthTurn_HaveOneAngle) {
  const RecognizerConfig config;
  const float both[] = {43, -43, 44,
                        -44};  // Negative ones are rotated by 90 degrees.
  std::vector<TextBox> boxes;
  for (const float angle : both)
    boxes.push_back(angle > 0 ? Lying(50, 50, 300, 20, angle)
                              : Standing(300, 50, 300, 20, angle));
  EXPECT_NEAR(Skew(boxes, config), 45 * kDegree, 1.5f * kDegree);
}

// Pieces of lines: three heights long, half of them with low scores.
std::vector<TextBox> Pieces(const std::vector<float>& angles, float length) {
  std::vector<TextBox> boxes;
  for (const float angle : angles) {
    boxes.push_back(Lying(50, 50, length, 20, angle));
    boxes.back().is_low_score = boxes.size() % 2 == 0;
  }
  return boxes;
}

TEST(ApproximateSkew, PiecesOfLines_ShowIt) {
  const RecognizerConfig config;
  const std::vector<TextBox> boxes = Pieces({33, 40, 36, 44, 39, 40}, 60);
  EXPECT_EQ(Skew(boxes, config), 0);
  EXPECT_NEAR(ApproximateSkew(boxes), 39 * kDegree, 2 * kDegree);
}

TEST(ApproximateSkew, ChanceOrLittleSkew_GivesNone) {
  EXPECT_EQ(ApproximateSkew({}), 0);
  EXPECT_EQ(ApproximateSkew(Pieces({40, 41}, 60)), 0);
  EXPECT_EQ(ApproximateSkew(Pieces({-40, -20, 0, 20, 40, 10, -30}, 60)), 0);
  EXPECT_EQ(ApproximateSkew(Pieces({6, 8, 7, 9, 5, 7}, 60)), 0);
  // Nearly squares run no way.
  EXPECT_EQ(ApproximateSkew(Pieces({40, 41, 39, 40, 40, 41}, 30)), 0);
}

}  // namespace
}  // namespace munja::ocr
