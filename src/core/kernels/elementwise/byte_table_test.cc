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

TEST_P(ByteTableTest, EveryByteAtEveryLength_IsMapped) {
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

// The three channels have tables of their own, in either order.
TEST_P(ByteTableTest, Pixels_AreMappedByTheTablesOfTheirChannels) {
  std::mt19937 random(2);
  std::vector<uint8_t> tables(768), in(3 * 1200);
  for (uint8_t& x : in) x = static_cast<uint8_t>(random());
  for (const bool are_equal : {false, true}) {
    for (size_t i = 0; i < tables.size(); ++i)
      tables[i] = are_equal && i >= 256 ? tables[i - 256]
                                        : static_cast<uint8_t>(random());
    for (const bool swap : {false, true}) {
      for (size_t pixels :
           {0, 1, 15, 16, 63, 64, 65, 130, 511, 512, 513, 1200}) {
        std::vector<uint8_t> got(in.size(), 7);
        LookUpPixels(tables.data(), in.data(), pixels, swap, got.data());
        for (size_t i = 0; i < got.size(); ++i) {
          const size_t c = i % 3, from = swap ? i - c + 2 - c : i;
          ASSERT_EQ(got[i], i < 3 * pixels ? tables[256 * c + in[from]] : 7)
              << pixels << " " << i;
        }
      }
    }
  }
}

}  // namespace
}  // namespace munja::kernels
