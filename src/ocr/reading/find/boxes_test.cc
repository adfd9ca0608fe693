#include "reading/find/boxes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace munja::ocr {
namespace {

// A probability map with bars: rectangles of a center, half sizes and an angle.
class Map {
 public:
  Map(int width, int height)
      : width_(width), height_(height), values_(width * height, 0.0f) {}
  void Bar(double cx, double cy, double half_w, double half_h, double degrees,
           float value = 0.9f) {
    const double a = degrees * M_PI / 180, c = std::cos(a), s = std::sin(a);
    for (int y = 0; y < height_; ++y) {
      for (int x = 0; x < width_; ++x) {
        const double u = (x - cx) * c + (y - cy) * s;
        const double v = -(x - cx) * s + (y - cy) * c;
        if (std::abs(u) <= half_w && std::abs(v) <= half_h)
          values_[y * width_ + x] = value;
      }
    }
  }
  // A line that goes up and down.
  void Wave(double left, double right, double middle, double amplitude,
            double period, double half_h) {
    for (int y = 0; y < height_; ++y) {
      for (int x = static_cast<int>(left); x <= right; ++x) {
        const double at =
            middle + amplitude * std::sin(2 * M_PI * (x - left) / period);
        if (std::abs(y - at) <= half_h) values_[y * width_ + x] = 0.9f;
      }
    }
  }
  ProbabilityMap view() const {
    return {values_, width_, height_, Placement()};
  }

