#include "document/upright_boxes.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <random>
#include <vector>

#include "document/writers/testing.h"

namespace munja::document {
namespace {

using geometry::Point;
using geometry::Quad;

// Boxes in the order of their quads.
std::vector<UprightBox> ByIndex(const std::vector<Quad>& quads) {
  std::vector<UprightBox> boxes(quads.size());
  for (const UprightBox& box : UprightBoxes(quads)) boxes.at(box.index) = box;
  return boxes;
}

void ExpectBox(const UprightBox& box, double left, double top, double right,
               double bottom, double tolerance) {
  EXPECT_NEAR(box.left, left, tolerance);
  EXPECT_NEAR(box.top, top, tolerance);
  EXPECT_NEAR(box.right, right, tolerance);
  EXPECT_NEAR(box.bottom, bottom, tolerance);
}

// Lines of three sizes and, now and then, a box that has no direction.
std::vector<Quad> LinesOfAPage() {
  std::mt19937 random(3);
  std::vector<Quad> quads;
  for (int i = 0; i < 40; ++i) {
    const auto x = static_cast<float>(random() % 300);
    const auto y = static_cast<float>(random() % 900);
    const auto width = static_cast<float>(100 + random() % 400);
    quads.push_back(
        Rectangle(x, y, x + (i % 7 == 0 ? 20.0f : width), y + 10 + i % 3));
  }
  return quads;
}

Quad Turned(const Quad& quad, double degrees) {
  const double angle = degrees * std::numbers::pi / 180;
  const double c = std::cos(angle), s = std::sin(angle);
  Quad out;
  for (size_t i = 0; i < 4; ++i)
    out[i] = {static_cast<float>(quad[i].x * c - quad[i].y * s),
              static_cast<float>(quad[i].x * s + quad[i].y * c)};
  return out;
}

TEST(UprightBoxes, TurnedPages_AreTurnedBack) {
  const std::vector<Quad> quads = LinesOfAPage();
  for (const double degrees : {0.0, 0.3, -7.0, 20.0, -44.0, 44.0}) {
    SCOPED_TRACE(degrees);
    std::vector<Quad> turned;
    for (const Quad& quad : quads) turned.push_back(Turned(quad, degrees));
    const std::vector<UprightBox> boxes = ByIndex(turned);
    // Coordinates up to 1,300 are rounded to float.
    for (size_t i = 0; i < quads.size(); ++i)
      ExpectBox(boxes[i], quads[i][0].x, quads[i][0].y, quads[i][2].x,
                quads[i][2].y, 1e-3);
  }
  // Beyond 45 degrees no page is known to be upright.
  std::vector<Quad> turned;
  for (const Quad& quad : quads) turned.push_back(Turned(quad, 46));
  EXPECT_GT(std::abs(ByIndex(turned)[1].left - quads[1][0].x), 10);
}

// The angle of the median length, if half of all agree with it by 3 degrees.
TEST(UprightBoxes, Angle_IsThatOfMostOfTheText) {
  const auto top_of_first = [](std::vector<double> degrees) {
    std::vector<Quad> quads = {Rectangle(1000, 0, 1010, 10)};
    for (const double d : degrees)
      quads.push_back(Turned(Rectangle(0, 0, 200, 10), d));
    return ByIndex(quads)[0].top;
  };
  const auto sine = [](double degrees) {
    return -1000 * std::sin(degrees * std::numbers::pi / 180);
  };
  EXPECT_NEAR(top_of_first({4, 4, 4}), sine(4), 6);
  EXPECT_NEAR(top_of_first({4, 6.9, 30}), sine(6.9), 12);
  EXPECT_NEAR(top_of_first({0, 6.9, 30}), 0, 6);
  EXPECT_NEAR(top_of_first({-20, 4, 4, 4.2}), sine(4), 6);
}

TEST(UprightBoxes, VerticalLines_AreRowsFromTheRight) {
  // Three columns, the right one of which is read first, and a short line.
  const std::vector<Quad> quads = {
      Rectangle(10, 20, 40, 320), Rectangle(110, 30, 140, 320),
      Rectangle(60, 20, 90, 200), Rectangle(0, 400, 100, 420)};
  const std::vector<UprightBox> boxes = UprightBoxes(quads);
  std::vector<size_t> order;
  for (const UprightBox& box : boxes) order.push_back(box.index);
  EXPECT_EQ(order, (std::vector<size_t>{1, 2, 3, 0}));
  // The right side of the page is on top, its top to the left.
  ExpectBox(boxes[0], 30, -140, 320, -110, 1e-5);
  ExpectBox(boxes[2], 400, -100, 420, 0, 1e-5);
}

TEST(UprightBoxes, Vertical_IsMoreLengthInTwoLinesAtLeast) {
  const auto is_vertical = [](std::vector<Quad> quads) {
    return ByIndex(quads)[0].top < 0;
  };
  const Quad tall = Rectangle(10, 0, 30, 200),
             wide = Rectangle(0, 300, 400, 320);
  EXPECT_TRUE(is_vertical({tall, tall}));
  EXPECT_FALSE(is_vertical({tall}));
  EXPECT_FALSE(is_vertical({tall, tall, wide}));
  EXPECT_TRUE(is_vertical({tall, tall, Rectangle(0, 300, 399, 320)}));
  // Half as long again as wide, or it has no direction.
  EXPECT_FALSE(
      is_vertical({Rectangle(10, 0, 30, 30), Rectangle(10, 0, 30, 30)}));
  EXPECT_TRUE(
      is_vertical({Rectangle(10, 0, 30, 31), Rectangle(10, 0, 30, 31)}));
  EXPECT_TRUE(is_vertical({tall, tall, Rectangle(0, 300, 405, 570)}));
}

// A line that is tilted by itself is as high as its sides are far apart.
TEST(UprightBoxes, TiltedLine_IsNoHigher) {
  std::vector<Quad> quads(5, Rectangle(0, 100, 300, 120));
  quads.push_back({{{0, 0}, {300, 12}, {300, 32}, {0, 20}}});
  ExpectBox(ByIndex(quads)[5], 0, 6, 300, 26, 1e-4);
}

TEST(UprightBoxes, CornersThatAreNoNumbers_AreZero) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float inf = std::numeric_limits<float>::infinity();
  ExpectBox(ByIndex({{{{nan, 5}, {30, 5}, {30, 9}, {-inf, 9}}}})[0], 0, 5, 30,
            9, 0);
  ExpectBox(ByIndex({{{{2, nan}, {30, inf}, {30, 9}, {2, 9}}}})[0], 2, 0, 30, 9,
            0);
}

// By the middle, then each edge, then the number.
TEST(UprightBoxes, Order_IsTotal) {
  const UprightBox box = {5, 10, 50, 20, 40};
  const auto is_before =
      [&](UprightBox other,
          bool (*less)(const UprightBox&, const UprightBox&)) {
        return less(box, other) && !less(other, box);
      };
  EXPECT_FALSE(IsAbove(box, box));
  EXPECT_FALSE(IsLeftOf(box, box));
  EXPECT_TRUE(is_before({0, 0, 9, 20.5, 40}, IsAbove));
  EXPECT_TRUE(is_before({0, 11, 12, 20, 40}, IsAbove));
  EXPECT_TRUE(is_before({0, 10, 51, 20, 40}, IsAbove));
  EXPECT_TRUE(is_before({0, 10, 50, 21, 39}, IsAbove));
  EXPECT_TRUE(is_before({6, 10, 50, 20, 40}, IsAbove));
  EXPECT_TRUE(is_before({0, 11, 12, 0, 1}, IsLeftOf));
  EXPECT_TRUE(is_before({0, 10, 51, 0, 1}, IsLeftOf));
  EXPECT_TRUE(is_before({0, 10, 50, 21, 22}, IsLeftOf));
  EXPECT_TRUE(is_before({0, 10, 50, 20, 41}, IsLeftOf));
  EXPECT_TRUE(is_before({6, 10, 50, 20, 40}, IsLeftOf));
}

}  // namespace
}  // namespace munja::document
