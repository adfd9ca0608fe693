#include "text/edit_distance.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

namespace munja::text {
namespace {

TEST(EditDistance, Edits_AreCounted) {
  EXPECT_EQ(EditDistance("", ""), 0u);
  EXPECT_EQ(EditDistance("abc", ""), 3u);
  EXPECT_EQ(EditDistance("", "ab"), 2u);
  EXPECT_EQ(EditDistance("kitten", "sitting"), 3u);
  EXPECT_EQ(EditDistance("flaw", "lawn"), 2u);
  EXPECT_EQ(EditDistance("same", "same"), 0u);
}

TEST(EditDistance, CodePoints_AreCountedNotBytes) {
  EXPECT_EQ(EditDistance("\u4E2D\u6587", "\u4E2D\u56FD"), 1u);
  EXPECT_EQ(EditDistance("\U0001F600", "x"), 1u);
}

size_t WholeTable(const std::u32string& a, const std::u32string& b) {
  std::vector<std::vector<size_t>> d(a.size() + 1,
                                     std::vector<size_t>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); ++i) {
    for (size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        d[i][j] = i + j;
        continue;
      }
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1,
                          d[i - 1][j - 1] + (a[i - 1] != b[j - 1])});
    }
  }
  return d[a.size()][b.size()];
}

TEST(EditDistance, Distance_EqualsTheWholeTable) {
  std::mt19937 random(1);
  for (int round = 0; round < 2000; ++round) {
    std::u32string a(random() % 12, U'a'), b(random() % 12, U'a');
    for (auto& c : a) c += random() % 3;
    for (auto& c : b) c += random() % 3;
    ASSERT_EQ(EditDistance(a, b), WholeTable(a, b)) << "round " << round;
  }
}

}  // namespace
}  // namespace munja::text
