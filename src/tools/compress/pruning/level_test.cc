#include "compress/pruning/level.h"

#include <gtest/gtest.h>

namespace munja::compress {
namespace {

TEST(Level, Text_IsShareOrPercentage) {
  EXPECT_DOUBLE_EQ(*ParseLevel("0"), 0);
  EXPECT_DOUBLE_EQ(*ParseLevel("0.7"), 0.7);
  EXPECT_DOUBLE_EQ(*ParseLevel("70"), 0.7);
  EXPECT_DOUBLE_EQ(*ParseLevel("70%"), 0.7);
  EXPECT_DOUBLE_EQ(*ParseLevel("1"), 1);
  EXPECT_DOUBLE_EQ(*ParseLevel("0.5%"), 0.005);
  for (const char* wrong : {"", "%", "much", "-0.1", "101", "0.7x", "nan"})
    EXPECT_EQ(ParseLevel(wrong).status().code(), Code::kInvalidArgument)
        << wrong;
}

TEST(Level, Kept_IsFloorAndAtLeastOne) {
  EXPECT_EQ(KeptFilters(32, 0), 32);
  EXPECT_EQ(KeptFilters(32, 0.5), 16);
  EXPECT_EQ(KeptFilters(32, 0.7), 9);
  EXPECT_EQ(KeptFilters(10, 0.9), 1);
  EXPECT_EQ(KeptFilters(320, 0.9), 32);
  EXPECT_EQ(KeptFilters(3, 0.9), 1);
  EXPECT_EQ(KeptFilters(3, 1), 0);
}

TEST(Level, Multiple_IsRoundedDown) {
  EXPECT_EQ(RoundedToMultiple(53, 8, 80), 48);
  EXPECT_EQ(RoundedToMultiple(48, 8, 80), 48);
  EXPECT_EQ(RoundedToMultiple(5, 8, 24), 8);
  EXPECT_EQ(RoundedToMultiple(2, 8, 5), 5);
  EXPECT_EQ(RoundedToMultiple(53, 1, 80), 53);
}

TEST(Level, EmptyLayer_IsNamed) {
  EXPECT_TRUE(CheckLevel(0.99, "stem", 3).ok());
  const Status status = CheckLevel(1, "stem", 3);
  EXPECT_EQ(status.code(), Code::kInvalidArgument);
  EXPECT_NE(status.message().find("'stem'"), std::string_view::npos);
}

}  // namespace
}  // namespace munja::compress
