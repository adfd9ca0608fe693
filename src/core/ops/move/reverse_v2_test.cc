#include <gtest/gtest.h>

#include "ops/expect.h"

namespace munja::ops {
namespace {

TEST(ReverseV2Test, EachAxis_IsReversed) {
  const auto node = [](std::vector<int32_t> axes) {
    const auto n = static_cast<int32_t>(axes.size());
    return TestNode{
        .op = "REVERSE_V2",
        .inputs = {Floats({2, 3}, Count(6)), Ints({n}, axes).Constant()}};
  };
  ExpectOutput<float>(node({1}), {2, 3}, {2, 1, 0, 5, 4, 3});
  ExpectOutput<float>(node({-2}), {2, 3}, {3, 4, 5, 0, 1, 2});
  ExpectOutput<float>(node({0, 1}), {2, 3}, {5, 4, 3, 2, 1, 0});
  ExpectRefused(node({0, 0}), Code::kMalformed, "twice");
}

}  // namespace
}  // namespace munja::ops
