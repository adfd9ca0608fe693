#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "ops/support/custom_options.h"
#include "ops/testing.h"

namespace munja::ops {
namespace {

double Sigmoid(double v) { return 1 / (1 + std::exp(-v)); }

// One hidden unit that sees one number, two steps, weights 0.5 and 0.25 for
// every gate, and a first state of 0.1.
std::vector<std::vector<float>> RunLayer(const std::string& kind, int gates,
                                         const std::string& activations,
                                         graph::Attributes options,
                                         std::vector<int32_t> lengths = {}) {
  TestNode node;
  node.op = "MunjaRecurrent";
  options.Set("kind", kind);
  options.Set("activations", activations);
  const std::vector<float> w(static_cast<size_t>(gates), 0.5f);
  const std::vector<float> r(static_cast<size_t>(gates), 0.25f);
  node.inputs = {Floats({2, 1, 1}, {1, 2}),
                 Floats({1, gates, 1}, w),
                 Floats({1, gates, 1}, r),
                 Absent(),
                 lengths.empty() ? Absent() : Ints({1}, lengths),
                 Floats({1, 1, 1}, {0.1f})};
  node.outputs = {TestOutput{}, TestOutput{}, TestOutput{}};
  node.custom_options = EncodeCustomOptions(options);
  const auto y = RunNode(node, {});
  EXPECT_TRUE(y.ok()) << y.status().message();
  std::vector<std::vector<float>> outputs;
  if (y.ok())
    for (const TestTensor& t : *y) outputs.push_back(t.values<float>());
  return outputs;
}

TEST(Recurrent, Rnn_FollowsTheFormula) {
  const auto y = RunLayer("RNN", 1, "tanh", {});
  ASSERT_EQ(y.size(), 3u);
  const double first = std::tanh(0.5 + 0.25 * 0.1);
  const double second = std::tanh(1 + 0.25 * first);
  EXPECT_NEAR(y[0][0], first, 1e-6);
  EXPECT_NEAR(y[0][1], second, 1e-6);
  EXPECT_NEAR(y[1][0], second, 1e-6);
  // A shorter sequence: what is behind it is zero.
  const auto shorter = RunLayer("RNN", 1, "tanh", {}, {1});
  EXPECT_NEAR(shorter[1][0], first, 1e-6);
  EXPECT_EQ(shorter[0][1], 0);
  // From the end on.
  graph::Attributes reverse;
  reverse.Set("reverse", int64_t{1});
  const auto back = RunLayer("RNN", 1, "tanh", reverse);
  const double last = std::tanh(1 + 0.25 * 0.1);
  EXPECT_NEAR(back[0][1], last, 1e-6);
  EXPECT_NEAR(back[1][0], std::tanh(0.5 + 0.25 * last), 1e-6);
}

TEST(Recurrent, Gru_FollowsTheFormula) {
  for (const bool linear : {false, true}) {
    graph::Attributes options;
    options.Set("linear_before_reset", int64_t{linear});
    const auto y = RunLayer("GRU", 3, "sigmoid tanh", options, {1});
    const double gate = Sigmoid(0.5 + 0.025);
    const double content =
        std::tanh(0.5 + (linear ? gate * 0.025 : 0.25 * gate * 0.1));
    EXPECT_NEAR(y[1][0], (1 - gate) * content + gate * 0.1, 1e-6);
  }
}

TEST(Recurrent, Lstm_FollowsTheFormula) {
  graph::Attributes options;
  options.Set("clip", 0.4);
  for (const bool clips : {false, true}) {
    const auto y = RunLayer("LSTM", 4, "sigmoid tanh tanh",
                            clips ? options : graph::Attributes(), {1});
    const double v = clips ? 0.4 : 0.525;
    const double cell = Sigmoid(v) * std::tanh(v);
    EXPECT_NEAR(y[2][0], cell, 1e-6);
    EXPECT_NEAR(y[1][0], Sigmoid(v) * std::tanh(cell), 1e-6);
  }
}

TEST(Recurrent, MismatchedInputs_AreRefused) {
  TestNode node;
  node.op = "MunjaRecurrent";
  node.inputs = {Floats({2, 1, 1}, {1, 2}), Floats({1, 1, 1}, {1}),
                 Floats({1, 1, 1}, {1})};
  node.outputs = {TestOutput{}, TestOutput{}, TestOutput{}};
  graph::Attributes options;
  options.Set("activations", std::string("tanh"));
  node.custom_options = EncodeCustomOptions(options);
  EXPECT_TRUE(RunNode(node, {}).ok());
  options.Set("activations", std::string("step"));
  node.custom_options = EncodeCustomOptions(options);
  EXPECT_FALSE(RunNode(node, {}).ok());
  options.Set("activations", std::string("tanh tanh"));
  node.custom_options = EncodeCustomOptions(options);
  EXPECT_FALSE(RunNode(node, {}).ok());
}

}  // namespace
}  // namespace munja::ops
