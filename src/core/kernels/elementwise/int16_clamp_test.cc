#include "kernels/elementwise/int16_clamp.h"

#include <gtest/gtest.h>

#include <limits>
#include <utility>
#include <vector>

#include "hwy/tests/hwy_gtest.h"

namespace munja::kernels {
namespace {

class Int16ClampTest : public hwy::TestWithParamTarget {};
HWY_TARGET_INSTANTIATE_TEST_SUITE_P(Int16ClampTest);

TEST_P(Int16ClampTest, RandomCases_MatchReference) {
  constexpr int16_t kLeast = std::numeric_limits<int16_t>::min(),
                    kMost = std::numeric_limits<int16_t>::max();
  for (const size_t count : {0, 1, 7, 32, 65, 1000}) {
    std::vector<int16_t> in(count);
    for (size_t i = 0; i < count; ++i)
      in[i] = static_cast<int16_t>(static_cast<uint16_t>(i * 7919));
    for (const auto& [low, high] : {std::pair<int16_t, int16_t>{0, kMost},
                                    {kLeast, kMost},
                                    {-100, 3000},
                                    {5, 5}}) {
      std::vector<int16_t> got(count + 1, 77), want = got;
      Clamp(in.data(), count, low, high, got.data());
      reference::Clamp(in.data(), count, low, high, want.data());
      EXPECT_EQ(got, want) << count << " in " << low << " to " << high;
    }
  }
}

}  // namespace
}  // namespace munja::kernels
