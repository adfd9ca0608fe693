#include <gtest/gtest.h>

#include "ops/expect.h"

namespace munja::ops {
namespace {

TEST(OneHotTest, EachAxis_GetsTheClasses) {
  const auto node = [](int64_t axis) {
    return TestNode{.op = "ONE_HOT",
                    .attributes = Options({{"axis", axis}}),
                    .inputs = {Ints({3}, {1, 0, 7}), Ints({}, {2}).Constant(),
                               Floats({}, {5}), Floats({}, {-1})}};
  };
  ExpectOutput<float>(node(-1), {3, 2}, {-1, 5, 5, -1, -1, -1});
  ExpectOutput<float>(node(0), {2, 3}, {-1, 5, -1, 5, -1, -1});
  ExpectRefused(node(2), Code::kMalformed, "axis 2");
}

}  // namespace
}  // namespace munja::ops
