#include "ops/support/quantized/quantized_binary.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "ops/expect.h"

namespace munja::ops {
namespace {

TestOutput Out8(float scale, int64_t zero) {
  return {ElementType::kInt8, {{scale}, {zero}}};
}

// Exact: all multipliers are powers of two.
TEST(QuantizedBinaryTest, SumsWithPowerOfTwoScales_AreExact) {
  TestNode node{.op = "ADD",
                .inputs = {Int8s({4}, {-128, 0, 3, 127}, 0.5f, 1),
                           Int8s({4}, {127, 4, -9, 127}, 0.25f, -2)},
                .outputs = {Out8(0.5f, 5)}};
  // -64.5 + 32.25, -0.5 + 1.5, 1 - 1.75, 63 + 32.25 in halves, plus 5; ties
  // away from zero.
  ExpectOutput<int8_t>(node, {4}, {-60, 7, 3, 127});
  node.op = "SUB";
  // -96.75, -2, 2.75, 30.75
  ExpectOutput<int8_t>(node, {4}, {-128, 1, 11, 67});
  node.attributes =
      Options({{"fused_activation_function", std::string("RELU6")}});
  // 0 and 6 are 5 and 17.
  ExpectOutput<int8_t>(node, {4}, {5, 5, 11, 17});
}

TEST(QuantizedBinaryTest, Mul_MatchesHandComputation) {
  TestNode node{.op = "MUL",
                .inputs = {UInt8s({2, 2}, {0, 255, 10, 131}, 0.5f, 128),
                           UInt8s({2}, {100, 104}, 0.25f, 100)},
                .outputs = {{ElementType::kUInt8, {{0.5f}, {100}}}}};
  // -64 * 0, 63.5 * 1, -59 * 0, 1.5 * 1 in halves, plus 100.
  ExpectOutput<uint8_t>(node, {2, 2}, {100, 227, 100, 103});
}

TEST(QuantizedBinaryTest, Div_DividesAndRefusesZero) {
  TestNode node{.op = "DIV",
                .inputs = {Int8s({4}, {100, -100, 7, 0}, 1.0f, 0),
                           Int8s({4}, {3, 4, -2, 5}, 1.0f, 0)},
                .outputs = {Out8(0.5f, 0)}};
  // 33.33, -25, -3.5, 0 in halves.
  ExpectOutput<int8_t>(node, {4}, {67, -50, -7, 0});
  node.inputs[1] = Int8s({1}, {5}, 1.0f, 5);
  ExpectRefused(node, Code::kInvalidArgument, "divides by zero");
}

TEST(QuantizedBinaryTest, Prelu_AppliesSlopes) {
  TestNode node{.op = "PRELU",
                .inputs = {Int8s({2, 2}, {-8, 8, -16, 20}, 0.5f, 0),
                           Int8s({2}, {4, 2}, 0.25f, 0)},
                .outputs = {Out8(0.5f, 1)}};
  // -4 * 1, 4, -8 * 1, 10 in halves, plus 1.
  ExpectOutput<int8_t>(node, {2, 2}, {-7, 9, -15, 21});
  node.inputs[1] = Int8s({2, 2, 2}, {1, 1, 1, 1, 1, 1, 1, 1}, 0.25f, 0);
  ExpectRefused(node, Code::kMalformed, "do not broadcast");
}

TEST(QuantizedBinaryTest, SquaredDifference_MatchesHandComputation) {
  const TestNode node{.op = "SQUARED_DIFFERENCE",
                      .inputs = {Int8s({3}, {10, -3, 7}, 0.5f, 0),
                                 Int8s({3}, {4, 5, 7}, 0.5f, 0)},
                      .outputs = {Out8(0.25f, -10)}};
  // 9, 16, 0 in quarters, minus 10.
  ExpectOutput<int8_t>(node, {3}, {26, 54, -10});
}

TEST(QuantizedBinaryTest, Int16Sums_ShiftOrRescale) {
  TestNode node{.op = "ADD",
                .inputs = {Int16s({4}, {32767, -32768, 5, 6}, 0.25f),
                           Int16s({4}, {32767, -32768, 1, 1}, 0.125f)},
                .outputs = {{ElementType::kInt16, {{0.25f}, {0}}}}};
  // By shifts: a + b / 2, saturating; the half goes away from zero.
  ExpectOutput<int16_t>(node, {4}, {32767, -32768, 6, 7});
  node.attributes = Options({{"pot_scale_int16", false}});
  ExpectOutput<int16_t>(node, {4}, {32767, -32768, 6, 7});
  // Where no operand has the output's scale the general form does it.
  node.attributes = {};
  node.outputs = {{ElementType::kInt16, {{0.5f}, {0}}}};
  ExpectOutput<int16_t>(node, {4}, {24575, -24576, 3, 3});
}

// Without scales int16 is a plain integer.
TEST(QuantizedBinaryTest, Int16WithoutScale_IsPlainArithmetic) {
  const TestNode node{
      .op = "MUL",
      .inputs = {MakeTensor<int16_t>(ElementType::kInt16, {2}, {300, -7}),
                 MakeTensor<int16_t>(ElementType::kInt16, {2}, {2, 5})},
      .outputs = {{ElementType::kInt16}}};
  ExpectOutput<int16_t>(node, {2}, {600, -35});
}

// Compares with double precision: off by one step at most, with any scales.
TEST(QuantizedBinaryTest, AllOperators_AreNearTheFloatResult) {
  std::vector<int8_t> a(256 * 9), b(a.size());
  for (size_t i = 0; i < a.size(); ++i) {
    a[i] = static_cast<int8_t>(i);
    b[i] = static_cast<int8_t>(i * 37 + i / 256 * 11);
  }
  const Shape shape{9, 256};
  const double sa = 0.0371, sb = 0.0093;
  const int za = -5, zb = 17, zo = 3;
  for (const std::string op : {"ADD", "SUB", "MUL", "SQUARED_DIFFERENCE"}) {
    SCOPED_TRACE(op);
    const double so = op == "SQUARED_DIFFERENCE" ? 0.3 : 0.0411;
    const TestNode node{
        .op = op,
        .inputs = {Int8s(shape, a, sa, za), Int8s(shape, b, sb, zb)},
        .outputs = {Out8(so, zo)}};
    const auto got = RunNode(node, {.threads = 3});
    const auto slow = RunNode(node, {.reference_kernels = true});
    ASSERT_TRUE(got.ok()) << got.status().message();
    ASSERT_TRUE(slow.ok());
    EXPECT_EQ((*got)[0].bytes, (*slow)[0].bytes);
    const auto values = (*got)[0].values<int8_t>();
    for (size_t i = 0; i < a.size(); ++i) {
      const double x = sa * (a[i] - za), y = sb * (b[i] - zb);
      const double real = op == "ADD"   ? x + y
                          : op == "SUB" ? x - y
                          : op == "MUL" ? x * y
                                        : (x - y) * (x - y);
      const double want = std::clamp(real / so + zo, -128.0, 127.0);
      ASSERT_NEAR(values[i], want, 1.0) << i;
    }
  }
}

TEST(QuantizedBinaryTest, InvalidNodes_AreRefused) {
  TestNode node{.op = "ADD",
                .inputs = {Int8s({1}, {1}, 1, 0), Int8s({1}, {1}, 1, 0)},
                .outputs = {{ElementType::kInt8}}};
  ExpectRefused(node, Code::kMalformed, "no scale");
  node.outputs = {Out8(1, 200)};
  ExpectRefused(node, Code::kMalformed, "zero point");
  node.outputs = {{ElementType::kUInt8, {{1}, {0}}}};
  ExpectRefused(node, Code::kMalformed, "mixes");
  node.op = "SQUARED_DIFFERENCE";
  node.inputs = {UInt8s({1}, {1}, 1, 0), UInt8s({1}, {1}, 1, 0)};
  ExpectRefused(node, Code::kUnsupported, "int8");
}

}  // namespace
}  // namespace munja::ops
