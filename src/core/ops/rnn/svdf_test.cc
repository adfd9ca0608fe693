#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "kernels/quant/fixed_point.h"
#include "ops/expect.h"
#include "ops/support/rnn/lstm_testing.h"

namespace munja::ops {
namespace {

constexpr int kSvdfBatch = 2, kSvdfInputs = 3, kRank = 2, kSvdfUnits = 4,
              kMemory = 5;
constexpr int kFilters = kRank * kSvdfUnits;

struct SvdfData {
  std::vector<float> input = RandomFloats(kSvdfBatch * kSvdfInputs, 1);
  std::vector<float> features = RandomFloats(kFilters * kSvdfInputs, 2);
  std::vector<float> time = RandomFloats(kFilters * kMemory, 3);
  std::vector<float> bias = RandomFloats(kSvdfUnits, 4);
  std::vector<float> state = RandomFloats(kSvdfBatch * kFilters * kMemory, 5);
};

// The state after the run, and max(0, output).
std::vector<float> ByFormula(const SvdfData& d, bool has_bias,
                             std::vector<float>* state) {
  std::vector<float> out;
  *state = d.state;
  for (int b = 0; b < kSvdfBatch; ++b) {
    for (int u = 0; u < kSvdfUnits; ++u) {
      double sum = has_bias ? d.bias[u] : 0.0;
      for (int f = u * kRank; f < (u + 1) * kRank; ++f) {
        float* kept = state->data() + (b * kFilters + f) * kMemory;
        std::rotate(kept, kept + 1, kept + kMemory);
        double newest = 0.0;
        for (int i = 0; i < kSvdfInputs; ++i)
          newest +=
              d.features[f * kSvdfInputs + i] * d.input[b * kSvdfInputs + i];
        kept[kMemory - 1] = static_cast<float>(newest);
        for (int m = 0; m < kMemory; ++m)
          sum += kept[m] * d.time[f * kMemory + m];
      }
      out.push_back(static_cast<float>(std::max(sum, 0.0)));
    }
  }
  return out;
}

TestNode MakeNode(const SvdfData& d, bool has_bias, LstmTensorMaker matrix) {
  TestNode node;
  node.op = "SVDF";
  node.attributes = Options(
      {{"rank", int64_t{kRank}}, {"fused_activation_function", "RELU"}});
  node.inputs = {
      Floats(Shape{kSvdfBatch, kSvdfInputs}, d.input),
      matrix(Shape{kFilters, kSvdfInputs}, d.features),
      matrix == FloatWeightsOfTheRun
          ? FloatWeights(Shape{kFilters, kMemory}, d.time)
          : matrix(Shape{kFilters, kMemory}, d.time),
      has_bias ? FloatWeights(Shape{kSvdfUnits}, d.bias) : Absent(),
      Floats(Shape{kSvdfBatch, kFilters * kMemory}, d.state).Variable()};
  return node;
}

void ExpectFormula(const SvdfData& d, bool has_bias, LstmTensorMaker matrix,
                   double tolerance) {
  std::vector<float> state;
  const std::vector<float> want = ByFormula(d, has_bias, &state);
  const TestNode node = MakeNode(d, has_bias, matrix);
  ExpectOutput<float>(node, Shape{kSvdfBatch, kSvdfUnits}, want, tolerance);
  std::vector<TestTensor> inputs;
  ASSERT_TRUE(RunNode(node, {.inputs_after = &inputs}).ok());
  const std::vector<float> after = inputs[4].values<float>();
  for (size_t i = 0; i < state.size(); ++i)
    ASSERT_NEAR(after[i], state[i], tolerance) << i;
}

TEST(Svdf, FloatWeights_FollowTheFormula) {
  for (const bool has_bias : {false, true}) {
    ExpectFormula({}, has_bias, FloatWeights, 1e-5);
    ExpectFormula({}, has_bias, FloatWeightsOfTheRun, 1e-5);
  }
}

TEST(Svdf, Int8Weights_AreCloseToTheFormula) {
  SvdfData d;
  d.features = RoundedTo8Bits(d.features);
  d.time = RoundedTo8Bits(d.time);
  ExpectFormula(d, true, ByteWeights, 0.02);
}

TestNode MakeInteger(bool has_wide_state) {
  TestNode node;
  node.op = "SVDF";
  node.attributes =
      Options({{"rank", int64_t{1}}, {"fused_activation_function", "RELU"}});
  node.outputs = {{ElementType::kInt8, {{0.5f}, {-128}, 0}}};
  const Quantization state{
      {has_wide_state ? 0.25f : 0.5f}, {has_wide_state ? 0 : 3}, 0};
  node.inputs = {
      MakeTensor<int8_t>(ElementType::kInt8, Shape{1, 2}, {11, -9})
          .With({{0.5f}, {1}, 0}),
      MakeTensor<int8_t>(ElementType::kInt8, Shape{2, 2}, {4, 2, -3, 5})
          .With({{0.125f}, {0}, 0})
          .Constant()};
  if (has_wide_state) {
    node.inputs.push_back(
        MakeTensor<int16_t>(ElementType::kInt16, Shape{2, 2}, {2, 3, 4, 5})
            .With({{0.5f}, {0}, 0})
            .Constant());
  } else {
    node.inputs.push_back(
        MakeTensor<int8_t>(ElementType::kInt8, Shape{2, 2}, {2, 3, 4, 5})
            .With({{0.5f}, {0}, 0})
            .Constant());
  }
  node.inputs.push_back(Ints(Shape{2}, {7, -2}).Constant());
  node.inputs.push_back(
      has_wide_state
          ? MakeTensor<int16_t>(ElementType::kInt16, Shape{1, 4}, {1, 2, 3, 4})
                .With(state)
                .Variable()
          : MakeTensor<int8_t>(ElementType::kInt8, Shape{1, 4}, {4, 5, 6, 7})
                .With(state)
                .Variable());
  return node;
}

// Features: 4*(11-1) + 2*(-9-1) = 20 and -3*10 + 5*-10 = -80, times 1/16 is
// 1.25 and -5. In steps of 1/4: 5 and -20; the memories are then 2, 5 and
// 4, -20. Sums 2*2 + 3*5 + 7 = 26 and 4*4 - 5*20 - 2 = -86, in steps of 1/8:
// 26/4 = 6.5 rounds to 7, and what is negative stays 0.
TEST(Svdf, IntegersWithInt16State_FollowTheFormula) {
  const TestNode node = MakeInteger(true);
  ExpectOutput<int8_t>(node, Shape{1, 2}, {7 - 128, -128});
  std::vector<TestTensor> inputs;
  ASSERT_TRUE(RunNode(node, {.inputs_after = &inputs}).ok());
  EXPECT_EQ(inputs[4].values<int16_t>(), (std::vector<int16_t>{2, 5, 4, -20}));
}

// The same with steps of 1/2 and zero point 3: 2.5 rounds to 3, -10. Memories
// less 3: 2, 3 and 4, -10; sums 2*2 + 3*3 + 7 = 20 and 4*4 - 50 - 2; in steps
// of 1/4: 10.
TEST(Svdf, IntegersWithInt8State_FollowTheFormula) {
  const TestNode node = MakeInteger(false);
  ExpectOutput<int8_t>(node, Shape{1, 2}, {10 - 128, -128});
  std::vector<TestTensor> inputs;
  ASSERT_TRUE(RunNode(node, {.inputs_after = &inputs}).ok());
  EXPECT_EQ(inputs[4].values<int8_t>(), (std::vector<int8_t>{5, 6, 7, -7}));
}

TEST(Svdf, InvalidNodes_AreRefused) {
  const TestNode good = MakeNode({}, true, FloatWeights);
  TestNode bad = good;
  bad.attributes.Set("rank", int64_t{3});
  ExpectRefused(bad, Code::kMalformed, "cannot have rank 3");
  bad.attributes.Set("rank", int64_t{0});
  ExpectRefused(bad, Code::kMalformed, "rank is 0");
  bad = good;
  bad.inputs[4].is_variable = false;
  ExpectRefused(bad, Code::kMalformed, "not a variable");
  bad = good;
  bad.inputs[4].shape = Shape{kSvdfBatch * kFilters, kMemory};
  ExpectRefused(bad, Code::kMalformed, "the state has shape");
  bad = good;
  bad.inputs[3].shape = Shape{2, 1};
  ExpectRefused(bad, Code::kMalformed, "the bias has shape");
  bad = good;
  bad.inputs[1].shape = Shape{kSvdfInputs, kFilters};
  ExpectRefused(bad, Code::kMalformed, "feature weights have shape");
  bad = good;
  bad.inputs[0].type = ElementType::kInt8;
  ExpectRefused(bad, Code::kUnsupported, "int8 with weights of float32");
  bad = MakeInteger(true);
  bad.inputs[4].type = ElementType::kInt8;
  ExpectRefused(bad, Code::kUnsupported, "with a state of int8");
  bad = MakeInteger(true);
  bad.inputs[1].quantization = {};
  ExpectRefused(bad, Code::kMalformed, "no scale");
}

}  // namespace
}  // namespace munja::ops
