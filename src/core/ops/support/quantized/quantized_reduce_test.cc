#include "ops/support/quantized/quantized_reduce.h"

#include <gtest/gtest.h>

#include "ops/expect.h"

namespace munja::ops {
namespace {

TestNode Reduce(const std::string& op, TestTensor x, std::vector<int32_t> axes,
                TestOutput out) {
  const Shape shape{static_cast<int32_t>(axes.size())};
  return {.op = op,
          .inputs = {std::move(x), Ints(shape, axes).Constant()},
          .outputs = {std::move(out)}};
}

TEST(QuantizedReduceTest, MeansAndSums_AreRescaled) {
  const TestTensor x = Int8s({2, 3}, {1, 2, 6, -128, 127, 10}, 0.5f, 1);
  const TestOutput out{ElementType::kInt8, {{0.25f}, {-3}}};
  // Less the zero point: 0, 1, 5 and -129, 126, 9. In quarters twice that.
  ExpectOutput<int8_t>(Reduce("MEAN", x, {1}, out), {2}, {1, 1});
  ExpectOutput<int8_t>(Reduce("SUM", x, {-1}, out), {2}, {9, 9});
  ExpectOutput<int8_t>(Reduce("MEAN", x, {0}, out), {3}, {-128, 124, 11});
  ExpectOutput<int8_t>(Reduce("MEAN", x, {0, 1, 0}, out), {}, {1});
  // Nothing reduced: only rescaled.
  ExpectOutput<int8_t>(Reduce("MEAN", x, {}, out), {2, 3},
                       {-3, -1, 7, -128, 127, 15});
}

// Reduced and kept dimensions in turn, kept as ones.
TEST(QuantizedReduceTest, SeparateAxes_AreReduced) {
  std::vector<uint8_t> values(2 * 3 * 2 * 2);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<uint8_t>(i);
  TestNode node = Reduce("SUM", UInt8s({2, 3, 2, 2}, values, 1, 0), {0, 2},
                         {ElementType::kUInt8, {{1}, {0}}});
  node.attributes = Options({{"keep_dims", true}});
  // 0 2 12 14, 1 3 13 15, 4 6 16 18, ...
  ExpectOutput<uint8_t>(node, {1, 3, 1, 2}, {28, 32, 44, 48, 60, 64});
}

TEST(QuantizedReduceTest, Products_AreRescaled) {
  // 2 * 3 * 4 and -1 * 5 * 2 of halves: 3 and -1.25.
  ExpectOutput<int8_t>(
      Reduce("REDUCE_PROD", Int8s({2, 3}, {2, 3, 4, -1, 5, 2}, 0.5f, 0), {1},
             {ElementType::kInt8, {{0.125f}, {0}}}),
      {2}, {24, -10});
}

// The sum is wider than the numbers.
TEST(QuantizedReduceTest, PlainIntegers_GiveTheMean) {
  ExpectOutput<int32_t>(
      Reduce("MEAN", Ints({2, 2}, {2000000000, 2000000001, -3, -4}), {1},
             {ElementType::kInt32}),
      {2}, {2000000000, -3});
}

TEST(QuantizedReduceTest, EmptyReduction_GivesTheZeroPoint) {
  ExpectOutput<int8_t>(Reduce("MEAN", Int8s({2, 0}, {}, 0.5f, 0), {1},
                              {ElementType::kInt8, {{0.5f}, {7}}}),
                       {2}, {7, 7});
}

TEST(QuantizedReduceTest, InvalidNodes_AreRefused) {
  ExpectRefused(
      Reduce("MEAN", Int8s({2}, {1, 2}, 1, 0), {0}, {ElementType::kInt8}),
      Code::kMalformed, "no scale");
  ExpectRefused(Reduce("SUM", Int8s({2}, {1, 2}, 1, 0), {1},
                       {ElementType::kInt8, {{1}, {0}}}),
                Code::kMalformed, "axis 1");
}

}  // namespace
}  // namespace munja::ops
