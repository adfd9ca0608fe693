#include "image/gray.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <random>
#include <vector>

#include "hwy/tests/hwy_gtest.h"

namespace munja::image {
namespace {

class GrayTest : public hwy::TestWithParamTarget {};
HWY_TARGET_INSTANTIATE_TEST_SUITE_P(GrayTest);

TEST_P(GrayTest, EveryColor_IsExactAtEveryWidth) {
  // All that can be rounded: any two of the three near both ends.
  std::vector<uint8_t> in;
  for (int r = 0; r < 256; r += 1)
    for (int g : {0, 1, 2, 127, 128, 253, 254, 255})
      for (int b : {0, 1, 2, 3, 126, 129, 252, 255})
        for (int v : {r, g, b}) in.push_back(static_cast<uint8_t>(v));
  const size_t all = in.size() / 3;
  std::vector<size_t> lengths = {all};
  for (size_t pixels = 0; pixels < 200; ++pixels) lengths.push_back(pixels);
  for (const size_t pixels : lengths) {
    std::vector<uint8_t> out(all + 1, 77);
    ToGray(in.data(), pixels, out.data());
    for (size_t i = 0; i < out.size(); ++i) {
      const int sum =
          i < pixels ? in[3 * i] + 2 * in[3 * i + 1] + in[3 * i + 2] : 4 * 77;
      ASSERT_EQ(out[i], sum / 4) << i << " of " << pixels;
    }
  }
}

TEST(CountLevels, Counts_AreAdded) {
  std::mt19937 random(1);
  for (size_t count : {0, 1, 255, 256, 257, 1000, 1003}) {
    std::vector<uint8_t> levels(count);
    // Runs of equal levels, as paper has them.
    for (size_t i = 0; i < count; ++i)
      levels[i] = i % 7 != 0 ? levels[i - 1] : static_cast<uint8_t>(random());
    std::array<uint32_t, 256> counts, want;
    counts.fill(5);
    want.fill(5);
    for (const uint8_t level : levels) want[level] += 1;
    CountLevels(levels, counts);
    EXPECT_EQ(counts, want) << count;
  }
}

TEST(LevelOfRank, Levels_AreSorted) {
  const std::vector<uint8_t> sorted = {0, 0, 7, 9, 9, 9, 254, 255};
  std::array<uint32_t, 256> counts{};
  CountLevels(sorted, counts);
  for (size_t rank = 0; rank < sorted.size(); ++rank)
    EXPECT_EQ(LevelOfRank(counts, rank), sorted[rank]) << rank;
  EXPECT_EQ(LevelOfRank(counts, sorted.size()), 255);
}

}  // namespace
}  // namespace munja::image
