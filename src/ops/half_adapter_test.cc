#include "ops/half_adapter.h"

#include <gtest/gtest.h>

#include "ops/expect.h"
#include "tensor/half.h"

namespace munja::ops {
namespace {

// The bits of values in float16.
std::vector<uint16_t> Bits(const std::vector<float>& values) {
  return Halves({static_cast<int32_t>(values.size())}, values)
      .values<uint16_t>();
}

TEST(HalfAdapterTest, ComputesInFloatAndRoundsOnce) {
  // 2048 + 1 is no float16: in float it is kept until the fused clamp.
  TestNode node{.op = "ADD",
                .inputs = {Halves({3}, {2048, -1, 0.5f}), Halves({1}, {1})},
                .outputs = {{ElementType::kFloat16}}};
  ExpectOutput<uint16_t>(node, {3}, Bits({2048, 0, 1.5f}));
  node.attributes =
      Options({{"fused_activation_function", std::string("RELU6")}});
  ExpectOutput<uint16_t>(node, {3}, Bits({6, 0, 1.5f}));
}

TEST(HalfAdapterTest, ReachesOtherOperators) {
  const TestOutput half{ElementType::kFloat16};
  ExpectOutput<uint16_t>({.op = "RELU",
                          .inputs = {Halves({2, 2}, {-1, 2, -3, 4})},
                          .outputs = {half}},
                         {2, 2}, Bits({0, 2, 0, 4}));
  ExpectOutput<uint16_t>(
      {.op = "SQUARE", .inputs = {Halves({2}, {-1.5f, 3})}, .outputs = {half}},
      {2}, Bits({2.25f, 9}));
  ExpectOutput<uint16_t>(
      {.op = "SUM",
       .inputs = {Halves({2, 2}, {1, 2, 3, 4}), Ints({1}, {0}).Constant()},
       .outputs = {half}},
      {2}, Bits({4, 6}));
  ExpectOutput<uint16_t>(
      {.op = "SOFTMAX", .inputs = {Halves({1, 2}, {3, 3})}, .outputs = {half}},
      {1, 2}, Bits({0.5f, 0.5f}));
}

TEST(HalfAdapterTest, RefusesMixedTypes) {
  ExpectRefused({.op = "ADD",
                 .inputs = {Halves({1}, {1}), Floats({1}, {1})},
                 .outputs = {{ElementType::kInt32}}},
                Code::kMalformed, "mixes");
}

}  // namespace
}  // namespace munja::ops
