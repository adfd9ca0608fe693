#include "ops/support/half_adapter.h"

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

TEST(HalfAdapterTest, Half_IsComputedInFloatAndRoundedOnce) {
  // 2048 + 1 is no float16: in float it is kept until the fused clamp.
  TestNode node{.op = "ADD",
                .inputs = {Halves({3}, {2048, -1, 0.5f}), Halves({1}, {1})},
                .outputs = {{ElementType::kFloat16}}};
  ExpectOutput<uint16_t>(node, {3}, Bits({2048, 0, 1.5f}));
  node.attributes =
      Options({{"fused_activation_function", std::string("RELU6")}});
  ExpectOutput<uint16_t>(node, {3}, Bits({6, 0, 1.5f}));
}

TEST(HalfAdapterTest, OtherOperators_AreAdapted) {
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

// 1 2 3 / 4 5 -6, packed two to a byte.
TEST(HalfAdapterTest, Nibbles_AreMoved) {
  const TestTensor x =
      MakeTensor<uint8_t>(ElementType::kInt4, {2, 3}, {0x21, 0x43, 0xa5});
  const TestOutput int4{ElementType::kInt4};
  ExpectOutput<uint8_t>({.op = "TRANSPOSE",
                         .inputs = {x, Ints({2}, {1, 0}).Constant()},
                         .outputs = {int4}},
                        {3, 2}, {0x41, 0x52, 0xa3});
  ExpectOutput<uint8_t>({.op = "SLICE",
                         .inputs = {x, Ints({2}, {0, 1}).Constant(),
                                    Ints({2}, {2, 1}).Constant()},
                         .outputs = {int4}},
                        {2, 1}, {0x52});
  ExpectOutput<uint8_t>({.op = "CONCATENATION",
                         .attributes = Options({{"axis", int64_t{0}}}),
                         .inputs = {x, x},
                         .outputs = {int4}},
                        {4, 3}, {0x21, 0x43, 0xa5, 0x21, 0x43, 0xa5});
  ExpectOutput<uint8_t>(
      {.op = "GATHER", .inputs = {x, Ints({1}, {1})}, .outputs = {int4}},
      {1, 3}, {0x54, 0x0a});
}

TEST(HalfAdapterTest, MixedTypes_AreRefused) {
  for (const ElementType out : {ElementType::kFloat16, ElementType::kFloat32}) {
    ExpectRefused({.op = "ADD",
                   .inputs = {Halves({1}, {1}), Floats({1}, {1})},
                   .outputs = {{out}}},
                  Code::kMalformed, "mixes");
  }
  ExpectRefused({.op = "ADD",
                 .inputs = {Halves({1}, {1}), Floats({1}, {1})},
                 .outputs = {{ElementType::kInt32}}},
                Code::kMalformed, "mixes");
}

}  // namespace
}  // namespace munja::ops
