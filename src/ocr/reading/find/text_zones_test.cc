#include "reading/find/text_zones.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace munja::ocr {
namespace {

// A page of 1500 x 2000 pixels, seen at 720 x 960 in a map of 736 x 960, to be
// looked at as it is in an input of 1504 x 2016.
constexpr int kPageWidth = 1500, kPageHeight = 2000;

class TextZonesTest : public testing::Test {
 protected:
  TextZonesTest() : first_(Input(960, 32)), closer_(Input(2048, 32)) {
    values_.resize(static_cast<size_t>(first_.width) * first_.height);
  }

  static DetectorInput Input(int limit_side, int multiple) {
    DetectorConfig config;
    config.limit_side = limit_side;
    config.side_multiple = multiple;
    return PlanDetectorInput(kPageWidth, kPageHeight, config);
  }

  // Text of the page, from pixel to pixel.
  void See(int left, int top, int right, int bottom, float value = 0.9f) {
    const Placement place = PlaceInInput(kPageWidth, kPageHeight, first_);
    const auto x = [&](int at) {
      return static_cast<int>(static_cast<float>(at) / place.scale_x +
                              place.offset_x);
    };
    const auto y = [&](int at) {
      return static_cast<int>(static_cast<float>(at) / place.scale_y +
                              place.offset_y);
    };
    for (int row = y(top); row < y(bottom); ++row)
      for (int column = x(left); column < x(right); ++column)
        values_[static_cast<size_t>(row) * first_.width + column] = value;
  }

  std::vector<InputZone> Zones() const {
    return TextZones({values_, first_.width, first_.height,
                      PlaceInInput(kPageWidth, kPageHeight, first_)},
                     closer_, PlaceInInput(kPageWidth, kPageHeight, closer_),
                     config_);
  }

  // Whether this part of the page, and what the page has within 30 pixels of
  // it, lies in one of the zones.
  bool IsSeen(const std::vector<InputZone>& zones, int left, int top, int right,
              int bottom) const {
    const auto x = [&](int at) {
      return std::clamp(at, 0, kPageWidth) + closer_.left;
    };
    const auto y = [&](int at) {
      return std::clamp(at, 0, kPageHeight) + closer_.top;
    };
    return std::any_of(zones.begin(), zones.end(), [&](const InputZone& z) {
      return z.left <= x(left - 30) && z.top <= y(top - 30) &&
             z.left + z.width >= x(right + 30) &&
             z.top + z.height >= y(bottom + 30);
    });
  }

  DetectorConfig config_;
  DetectorInput first_, closer_;
  std::vector<float> values_;
};

TEST_F(TextZonesTest, TextInACorner_IsAllThatIsLookedAt) {
  See(900, 1500, 1490, 1520);
  See(900, 1680, 1490, 1998);
  const std::vector<InputZone> zones = Zones();
  ASSERT_EQ(zones.size(), 1u);
  EXPECT_TRUE(IsSeen(zones, 900, 1500, 1490, 1998));
  EXPECT_LT(zones[0].width * zones[0].height, 1504 * 2016 * 0.3);
}

TEST_F(TextZonesTest, AWideGap_IsLeftOutANarrowOneIsNot) {
  See(100, 100, 1400, 300);
  See(100, 1600, 1400, 1800);
  const std::vector<InputZone> apart = Zones();
  ASSERT_EQ(apart.size(), 2u);
  EXPECT_TRUE(IsSeen(apart, 100, 100, 1400, 300));
  EXPECT_TRUE(IsSeen(apart, 100, 1600, 1400, 1800));
  See(100, 500, 1400, 1400);
  const std::vector<InputZone> near = Zones();
  ASSERT_EQ(near.size(), 1u);
  EXPECT_TRUE(IsSeen(near, 100, 100, 1400, 1800));
}

TEST_F(TextZonesTest, LowScoreText_CountsNoiseDoesNot) {
  See(200, 200, 600, 220);
  const std::vector<InputZone> alone = Zones();
  See(800, 1500, 1200, 1520, 0.05f);
  EXPECT_EQ(Zones(), alone);
  See(800, 1500, 1200, 1520, 0.15f);
  EXPECT_TRUE(IsSeen(Zones(), 800, 1500, 1200, 1520));
}

TEST_F(TextZonesTest, AFullPageAndAnEmptyOne_HaveNone) {
  EXPECT_TRUE(Zones().empty());
  See(60, 60, 1440, 1940);
  EXPECT_TRUE(Zones().empty());
}

TEST_F(TextZonesTest, AnyText_LiesInOneZoneWhateverTheMultiple) {
  std::mt19937 random(5);
  const auto pick = [&](int from, int to) {
    return std::uniform_int_distribution<int>(from, to)(random);
  };
  for (const int multiple : {1, 32, 48, 64}) {
    config_.side_multiple = multiple;
    closer_ = Input(2048, multiple);
    for (int page = 0; page < 30; ++page) {
      std::fill(values_.begin(), values_.end(), 0.0f);
      struct Line {
        int left, top, right, bottom;
      };
      std::vector<Line> lines(static_cast<size_t>(pick(1, 6)));
      for (Line& line : lines) {
        line.left = pick(0, 1200);
        line.top = pick(0, 1900);
        line.right = line.left + pick(20, 290);
        line.bottom = line.top + pick(10, 90);
        See(line.left, line.top, line.right, line.bottom);
      }
      const std::vector<InputZone> zones = Zones();
      for (const Line& line : lines)
        EXPECT_TRUE(zones.empty() || IsSeen(zones, line.left, line.top,
                                            line.right, line.bottom));
      for (size_t i = 0; i < zones.size(); ++i) {
        const InputZone& z = zones[i];
        EXPECT_TRUE(z.left >= 0 && z.top >= 0 && z.width > 0 && z.height > 0);
        EXPECT_TRUE(z.left + z.width <= closer_.width &&
                    z.top + z.height <= closer_.height);
        EXPECT_EQ(z.width % multiple, 0);
        EXPECT_EQ(z.height % multiple, 0);
        for (size_t j = 0; j < i; ++j) {
          const InputZone& other = zones[j];
          EXPECT_TRUE(z.left >= other.left + other.width ||
                      other.left >= z.left + z.width ||
                      z.top >= other.top + other.height ||
                      other.top >= z.top + z.height);
        }
      }
    }
  }
}

}  // namespace
}  // namespace munja::ocr