 private:
  int width_, height_;
  std::vector<float> values_;
};

double Angle(const geometry::Quad& q) {
  return std::atan2(q[1].y - q[0].y, q[1].x - q[0].x) * 180 / M_PI;
}

TEST(FindBoxes, AnEmptyMap_HasNone) {
  const Map map(64, 64);
  const auto boxes = FindBoxes(map.view(), DetectorConfig(), 64, 64);
  ASSERT_TRUE(boxes.ok());
  EXPECT_TRUE(boxes->empty());
}

// DB's rule: the rectangle grows on every side by area * ratio / perimeter.
TEST(FindBoxes, ABox_GrowsByTheUnclipDistance) {
  Map map(200, 100);
  map.Bar(100, 50, 60, 8, 0);  // Pixel centers 40..160 x 42..58.
  DetectorConfig config;
  const auto boxes = FindBoxes(map.view(), config, 200, 100);
  ASSERT_TRUE(boxes.ok());
  ASSERT_EQ(boxes->size(), 1u);
  const double d = 120.0 * 16.0 * config.unclip_ratio / (2 * (120 + 16));
  const geometry::Quad& q = (*boxes)[0].quad;
  // The polygon offset works on a fine grid; a tenth of a pixel is its slack.
  EXPECT_NEAR(q[0].x, 40 - d, 0.1);
  EXPECT_NEAR(q[0].y, 42 - d, 0.1);
  EXPECT_NEAR(q[2].x, 160 + d, 0.1);
  EXPECT_NEAR(q[2].y, 58 + d, 0.1);
  EXPECT_NEAR((*boxes)[0].score, 0.9, 1e-3);
}

TEST(FindBoxes, Boxes_ArePlacedOnThePage) {
  Map map(200, 100);
  map.Bar(100, 50, 60, 8, 0);
  const auto small = FindBoxes(map.view(), DetectorConfig(), 200, 100);
  ProbabilityMap placed = map.view();
  placed.placement = {8, 4, 3, 2};
  const auto large = FindBoxes(placed, DetectorConfig(), 600, 200);
  ASSERT_TRUE(small.ok() && large.ok());
  ASSERT_EQ(large->size(), 1u);
  for (int i = 0; i < 4; ++i) {
    EXPECT_NEAR((*large)[0].quad[i].x, ((*small)[0].quad[i].x - 8) * 3, 0.01);
    EXPECT_NEAR((*large)[0].quad[i].y, ((*small)[0].quad[i].y - 4) * 2, 0.01);
  }
}

// A long tilted line must not become an upright box.
TEST(FindBoxes, ALongTiltedLine_KeepsItsAngle) {
  for (const double degrees : {-30.0, -10.0, -3.0, 3.0, 10.0, 30.0}) {
    Map map(400, 400);
    map.Bar(200, 200, 150, 8, degrees);
    const auto boxes = FindBoxes(map.view(), DetectorConfig(), 400, 400);
    ASSERT_TRUE(boxes.ok());
    ASSERT_EQ(boxes->size(), 1u);
    // One pixel of raster over the bar's length of 300 is 0.2 degrees.
    EXPECT_NEAR(Angle((*boxes)[0].quad), degrees, 0.5);
  }
}

// Bent paper: a box around all of the line holds parts of the next ones.
TEST(FindBoxes, LongBentLines_AreCutIntoStraightPieces) {
  Map map(900, 200);
  map.Wave(50, 850, 90, 30, 1600, 3);  // An arch, 30 pixels high.
  DetectorConfig config;
  const auto cut = FindBoxes(map.view(), config, 900, 200);
  ASSERT_TRUE(cut.ok());
  EXPECT_GE(cut->size(), 2u);
  double length = 0;
  for (const TextBox& box : *cut) {
    length += geometry::Length(box.quad[1] - box.quad[0]);
    EXPECT_LT(geometry::Length(box.quad[3] - box.quad[0]), 45);
  }
  EXPECT_GT(length, 780);
  config.cut_bent = false;
  config.box_threshold = 0.1f;  // Most of the box is empty.
  const auto whole = FindBoxes(map.view(), config, 900, 200);
  ASSERT_TRUE(whole.ok());
  ASSERT_EQ(whole->size(), 1u);
  EXPECT_GT(geometry::Length((*whole)[0].quad[3] - (*whole)[0].quad[0]), 60);
}

// Curved signs have few letters; pieces of words are worse than a bent word.
TEST(FindBoxes, ShortBentLines_StayWhole) {
  Map map(400, 200);
  map.Wave(50, 250, 90, 20, 400, 4);
  DetectorConfig config;
  config.box_threshold = 0.1f;
  const auto boxes = FindBoxes(map.view(), config, 400, 200);
  ASSERT_TRUE(boxes.ok());
  EXPECT_EQ(boxes->size(), 1u);
}

// A few pixels say badly how two letters lie; the lines around them know.
TEST(FindBoxes, AShortBox_LiesAsTheLinesAroundIt) {
  struct Case {
    double degrees;  // Angle of the short bar; the long ones lie at 3.
    int lines;
    bool is_wanted;
    double found;
  };
  for (const Case& c : {Case{15, 4, true, 3}, Case{-9, 4, true, 3},
                        // Too few to ask, or not asked.
                        Case{15, 3, true, 15}, Case{15, 4, false, 15},
                        // Text at another angle.
                        Case{30, 4, true, 30}}) {
    Map map(400, 400);
    for (int i = 0; i < c.lines; ++i) map.Bar(150, 60 + 70 * i, 100, 5, 3);
    map.Bar(330, 200, 12, 5, c.degrees);
    DetectorConfig config;
    config.align_short = c.is_wanted;
    const auto boxes = FindBoxes(map.view(), config, 400, 400);
    ASSERT_TRUE(boxes.ok());
    ASSERT_EQ(boxes->size(), static_cast<size_t>(c.lines) + 1);
    const auto is_short = [](const TextBox& box) {
      return box.quad[0].x > 280;
    };
    const auto box = std::find_if(boxes->begin(), boxes->end(), is_short);
    ASSERT_NE(box, boxes->end());
    // A pixel of raster is 2.4 degrees over 24 pixels, a tenth of that where
    // the long bars say it.
    EXPECT_NEAR(Angle(box->quad), c.found, c.found == 3 ? 0.5 : 4)
        << c.degrees << " " << c.lines;
  }
}

// A page of single characters has few lines to ask: its title.
TEST(FindBoxes, SingleCells_LieAsTheirPage) {
  for (const int lines : {0, 1, 3}) {
    for (const bool is_wanted : {true, false}) {
      Map map(400, 400);
      for (int i = 0; i < lines; ++i) map.Bar(150, 40 + 30 * i, 100, 5, 3);
      map.Bar(330, 200, 7, 6, 30);
      DetectorConfig config;
      if (!is_wanted) config.rules.SwitchOff(Rule::kSingleCells);
      const auto boxes = FindBoxes(map.view(), config, 400, 400);
      ASSERT_TRUE(boxes.ok());
      ASSERT_EQ(boxes->size(), static_cast<size_t>(lines) + 1);
      const auto box = std::ranges::find_if(
          *boxes, [](const TextBox& found) { return found.quad[0].x > 280; });
      ASSERT_NE(box, boxes->end());
      const bool is_laid = is_wanted && lines > 0;
      EXPECT_NEAR(Angle(box->quad), is_laid ? 3 : 30, is_laid ? 0.5 : 4)
          << lines;
    }
  }
}

// A box needs `min_side` before it grows and two pixels more afterwards.
TEST(FindBoxes, GrownBoxes_HaveALeastSideToo) {
  // Sides of 2 * half pixels, as DB's rule grows them.
  for (const int half : {2, 3, 4}) {
    for (const float ratio : {0.2f, 1.0f, 1.5f, 3.0f}) {
      Map map(60, 60);
      map.Bar(30, 30, half, half, 0);
      DetectorConfig config;
      config.unclip_ratio = ratio;
      config.min_side = 3;
      const double side = 2 * half;
      const double grown = side + 2 * side * side * ratio / (4 * side);
      const auto boxes = FindBoxes(map.view(), config, 60, 60);
      ASSERT_TRUE(boxes.ok());
      // The polygon offset works on a fine grid.
      ASSERT_GT(std::abs(grown - 5), 0.1);
      EXPECT_EQ(boxes->size(), side >= 3 && grown >= 5 ? 1u : 0u)
          << side << " grown by " << ratio;
    }
  }
}

// Dilation brings bars together that lie a pixel apart, in every direction.
TEST(FindBoxes, Dilation_ClosesGapsOfAPixel) {
  struct Gap {
    int dx, dy;
  };
  for (const Gap gap : {Gap{1, 0}, Gap{0, 1}, Gap{1, 1}}) {
    for (const bool dilates : {true, false}) {
      // A bar to pixel (40, 30), another behind a gap.
      Map map(120, 80);
      const int x = gap.dx > 0 ? 41 + gap.dx : 20;
      const int y = gap.dy > 0 ? 31 + gap.dy : 22;
      map.Bar(30, 26, 10, 4, 0);
      map.Bar(x + 10, y + 4, 10, 4, 0);
      DetectorConfig config;
      config.use_dilation = dilates;
      config.box_threshold = 0.1f;
      const auto boxes = FindBoxes(map.view(), config, 120, 80);
      ASSERT_TRUE(boxes.ok());
      EXPECT_EQ(boxes->size(), dilates ? 1u : 2u) << gap.dx << gap.dy;
    }
  }
}

TEST(FindBoxes, WeakAndTinyOnes_AreLeftOut) {
  Map map(200, 100);
  map.Bar(50, 50, 30, 8, 0, 0.3f);  // Above the threshold, below the box's.
  map.Bar(150, 50, 1, 1, 0);        // 2 pixels between outer centers.
  const auto boxes = FindBoxes(map.view(), DetectorConfig(), 200, 100);
  ASSERT_TRUE(boxes.ok());
  EXPECT_TRUE(boxes->empty());
}

TEST(FindBoxes, Boxes_StayInsideThePage) {
  Map map(100, 60);
  map.Bar(50, 30, 50, 28, 0);
  const auto boxes = FindBoxes(map.view(), DetectorConfig(), 100, 60);
  ASSERT_TRUE(boxes.ok());
  ASSERT_EQ(boxes->size(), 1u);
  for (const geometry::Point& p : (*boxes)[0].quad) {
    EXPECT_GE(p.x, 0);
    EXPECT_LE(p.x, 100);
    EXPECT_GE(p.y, 0);
    EXPECT_LE(p.y, 60);
  }
}

// The map is larger than the page that lies in it: what is found in the rest
// is no line, and one that cannot be cut out would end the page.
TEST(FindBoxes, BoxesBesideThePage_AreLeftOut) {
  for (const double degrees : {0, 30}) {
    Map map(200, 200);
    map.Bar(50, 40, 30, 6, 0);
    map.Bar(160, 160, 25, 6, degrees);
    const auto boxes = FindBoxes(map.view(), DetectorConfig(), 100, 100);
    ASSERT_TRUE(boxes.ok());
    ASSERT_EQ(boxes->size(), 1u) << degrees;
    EXPECT_LT((*boxes)[0].quad[0].x, 50);
  }
}

TEST(FindBoxes, ThinLines_AreFoundAtFullResolution) {
  Map map(300, 100);
  for (int i = 0; i < 8; ++i) map.Bar(150, 10 + i * 11, 140, 2, 0);
  const auto boxes = FindBoxes(map.view(), DetectorConfig(), 300, 100);
  ASSERT_TRUE(boxes.ok());
  EXPECT_EQ(boxes->size(), 8u);
}

TEST(FindBoxes, Dilation_JoinsWhatOnePixelParts) {
  Map map(200, 60);
  map.Bar(60, 30, 39, 8, 0);   // To x = 99.
  map.Bar(140, 30, 39, 8, 0);  // From x = 101.
  DetectorConfig config;
  EXPECT_EQ(FindBoxes(map.view(), config, 200, 60)->size(), 2u);
  config.use_dilation = true;
  EXPECT_EQ(FindBoxes(map.view(), config, 200, 60)->size(), 1u);
}

TEST(ShowMoreText, LengthOfLowScoreBoxes_IsNotCounted) {
  const auto box = [](float length) {
    TextBox made{{{{0, 0}, {length, 0}, {length, 20}, {0, 20}}}, 0.9f};
    return std::vector<TextBox>{made};
  };
  const std::vector<TextBox> line = box(200), piece = box(100);
  EXPECT_TRUE(ShowMoreText(line, piece));
  EXPECT_FALSE(ShowMoreText(piece, line));
  EXPECT_FALSE(ShowMoreText(line, line));
  std::vector<TextBox> low_score = line;
  low_score[0].is_low_score = true;
  EXPECT_FALSE(ShowMoreText(low_score, piece));
  EXPECT_TRUE(ShowMoreText(piece, low_score));
}

}  // namespace
}  // namespace munja::ocr
