#include <gtest/gtest.h>

#include "ops/expect.h"

namespace munja::ops {
namespace {

TestNode Reshape(TestTensor x, std::vector<int32_t> shape) {
  const ElementType type = x.type;
  const auto n = static_cast<int32_t>(shape.size());
  return {.op = "RESHAPE",
          .inputs = {std::move(x), Ints({n}, shape).Constant()},
          .outputs = {{type}}};
}

TEST(ReshapeTest, Shape_ComesFromInputOrOption) {
  const TestTensor x = Floats({2, 3}, Count(6));
  ExpectOutput<float>(Reshape(x, {3, 2}), {3, 2}, Count(6));
  ExpectOutput<float>(Reshape(x, {1, -1, 3}), {1, 2, 3}, Count(6));
  ExpectOutput<float>(
      {.op = "RESHAPE",
       .attributes = Options({{"new_shape", std::vector<int64_t>{6, 1}}}),
       .inputs = {x}},
      {6, 1}, Count(6));
  ExpectOutput<float>(Reshape(Floats({1}, {4}), {0}), {}, {4});
  ExpectOutput<float>(Reshape(Floats({0, 3}, {}), {3, 0}), {3, 0}, {});
  ExpectOutput<uint8_t>(
      Reshape(MakeTensor<uint8_t>(ElementType::kBool, {2}, {0, 1}), {2, 1}),
      {2, 1}, {0, 1});
}

TEST(ReshapeTest, SqueezeAndExpand_ChangeTheRank) {
  const TestTensor x = Floats({1, 2, 1}, {1, 2});
  const auto squeeze = [&](std::vector<int64_t> dims) {
    return TestNode{.op = "SQUEEZE",
                    .attributes = Options({{"squeeze_dims", dims}}),
                    .inputs = {x}};
  };
  ExpectOutput<float>(squeeze({}), {2}, {1, 2});
  ExpectOutput<float>(squeeze({-1}), {1, 2}, {1, 2});
  ExpectRefused(squeeze({1}), Code::kMalformed, "dimension 1");
  const auto expand = [&](int32_t axis) {
    return TestNode{
        .op = "EXPAND_DIMS",
        .inputs = {Floats({2}, {1, 2}), Ints({}, {axis}).Constant()}};
  };
  ExpectOutput<float>(expand(0), {1, 2}, {1, 2});
  ExpectOutput<float>(expand(-1), {2, 1}, {1, 2});
  ExpectRefused(expand(2), Code::kMalformed, "axis 2");
}

TEST(ReshapeTest, InvalidNodes_AreRefused) {
  const TestTensor x = Floats({2, 3}, Count(6));
  ExpectRefused(Reshape(x, {4, 2}), Code::kMalformed, "4x2 out of 2x3");
  ExpectRefused(Reshape(x, {-1, -1}), Code::kMalformed, "two dimensions");
  ExpectRefused(Reshape(x, {4, -1}), Code::kMalformed, "6 elements");
  ExpectRefused(Reshape(x, {-2, -3}), Code::kMalformed, "-2");
  ExpectRefused({.op = "RESHAPE", .inputs = {x, Ints({2}, {3, 2})}},
                Code::kNeedsValues, "new shape is not known before the run");
}

TEST(ReshapeTest, Int4Bytes_Stay) {
  ExpectOutput<uint8_t>(
      {.op = "RESHAPE",
       .inputs = {MakeTensor<uint8_t>(ElementType::kInt4, {3}, {0x21, 0x03}),
                  Ints({2}, {3, 1}).Constant()},
       .outputs = {{ElementType::kInt4}}},
      {3, 1}, {0x21, 0x03});
}

}  // namespace
}  // namespace munja::ops
