#include "reading/find/join_pieces.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

namespace munja::ocr {
namespace {

using geometry::Point;
using geometry::Quad;

constexpr float kGap = 0.5f;

TextBox BoxAt(float left, float top, float right, float bottom) {
  TextBox box;
  box.quad = {{{left, top}, {right, top}, {right, bottom}, {left, bottom}}};
  box.score = 0.8f;
  return box;
}

// Turned around the origin, as MinAreaRect's corners would lie.
Quad QuadTurned(Quad quad, double degrees) {
  const double angle = degrees * std::numbers::pi / 180;
  const double c = std::cos(angle), s = std::sin(angle);
  for (Point& p : quad) {
    p = {static_cast<float>(c * p.x - s * p.y),
         static_cast<float>(s * p.x + c * p.y)};
  }
  return quad;
}

void ExpectQuad(const Quad& quad, const Quad& expected) {
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(quad[i].x, expected[i].x, 1e-2);
    EXPECT_NEAR(quad[i].y, expected[i].y, 1e-2);
  }
}

size_t CountJoined(std::vector<TextBox> boxes) {
  JoinPieces(kGap, &boxes);
  return boxes.size();
}

TEST(JoinPieces, TwoHalvesOfALine_BecomeOne) {
  std::vector<TextBox> boxes = {BoxAt(100, 100, 180, 120),
                                BoxAt(186, 102, 300, 121)};
  boxes[0].score = 0.5f;
  JoinPieces(kGap, &boxes);
  ASSERT_EQ(boxes.size(), 1u);
  ExpectQuad(boxes[0].quad, BoxAt(100, 100, 300, 121).quad);
  EXPECT_FALSE(boxes[0].outline);
  // By their lengths: (80 * 0.5 + 114 * 0.8) / 194.
  EXPECT_NEAR(boxes[0].score, 131.2 / 194, 1e-5);
}

TEST(JoinPieces, ManyPieces_BecomeOneInAnyOrder) {
  // Words of a letter-spaced line, a third of the height apart.
  for (const int first : {0, 3, 7}) {
    std::vector<TextBox> boxes;
    for (int i = 0; i < 8; ++i) {
      const float x = 50.0f + 70.0f * static_cast<float>((first + 3 * i) % 8);
      boxes.push_back(BoxAt(x, 200, x + 62, 224));
    }
    JoinPieces(kGap, &boxes);
    ASSERT_EQ(boxes.size(), 1u);
    ExpectQuad(boxes[0].quad, BoxAt(50, 200, 602, 224).quad);
  }
}

TEST(JoinPieces, Outlines_AreJoinedBesideTheCuts) {
  std::vector<TextBox> boxes = {BoxAt(100, 100, 180, 120),
                                BoxAt(182, 100, 300, 120)};
  boxes[0].outline = BoxAt(104, 104, 176, 116).quad;
  boxes[1].outline = BoxAt(180, 103, 296, 116).quad;
  JoinPieces(kGap, &boxes);
  ASSERT_EQ(boxes.size(), 1u);
  ExpectQuad(boxes[0].quad, BoxAt(100, 100, 300, 120).quad);
  ASSERT_TRUE(boxes[0].outline);
  ExpectQuad(*boxes[0].outline, BoxAt(104, 103, 296, 116).quad);
}

TEST(JoinPieces, WideGaps_StayApart) {
  // A height between them: an amount, another column.
  EXPECT_EQ(CountJoined({BoxAt(100, 100, 180, 120), BoxAt(200, 100, 300, 120)}),
            2u);
}

TEST(JoinPieces, LinesAboveEachOther_StayApart) {
  // Even where their boxes overlap by a third.
  EXPECT_EQ(CountJoined({BoxAt(100, 100, 300, 120), BoxAt(100, 113, 300, 133)}),
            2u);
  EXPECT_EQ(CountJoined({BoxAt(100, 100, 180, 120), BoxAt(182, 112, 300, 132)}),
            2u);
}

TEST(JoinPieces, AHeadingAndItsSmallPrint_StayApart) {
  EXPECT_EQ(CountJoined({BoxAt(100, 80, 300, 130), BoxAt(306, 95, 400, 115)}),
            2u);
}

TEST(JoinPieces, SkewedAndUprightLines_AreJoinedAlongTheirAngle) {
  for (const double degrees : {-8.0, 3.0, 30.0, 90.0}) {
    std::vector<TextBox> boxes = {BoxAt(400, 300, 520, 320),
                                  BoxAt(526, 300, 700, 320)};
    for (TextBox& box : boxes) box.quad = QuadTurned(box.quad, degrees);
    JoinPieces(kGap, &boxes);
    ASSERT_EQ(boxes.size(), 1u) << degrees;
    ExpectQuad(boxes[0].quad,
               QuadTurned(BoxAt(400, 300, 700, 320).quad, degrees));
  }
}

TEST(JoinPieces, LinesThatCross_StayApart) {
  std::vector<TextBox> boxes = {BoxAt(400, 300, 520, 320),
                                BoxAt(526, 300, 700, 320)};
  boxes[1].quad = {{{526, 300}, {690, 360}, {683, 379}, {519, 319}}};
  EXPECT_EQ(CountJoined(boxes), 2u);
}

TEST(JoinPieces, SignsSideBySide_SayNothingOfTheirLine) {
  // Two columns of upright characters.
  EXPECT_EQ(CountJoined({BoxAt(100, 100, 120, 120), BoxAt(124, 100, 144, 120),
                         BoxAt(100, 124, 120, 144), BoxAt(124, 124, 144, 144)}),
            4u);
}

// A little within each limit and a little beyond it.
TEST(JoinPieces, Limits_AreWhereTheyAre) {
  const auto is_joined = [](const TextBox& a, const TextBox& b) {
    const size_t count = CountJoined({a, b});
    EXPECT_EQ(CountJoined({b, a}), count);
    return count == 1;
  };
  const TextBox line = BoxAt(100, 100, 200, 120);
  // Half a height of the higher one between them, on either side.
  EXPECT_TRUE(is_joined(line, BoxAt(209.9f, 100, 300, 120)));
  EXPECT_FALSE(is_joined(line, BoxAt(210.1f, 100, 300, 120)));
  EXPECT_TRUE(is_joined(line, BoxAt(20, 100, 90.1f, 120)));
  EXPECT_FALSE(is_joined(line, BoxAt(20, 100, 89.9f, 120)));
  EXPECT_TRUE(is_joined(line, BoxAt(214.9f, 95, 400, 125)));
  EXPECT_FALSE(is_joined(line, BoxAt(215.1f, 95, 400, 125)));
  // One of them is half as long again as high.
  EXPECT_TRUE(
      is_joined(BoxAt(100, 100, 130.1f, 120), BoxAt(132, 100, 150, 120)));
  EXPECT_FALSE(
      is_joined(BoxAt(100, 100, 129.9f, 120), BoxAt(132, 100, 150, 120)));
  // They make no step of more than 0.35 heights.
  EXPECT_TRUE(is_joined(line, BoxAt(202, 106.9f, 300, 126.9f)));
  EXPECT_FALSE(is_joined(line, BoxAt(202, 107.1f, 300, 127.1f)));
  EXPECT_TRUE(is_joined(line, BoxAt(202, 93.1f, 300, 113.1f)));
  EXPECT_FALSE(is_joined(line, BoxAt(202, 92.9f, 300, 112.9f)));
  // They share 0.6 of the lower height.
  const TextBox high = BoxAt(100, 100, 300, 130);
  EXPECT_TRUE(is_joined(high, BoxAt(302, 120.3f, 400, 136.3f)));
  EXPECT_FALSE(is_joined(high, BoxAt(302, 120.5f, 400, 136.5f)));
  // The higher one is at most 1.9 times as high.
  EXPECT_TRUE(is_joined(line, BoxAt(202, 91.1f, 300, 129)));
  EXPECT_FALSE(is_joined(line, BoxAt(202, 90.9f, 300, 129)));
  // A piece of two heights runs within 10 degrees of the line.
  for (const double degrees : {9.5, -9.5, 10.6, -10.6}) {
    TextBox piece = BoxAt(-20, -10, 20, 10);
    piece.quad = QuadTurned(piece.quad, degrees);
    for (Point& p : piece.quad) p = p + Point{226, 110};
    EXPECT_EQ(is_joined(line, piece), std::abs(degrees) < 10) << degrees;
  }
}

TEST(JoinPieces, Nothing_IsJoinedWhenNoneMay) {
  std::vector<TextBox> boxes = {BoxAt(100, 100, 180, 120),
                                BoxAt(181, 100, 300, 120)};
  JoinPieces(0, &boxes);
  EXPECT_EQ(boxes.size(), 2u);
}

TEST(JoinPieces, BoxesWithoutExtent_AreLeftUnchanged) {
  EXPECT_EQ(CountJoined({BoxAt(5, 5, 5, 5), BoxAt(5, 5, 5, 5)}), 2u);
  EXPECT_EQ(CountJoined({}), 0u);
}

}  // namespace
}  // namespace munja::ocr
