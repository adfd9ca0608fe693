#include "reading/find/page_tiles.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <utility>

namespace munja::ocr {
namespace {

using geometry::Quad;

Quad Rectangle(float left, float top, float right, float bottom) {
  return {{{left, top}, {right, top}, {right, bottom}, {left, bottom}}};
}

TEST(PageTiles, PagesOfUsualProportionsOrSize_AreSeenWhole) {
  const DetectorConfig config;
  for (const auto& [width, height] :
       {std::pair{960, 1280}, {12000, 9000}, {400, 1700}, {3000, 200}, {1, 1}})
    EXPECT_TRUE(PageTiles(width, height, config).empty())
        << width << " x " << height;
  DetectorConfig by_shorter_side;
  by_shorter_side.limit_type = LimitType::kMin;
  EXPECT_TRUE(PageTiles(1080, 20000, by_shorter_side).empty());
}

TEST(PageTiles, LongPages_AreCoveredByTilesThatOverlap) {
  const DetectorConfig config;
  for (const auto& [width, height] : {std::pair{1080, 8000},
                                      {750, 12000},
                                      {20000, 200},
                                      {1080, 100000},
                                      {5, 4097},
                                      {262143, 1}}) {
    const std::vector<PageTile> tiles = PageTiles(width, height, config);
    const int longer = std::max(width, height);
    const int shorter = std::min(width, height);
    ASSERT_GE(tiles.size(), 2u) << width << " x " << height;
    EXPECT_EQ(tiles.front().begin, 0);
    EXPECT_EQ(tiles.back().end, longer);
    for (size_t i = 0; i < tiles.size(); ++i) {
      const int length = tiles[i].end - tiles[i].begin;
      EXPECT_EQ(length, tiles[0].end);
      EXPECT_LE(length, std::max(2 * shorter, config.limit_side));
      if (i > 0) {
        EXPECT_GE(tiles[i - 1].end - tiles[i].begin, (shorter + 1) / 2);
      }
    }
  }
}

// Lines of a page as tiles show them: cut at the edges of each tile.
std::vector<Quad> InTiles(const std::vector<std::array<float, 4>>& lines,
                          int width, int height) {
  const bool is_tall = height > width;
  std::vector<TextBox> boxes;
  PageTile before;
  for (const PageTile& tile : PageTiles(width, height, DetectorConfig())) {
    const auto begin = static_cast<float>(tile.begin);
    const auto end = static_cast<float>(tile.end);
    std::vector<TextBox> found;
    for (auto [left, top, right, bottom] : lines) {
      float& low = is_tall ? top : left;
      float& high = is_tall ? bottom : right;
      low = std::max(low, begin);
      high = std::min(high, end);
      if (low < high) {
        found.push_back({.quad = Rectangle(left, top, right, bottom)});
      }
    }
    JoinTile({tile.begin, before.end}, is_tall, std::move(found), &boxes);
    before = tile;
  }
  std::vector<Quad> quads;
  for (const TextBox& box : boxes) quads.push_back(box.quad);
  std::sort(quads.begin(), quads.end(), [](const Quad& a, const Quad& b) {
    return std::pair(a[0].y, a[0].x) < std::pair(b[0].y, b[0].x);
  });
  return quads;
}

TEST(PageTiles, LinesOfTallPages_CountOnceAndWhole) {
  std::vector<std::array<float, 4>> lines;
  std::vector<Quad> expected;
  for (float y = 10; y < 9900; y += 37) {
    lines.push_back({20, y, 400, y + 30});
    lines.push_back({430, y, 980, y + 30});
  }
  for (const auto& [left, top, right, bottom] : lines)
    expected.push_back(Rectangle(left, top, right, bottom));
  EXPECT_EQ(InTiles(lines, 1000, 10000), expected);
}

TEST(PageTiles, LinesLongerThanTiles_AreJoined) {
  const std::vector<std::array<float, 4>> lines = {
      {15, 20, 19990, 60}, {15, 80, 700, 120}, {800, 80, 1500, 120}};
  std::vector<Quad> expected;
  for (const auto& [left, top, right, bottom] : lines)
    expected.push_back(Rectangle(left, top, right, bottom));
  EXPECT_EQ(InTiles(lines, 20000, 200), expected);
}

TEST(PageTiles, LineSeenByTwoTiles_KeepsTheBetterScore) {
  std::vector<TextBox> boxes = {
      {.quad = Rectangle(10, 500, 90, 520), .score = 0.5f}};
  JoinTile({490, 600}, true,
           {{.quad = Rectangle(10, 501, 90, 520),
             .score = 0.8f,
             .is_low_score = true},
            {.quad = Rectangle(10, 530, 90, 550), .score = 0.6f}},
           &boxes);
  ASSERT_EQ(boxes.size(), 2u);
  EXPECT_EQ(boxes[0].quad, Rectangle(10, 500, 90, 520));
  EXPECT_EQ(boxes[0].score, 0.8f);
  EXPECT_FALSE(boxes[0].is_low_score);
  EXPECT_EQ(boxes[1].quad, Rectangle(10, 530, 90, 550));
}

}  // namespace
}  // namespace munja::ocr
