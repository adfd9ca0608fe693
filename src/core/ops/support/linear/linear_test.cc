// Properties of all linear operators of floats.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ops/expect.h"

namespace munja::ops {
namespace {

TestTensor Random(const Shape& shape, uint32_t seed) {
  return Floats(shape,
                RandomFloats(static_cast<size_t>(shape.elements()), seed));
}

struct LinearCase {
  std::string name;
  TestNode node;
  // An output is a sum of this many terms of size at most 1.
  int terms;
  // Numbers of inputs that may also be known only when the model runs.
  std::vector<size_t> operands;
};

std::vector<LinearCase> LinearCases() {
  std::vector<LinearCase> cases;
  TestNode conv;
  conv.op = "CONV_2D";
  conv.inputs = {Random({2, 9, 8, 6}, 1), Random({10, 3, 3, 3}, 2).Constant(),
                 Random({10}, 3).Constant()};
  cases.push_back({"Conv2dGroups", conv, 28, {1, 2}});
  conv.attributes =
      Options({{"padding", std::string("SAME")},
               {"stride_h", int64_t{2}},
               {"dilation_w_factor", int64_t{2}},
               {"fused_activation_function", std::string("GELU")}});
  conv.inputs = {Random({2, 33, 41, 6}, 1), Random({20, 3, 3, 6}, 2).Constant(),
                 Random({20}, 3).Constant()};
  cases.push_back({"Conv2d", conv, 55, {1, 2}});
  for (const char* activation : {"NONE", "GELU", "RELU6"}) {
    TestNode node;
    node.op = "DEPTHWISE_CONV_2D";
    node.attributes =
        Options({{"padding", std::string("SAME")},
                 {"stride_h", int64_t{2}},
                 {"fused_activation_function", std::string(activation)}});
    node.inputs = {Random({2, 61, 70, 40}, 1),
                   Random({1, 3, 3, 40}, 2).Constant(),
                   Random({40}, 3).Constant()};
    cases.push_back({std::string("Depthwise") + activation, node, 10, {1, 2}});
  }
  TestNode depthwise;
  depthwise.op = "DEPTHWISE_CONV_2D";
  depthwise.inputs = {Random({2, 9, 8, 6}, 1),
                      Random({1, 3, 3, 12}, 2).Constant(),
                      Random({12}, 3).Constant()};
  cases.push_back({"DepthwiseMultiplier", depthwise, 10, {1, 2}});
  for (const int32_t kernel : {2, 3, 4}) {
    TestNode node;
    node.op = "TRANSPOSE_CONV";
    node.attributes = Options({{"padding", std::string("SAME")},
                               {"stride_h", int64_t{2}},
                               {"stride_w", int64_t{2}}});
    node.inputs = {Ints({4}, {2, 60, 62, 5}).Constant(),
                   Random({5, kernel, kernel, 16}, 2).Constant(),
                   Random({2, 30, 31, 16}, 1), Random({5}, 3).Constant()};
    // At most 4 taps of 16 channels and the bias.
    cases.push_back(
        {"TransposeConv" + std::to_string(kernel), node, 65, {1, 3}});
  }
  TestNode fully;
  fully.op = "FULLY_CONNECTED";
  fully.inputs = {Random({40, 80}, 1),
                  Halves({999, 80}, RandomFloats(999 * 80, 2)).Constant(),
                  Random({999}, 3).Constant()};
  // Weights of 16 bits are constant.
  cases.push_back({"FullyConnectedHalves", fully, 81, {2}});
  fully.inputs[1] = Random({99, 80}, 2).Constant();
  fully.inputs[2] = Random({99}, 3).Constant();
  cases.push_back({"FullyConnected", fully, 81, {1, 2}});
  for (const int32_t batches : {1, 5}) {
    TestNode node;
    node.op = "BATCH_MATMUL";
    node.attributes = Options({{"adj_y", true}});
    node.inputs = {Random({batches, 70, 33}, 1),
                   Random({batches, 90, 33}, 2).Constant()};
    cases.push_back({"BatchMatMul" + std::to_string(batches), node, 33, {1}});
  }
  return cases;
}

// Half an ulp of a partial sum for each term.
void ExpectSameSums(const TestTensor& got, const TestTensor& want, int terms) {
  ASSERT_EQ(got.shape, want.shape);
  const auto a = got.values<float>(), b = want.values<float>();
  for (size_t i = 0; i < a.size(); ++i)
    ASSERT_NEAR(a[i], b[i], terms * terms * 1.2e-7) << i;
}

class LinearOpTest : public testing::TestWithParam<LinearCase> {};

TEST_P(LinearOpTest, AnyNumberOfThreads_MatchesReference) {
  const TestNode& node = GetParam().node;
  const auto want = RunNode(node, {.reference_kernels = true});
  const auto one = RunNode(node), three = RunNode(node, {.threads = 3});
  ASSERT_TRUE(want.ok() && one.ok() && three.ok());
  EXPECT_EQ((*one)[0].bytes, (*three)[0].bytes);
  ExpectSameSums((*one)[0], (*want)[0], GetParam().terms);
}

// Any of them, the others constant, and all.
TEST_P(LinearOpTest, DynamicOperands_MatchConstants) {
  const auto want = RunNode(GetParam().node);
  ASSERT_TRUE(want.ok()) << want.status().message();
  const std::vector<size_t>& operands = GetParam().operands;
  for (unsigned which = 1; which < 1u << operands.size(); ++which) {
    TestNode node = GetParam().node;
    for (size_t i = 0; i < operands.size(); ++i)
      node.inputs[operands[i]].is_constant = (which >> i & 1) == 0;
    const auto got = RunNode(node, {.threads = 2});
    ASSERT_TRUE(got.ok()) << got.status().message();
    ExpectSameSums((*got)[0], (*want)[0], GetParam().terms);
  }
}

INSTANTIATE_TEST_SUITE_P(Operators, LinearOpTest,
                         testing::ValuesIn(LinearCases()),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace munja::ops
