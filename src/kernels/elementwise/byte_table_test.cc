#include "kernels/elementwise/byte_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "hwy/tests/hwy_gtest.h"

namespace munja::kernels {
namespace {

class ByteTableTest : public hwy::TestWithParamTarget {};
HWY_TARGET_INSTANTIATE_TEST_SUITE_P(ByteTableTest);

TEST_P(ByteTableTest, EveryByteAtEveryLength) {
  std::mt19937 random(1);
  std::vector<uint8_t> table(256);
  for (uint8_t& x : table) x = static_cast<uint8_t>(random());
  std::vector<uint8_t> in(1000);
  for (size_t i = 0; i < in.size(); ++i)
    in[i] = static_cast<uint8_t>(i < 256 ? i : random());
  for (size_t count : {0, 1, 15, 16, 17, 63, 64, 65, 255, 1000}) {
    std::vector<uint8_t> want(in.size(), 7), got = want;
    reference::LookUpBytes(table.data(), in.data(), count, want.data());
    LookUpBytes(table.data(), in.data(), count, got.data());
    EXPECT_EQ(got, want) << count;
    got = in;
    LookUpBytes(table.data(), got.data(), count, got.data());
    EXPECT_TRUE(std::equal(got.begin(), got.begin() + count, want.begin()));
    EXPECT_TRUE(std::equal(got.begin() + count, got.end(), in.begin() + count));
  }
}

}  // namespace
}  // namespace munja::kernels
