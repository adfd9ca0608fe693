#include "reading/orient/page_turn.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>

namespace munja::ocr {
namespace {

using geometry::Point;
using geometry::Quad;

constexpr float kDegree = 3.14159265f / 180;

// A box of `length` x `height` from (x, y), its text running at `degrees`
// clockwise from the right, its corners in the order in which boxes have them.
TextBox Lying(float x, float y, float length, float height, float degrees = 0) {
  const float c = std::cos(degrees * kDegree), s = std::sin(degrees * kDegree);
  const Point along = {length * c, length * s},
              down = {-height * s, height * c};
  const Point start = {x, y};
  return {{{start, start + along, start + along + down, start + down}}, 0.9f};
}
TextBox Standing(float x, float y, float length, float width,
                 float degrees = 0) {
  // As high as it is long, from its top-left.
  const float c = std::cos(degrees * kDegree), s = std::sin(degrees * kDegree);
  const Point across = {width * c, width * s}, down = {-length * s, length * c};
  const Point start = {x, y};
  return {{{start, start + across, start + across + down, start + down}}, 0.9f};
}

Reading Read(const TextBox& box, size_t start, float confidence) {
  Reading reading;
  for (size_t i = 0; i < 4; ++i) reading.polygon[i] = box.quad[(start + i) % 4];
  reading.text.confidence = confidence;
  return reading;
}

TEST(TurnSample, IsOfThoseThatLieAsMostDo) {
  const RecognizerContract contract;
  std::vector<TextBox> boxes = {Lying(0, 0, 200, 20), Standing(0, 30, 100, 20),
                                Lying(0, 60, 120, 20), Lying(0, 90, 60, 20),
                                Lying(0, 120, 15, 20)};
  // The shortest that has letters enough comes first; one that is too short to
  // lie any way never comes.
  EXPECT_EQ(TurnSample(boxes, contract), (std::vector<size_t>{2, 0, 3}));
  boxes[2].is_faint = true;
  EXPECT_TRUE(TurnSample(boxes, contract).empty());
}

TEST(TurnSample, AsksBothKindsWhereNeitherIsNearlyAll) {
  const RecognizerContract contract;
  std::vector<TextBox> boxes;
  for (int i = 0; i < 3; ++i) {
    boxes.push_back(Lying(0, 30.0f * i, 100, 20));
    boxes.push_back(Standing(200 + 30.0f * i, 0, 150, 20));
  }
  const std::vector<size_t> sample = TurnSample(boxes, contract);
  ASSERT_EQ(sample.size(), 6u);
  // Those on end are longer.
  for (size_t i = 0; i < 3; ++i) EXPECT_EQ(sample[i] % 2, 1u) << i;
}

// The polygon of a reading starts where the text does.
TEST(TurnVotes, TurnsAreCountedClockwise) {
  const TextBox lying = Lying(0, 0, 100, 20), stands = Standing(0, 0, 100, 20);
  const struct {
    const TextBox& box;
    size_t start;
    int turns;
  } kCases[] = {{lying, 0, 0}, {lying, 2, 2}, {stands, 1, 3}, {stands, 3, 1}};
  for (const auto& test : kCases) {
    TurnVotes votes;
    for (int line = 0; line < 3; ++line) {
      const Reading right = Read(test.box, test.start, 0.95f);
      const Reading wrong = Read(test.box, (test.start + 2) % 4, 0.5f);
      votes.Add({&wrong, &right});
    }
    EXPECT_EQ(votes.Turns(), test.turns);
  }
}

TEST(TurnVotes, APageStaysWhereLinesAreInDoubt) {
  const TextBox box = Lying(0, 0, 100, 20);
  const auto turns = [&](std::vector<std::pair<float, float>> lines) {
    TurnVotes votes;
    for (const auto& [upright, around] : lines) {
      const Reading a = Read(box, 0, upright), b = Read(box, 2, around);
      votes.Add({&a, &b});
    }
    return votes.Turns();
  };
  EXPECT_EQ(turns({}), 0);
  EXPECT_EQ(turns({{0.5f, 0.9f}, {0.5f, 0.9f}, {0.5f, 0.9f}}), 2);
  // Too few lines; none that is text; too little between the two ways.
  EXPECT_EQ(turns({{0.5f, 0.9f}, {0.5f, 0.9f}}), 0);
  EXPECT_EQ(turns({{0.2f, 0.55f}, {0.2f, 0.55f}, {0.2f, 0.55f}}), 0);
  EXPECT_EQ(turns({{0.9f, 0.94f}, {0.9f, 0.94f}, {0.9f, 0.94f}}), 0);
  // One line alone has the better mean.
  EXPECT_EQ(turns({{0.75f, 0.6f}, {0.9f, 0.8f}, {0.1f, 0.99f}}), 0);
}

TEST(Skew, IsTheAngleOfMostOfTheText) {
  const RecognizerContract contract;
  for (const float degrees : {-44.0f, -20.0f, -3.0f, 3.0f, 12.0f, 40.0f}) {
    std::vector<TextBox> lying, on_end;
    for (int i = 0; i < 6; ++i) {
      const float angle = degrees + 0.2f * static_cast<float>(i - 2);
      lying.push_back(Lying(50, 100 + 40.0f * i, 300, 20, angle));
      on_end.push_back(Standing(100 + 40.0f * i, 50, 300, 20, angle));
    }
    lying.push_back(Lying(0, 0, 200, 20));  // Another way.
    EXPECT_NEAR(Skew(lying, contract), degrees * kDegree, 0.4f * kDegree);
    EXPECT_NEAR(Skew(on_end, contract), degrees * kDegree, 0.4f * kDegree);
  }
}

TEST(Skew, IsNoneWhereItIsLittleOrLinesRunAsTheyLike) {
  const RecognizerContract contract;
  const auto skew = [&](std::vector<float> angles, float length) {
    std::vector<TextBox> boxes;
    for (const float angle : angles)
      boxes.push_back(Lying(50, 50, length, 20, angle));
    return Skew(boxes, contract);
  };
  EXPECT_EQ(skew({}, 300), 0);
  EXPECT_EQ(skew({1.5f, 1.5f, 1.5f}, 300), 0);
  EXPECT_NE(skew({2.5f, 2.5f, 2.5f, 2.5f, 2.5f, 2.5f}, 300), 0);
  // The lines of a sign.
  EXPECT_EQ(skew({2.5f, 2.5f, 2.5f, 2.5f, 2.5f}, 300), 0);
  EXPECT_NE(skew({7, 7, 7}, 300), 0);
  std::vector<TextBox> sign(3, Lying(50, 50, 300, 20, 2.5f));
  EXPECT_NEAR(Skew(sign, contract, true), 2.5f * kDegree, 1e-4f);
  EXPECT_EQ(skew({7, 7}, 300), 0);
  EXPECT_EQ(skew({7, 7, 7}, 60), 0);  // Too short to tell.
  EXPECT_EQ(skew({-8, -4, 3, 6, 9}, 300), 0);
  // Boxes are rougher where lines run far from the sides of the picture.
  EXPECT_EQ(skew({4, 7, 10}, 300), 0);
  EXPECT_NEAR(skew({27, 30, 33}, 300), 30 * kDegree, kDegree);
}

// Half way between lying and on end the same direction has two names.
TEST(Skew, IsOneForLinesOnBothSidesOfAnEighthTurn) {
  const RecognizerContract contract;
  const float both[] = {43, -43, 44, -44};  // Those below zero on end.
  std::vector<TextBox> boxes;
  for (const float angle : both)
    boxes.push_back(angle > 0 ? Lying(50, 50, 300, 20, angle)
                              : Standing(300, 50, 300, 20, angle));
  EXPECT_NEAR(Skew(boxes, contract), 45 * kDegree, 1.5f * kDegree);
}

// Pieces of lines: three heights long, faint as often as not.
std::vector<TextBox> Pieces(const std::vector<float>& angles, float length) {
  std::vector<TextBox> boxes;
  for (const float angle : angles) {
    boxes.push_back(Lying(50, 50, length, 20, angle));
    boxes.back().is_faint = boxes.size() % 2 == 0;
  }
  return boxes;
}

TEST(RoughSkew, IsSeenInPiecesOfLines) {
  const RecognizerContract contract;
  const std::vector<TextBox> boxes = Pieces({33, 40, 36, 44, 39, 40}, 60);
  EXPECT_EQ(Skew(boxes, contract), 0);
  EXPECT_NEAR(RoughSkew(boxes), 39 * kDegree, 2 * kDegree);
}

TEST(RoughSkew, IsNoneWhereItMayBeChanceOrAPageIsNotFarAskew) {
  EXPECT_EQ(RoughSkew({}), 0);
  EXPECT_EQ(RoughSkew(Pieces({40, 41}, 60)), 0);
  EXPECT_EQ(RoughSkew(Pieces({-40, -20, 0, 20, 40, 10, -30}, 60)), 0);
  EXPECT_EQ(RoughSkew(Pieces({6, 8, 7, 9, 5, 7}, 60)), 0);
  // Nearly squares run no way.
  EXPECT_EQ(RoughSkew(Pieces({40, 41, 39, 40, 40, 41}, 30)), 0);
}

// The first corner of a square of a pixel that reaches towards the middle.
Point Back(const UprightPage& upright, float x, float y) {
  const float right = x + (2 * x < upright.view().width ? 1.0f : -1.0f);
  const float below = y + (2 * y < upright.view().height ? 1.0f : -1.0f);
  TextBox box{{{{x, y}, {right, y}, {right, below}, {x, below}}}};
  EXPECT_TRUE(upright.TakeBack(&box));
  return box.quad[0];
}

// One white pixel in a black page: where it comes to lie, and back.
TEST(UprightPage, PixelsGoWhereTheyShouldAndBack) {
  auto page = image::Image::Create(7, 5);
  ASSERT_TRUE(page.ok());
  constexpr int kX = 5, kY = 1;
  for (int y = 0; y < 5; ++y)
    for (int x = 0; x < 21; ++x) page->row(y)[x] = 0;
  for (int c = 0; c < 3; ++c) page->row(kY)[3 * kX + c] = 255;
  const std::pair<int, int> kTurned[] = {{5, 1}, {3, 5}, {1, 3}, {1, 1}};
  for (int quarters = 1; quarters < 4; ++quarters) {
    const auto upright =
        UprightPage::Create(page->view(), {.quarters = quarters}, 100, nullptr);
    ASSERT_TRUE(upright.ok());
    const image::ImageView view = upright->view();
    EXPECT_EQ(view.width, quarters == 2 ? 7 : 5);
    const auto [x, y] = kTurned[quarters];
    EXPECT_EQ(view.row(y)[3 * x], 255) << quarters;
    const auto fx = static_cast<float>(x), fy = static_cast<float>(y);
    EXPECT_EQ(Back(*upright, fx, fy), (Point{kX, kY})) << quarters;
    // Corners that would lie a pixel outside stay inside.
    const auto w = static_cast<float>(view.width),
               h = static_cast<float>(view.height);
    TextBox whole{{{{0, 0}, {w, 0}, {w, h}, {0, h}}}};
    ASSERT_TRUE(upright->TakeBack(&whole));
    ASSERT_TRUE(whole.outline);
    for (const Point& p : *whole.outline) {
      EXPECT_GE(p.x, 0);
      EXPECT_GE(p.y, 0);
      EXPECT_LE(p.x, 7);
      EXPECT_LE(p.y, 5);
    }
  }
}

// A page of many more pixels than the detector sees is made smaller, by what it
// takes laid straight; boxes are said in the page as it was all the same.
TEST(UprightPage, IsAsLargeAsItIsLookedAt) {
  auto page = image::Image::Create(1200, 900);
  ASSERT_TRUE(page.ok());
  for (int y = 0; y < 900; ++y) std::fill_n(page->row(y), 3 * 1200, uint8_t{0});
  // A white square of 30 x 30 pixels around (915, 315).
  for (int y = 300; y < 330; ++y)
    std::fill_n(page->row(y) + 3 * 900, 3 * 30, uint8_t{255});
  for (const PageTurn turn : {PageTurn{1, 0}, PageTurn{2, 0}, PageTurn{3, 0},
                              PageTurn{0, 0.3f}, PageTurn{3, -0.6f}}) {
    const auto upright = UprightPage::Create(page->view(), turn, 267, nullptr);
    ASSERT_TRUE(upright.ok());
    const image::ImageView view = upright->view();
    EXPECT_LE(std::max(view.width, view.height), 401);
    EXPECT_GT(std::max(view.width, view.height), 390);
    float x = 0, y = 0, sum = 0;
    for (int row = 0; row < view.height; ++row) {
      for (int column = 0; column < view.width; ++column) {
        const float light = view.row(row)[3 * column];
        x += light * static_cast<float>(column);
        y += light * static_cast<float>(row);
        sum += light;
      }
    }
    ASSERT_GT(sum, 0);
    const Point center = {x / sum, y / sum};
    TextBox box{{{center, center + Point{1, 0}, center + Point{1, 1},
                  center + Point{0, 1}}}};
    ASSERT_TRUE(upright->TakeBack(&box));
    // A third of a pixel of the page that is looked at.
    EXPECT_NEAR(box.quad[0].x, 914.5f, 1) << turn.quarters << ' ' << turn.skew;
    EXPECT_NEAR(box.quad[0].y, 314.5f, 1) << turn.quarters << ' ' << turn.skew;
  }
}

// The corners of a straightened page are no part of the page as it was.
TEST(UprightPage, WhatIsBesideThePageGoesNowhere) {
  auto page = image::Image::Create(400, 300);
  ASSERT_TRUE(page.ok());
  const auto upright =
      UprightPage::Create(page->view(), {.skew = 20 * kDegree}, 1000, nullptr);
  ASSERT_TRUE(upright.ok());
  TextBox beside{{{{2, 2}, {40, 2}, {40, 8}, {2, 8}}}};
  EXPECT_FALSE(upright->TakeBack(&beside));
  TextBox inside{{{{200, 200}, {240, 200}, {240, 210}, {200, 210}}}};
  EXPECT_TRUE(upright->TakeBack(&inside));
  EXPECT_FALSE(inside.outline);
  // One that begins beside it is cut out as it lies, and ends with the page.
  TextBox half{{{{-8, 130}, {200, 130}, {200, 150}, {-8, 150}}}};
  EXPECT_TRUE(upright->TakeBack(&half));
  EXPECT_NEAR(geometry::Length(half.quad[1] - half.quad[0]), 208, 0.01);
  ASSERT_TRUE(half.outline);
  EXPECT_LT(half.quad[0].x, 0);
  EXPECT_EQ((*half.outline)[0].x, 0);
}

TEST(UprightPage, AStrokeAskewLiesStraightAfterwards) {
  auto page = image::Image::Create(400, 300);
  ASSERT_TRUE(page.ok());
  const float slope = std::tan(10 * kDegree);
  const auto is_ink = [&](float x, float y) {
    return x >= 60 && x < 340 && std::abs(y - 150 - slope * (x - 200)) < 3;
  };
  for (int y = 0; y < 300; ++y)
    for (int x = 0; x < 400; ++x)
      for (int c = 0; c < 3; ++c)
        page->row(y)[3 * x + c] =
            is_ink(static_cast<float>(x), static_cast<float>(y)) ? 0 : 255;
  for (const int quarters : {0, 1}) {
    const auto upright = UprightPage::Create(
        page->view(), {.quarters = quarters, .skew = 10 * kDegree}, 1000,
        nullptr);
    ASSERT_TRUE(upright.ok());
    const image::ImageView view = upright->view();
    // The stroke is six pixels thick, 284 long, and lies along a side.
    int ink = 0, lines = 0;
    for (int i = 0; i < (quarters == 0 ? view.height : view.width); ++i) {
      int dark = 0;
      for (int k = 0; k < (quarters == 0 ? view.width : view.height); ++k) {
        const int x = quarters == 0 ? k : i, y = quarters == 0 ? i : k;
        if (view.row(y)[3 * x] >= 128) continue;
        ++dark;
        const auto fx = static_cast<float>(x), fy = static_cast<float>(y);
        const Point back = Back(*upright, fx, fy);
        // Within a pixel of what was drawn.
        EXPECT_TRUE(is_ink(back.x, back.y) || is_ink(back.x, back.y + 1) ||
                    is_ink(back.x, back.y - 1) || is_ink(back.x + 1, back.y) ||
                    is_ink(back.x - 1, back.y));
      }
      ink += dark;
      lines += dark > 140;
    }
    EXPECT_GE(lines, 5);
    EXPECT_LE(lines, 8);
    EXPECT_NEAR(ink, 6 * 284, 200);
  }
}

}  // namespace
}  // namespace munja::ocr
