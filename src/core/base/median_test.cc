#include "base/median.h"

#include <gtest/gtest.h>

namespace munja {
namespace {

TEST(Median, UnsortedValues_GiveTheMiddleOne) {
  std::vector<int> odd = {9, -1, 4};
  EXPECT_EQ(Median(odd), 4);
  std::vector<double> even = {0.5, 3.0, 2.0, 1.0};
  EXPECT_EQ(Median(even), 2.0);
  std::vector<float> one = {7.0f};
  EXPECT_EQ(Median(one), 7.0f);
  std::vector<float> none;
  EXPECT_EQ(Median(none), 0.0f);
}

}  // namespace
}  // namespace munja
