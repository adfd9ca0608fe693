#include <gtest/gtest.h>

#include "ops/expect.h"

namespace munja::ops {
namespace {

TEST(L2NormalizationTest, KnownValues) {
  ExpectOutput<float>(
      {.op = "L2_NORMALIZATION", .inputs = {Floats({2, 2}, {3, 4, 0, 0})}},
      {2, 2}, {0.6f, 0.8f, 0, 0}, 1e-7);  // One rounding.
}

TEST(L2NormalizationTest, LocalResponse) {
  // x / (1 + sum of squares of the neighbors and itself).
  ExpectOutput<float>({.op = "LOCAL_RESPONSE_NORMALIZATION",
                       .attributes = Options({{"radius", int64_t{1}},
                                              {"bias", 1.0},
                                              {"alpha", 1.0},
                                              {"beta", 1.0}}),
                       .inputs = {Floats({1, 1, 1, 3}, {1, 2, 3})}},
                      {1, 1, 1, 3}, {1.0f / 6, 2.0f / 15, 3.0f / 14}, 1e-7);
}

}  // namespace
}  // namespace munja::ops
