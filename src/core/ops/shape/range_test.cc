#include <gtest/gtest.h>

#include "ops/expect.h"

namespace munja::ops {
namespace {

TEST(RangeTest, Range_CountsUpAndDown) {
  const auto ints = [](int32_t start, int32_t limit, int32_t delta) {
    return TestNode{
        .op = "RANGE",
        .inputs = {Ints({}, {start}).Constant(), Ints({}, {limit}).Constant(),
                   Ints({}, {delta}).Constant()},
        .outputs = {{ElementType::kInt32}}};
  };
  ExpectOutput<int32_t>(ints(0, 5, 2), {3}, {0, 2, 4});
  ExpectOutput<int32_t>(ints(5, 0, -2), {3}, {5, 3, 1});
  ExpectOutput<int32_t>(ints(3, 3, 1), {0}, {});
  ExpectRefused(ints(0, 5, 0), Code::kMalformed, "limit");
  ExpectRefused(ints(0, 5, -1), Code::kMalformed, "limit");
  ExpectOutput<float>(
      {.op = "RANGE",
       .inputs = {Floats({}, {0}).Constant(), Floats({}, {1}).Constant(),
                  Floats({}, {0.25f}).Constant()}},
      {4}, {0, 0.25f, 0.5f, 0.75f});
  TestNode unknown = ints(0, 5, 1);
  unknown.inputs[1].is_constant = false;
  ExpectRefused(unknown, Code::kNeedsValues, "not known before the run");
}

}  // namespace
}  // namespace munja::ops
