#include <gtest/gtest.h>

#include "ops/expect.h"

namespace munja::ops {
namespace {

TEST(CumsumTest, EachDirection_IsSummed) {
  const auto node = [](int32_t axis, bool exclusive, bool reverse) {
    return TestNode{
        .op = "CUMSUM",
        .attributes = Options({{"exclusive", exclusive}, {"reverse", reverse}}),
        .inputs = {Floats({2, 3}, {1, 2, 3, 4, 5, 6}),
                   Ints({}, {axis}).Constant()}};
  };
  ExpectOutput<float>(node(1, false, false), {2, 3}, {1, 3, 6, 4, 9, 15});
  ExpectOutput<float>(node(-1, true, false), {2, 3}, {0, 1, 3, 0, 4, 9});
  ExpectOutput<float>(node(1, false, true), {2, 3}, {6, 5, 3, 15, 11, 6});
  ExpectOutput<float>(node(0, true, true), {2, 3}, {4, 5, 6, 0, 0, 0});
  ExpectRefused(node(2, false, false), Code::kMalformed, "axis 2");
}

}  // namespace
}  // namespace munja::ops
