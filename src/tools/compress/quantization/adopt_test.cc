#include "compress/quantization/adopt.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "compress/testing.h"

namespace munja::compress {
namespace {

using testing::NetworkBuilder;
using testing::Outputs;

struct PairScheme {
  float scale;
  int zero;
  double Real(int stored) const { return double{scale} * (stored - zero); }
  int Stored(double real) const {
    return std::clamp(
        static_cast<int>(std::nearbyint(real / double{scale})) + zero, -128,
        127);
  }
};

constexpr PairScheme kIn{0.031f, -7}, kMiddle{0.11f, 20}, kOut{0.07f, -128};

// QUANTIZE and DEQUANTIZE.
graph::ValueId AddPair(NetworkBuilder& net, graph::ValueId x,
                       const PairScheme& scheme) {
  const graph::Value real = net.main().values[static_cast<size_t>(x)];
  net.Add("QUANTIZE", {x}, real.name + "/stored", real.shape);
  const graph::ValueId stored = net.Last();
  graph::Value& value = net.main().values[static_cast<size_t>(stored)];
  value.type = ElementType::kInt8;
  value.quantization = {{scheme.scale}, {scheme.zero}, 0};
  net.Add("DEQUANTIZE", {stored}, real.name + "/again", real.shape);
  return net.Last();
}

int CountIntegers(const graph::Graph& graph, const std::string& op,
                  ElementType type = ElementType::kInt8) {
  int n = 0;
  for (const graph::Node& node : graph.main().nodes)
    n += node.op == op &&
         graph.main().values[static_cast<size_t>(node.outputs[0])].type == type;
  return n;
}

constexpr int kSide = 6, kInputs = 5, kOutputs = 4;

struct StoredConv {
  std::vector<int> stored;  // [out, 3, 3, in]
  std::vector<float> scales, weights, bias;
};

// No channel uses all the steps that int8 has.
StoredConv DrawConv(uint32_t seed) {
  std::mt19937 random(seed);
  StoredConv layer;
  for (int o = 0; o < kOutputs; ++o) {
    layer.scales.push_back(0.004f * static_cast<float>(o + 1));
    const int most = 127 - 30 * o;
    for (int i = 0; i < 9 * kInputs; ++i) {
      const int q = static_cast<int>(random() % (2 * most + 1)) - most;
      layer.stored.push_back(q);
      layer.weights.push_back(static_cast<float>(q) * layer.scales.back());
    }
    layer.bias.push_back(0.3f * static_cast<float>(o - 1));
  }
  return layer;
}

graph::ValueId AddConv(NetworkBuilder& net, graph::ValueId x,
                       const StoredConv& layer, const char* activation) {
  const graph::ValueId w = net.Constant({kOutputs, 3, 3, kInputs},
                                        ElementType::kFloat32, layer.weights);
  const graph::ValueId b =
      net.Constant({kOutputs}, ElementType::kFloat32, layer.bias);
  NetworkBuilder::Window(
      &net.Add("CONV_2D", {x, w, b}, "conv", {1, kSide, kSide, kOutputs}),
      activation);
  return net.Last();
}

std::vector<float> DrawInput() {
  std::mt19937 random(9);
  std::normal_distribution<float> normal(0.0f, 1.2f);
  std::vector<float> x(kSide * kSide * kInputs);
  for (float& v : x) v = normal(random);
  return x;
}

// The result that ONNX specifies for QuantizeLinear, QLinearConv and
// DequantizeLinear, padded with the zero point: sums are exact.
std::vector<int> Expected(const std::vector<float>& x, const StoredConv& layer,
                          const PairScheme& out) {
  std::vector<int> y;
  for (int r = 0; r < kSide; ++r)
    for (int c = 0; c < kSide; ++c)
      for (int o = 0; o < kOutputs; ++o) {
        int64_t sum = 0;
        for (int i = 0; i < 9 * kInputs; ++i) {
          const int row = r + i / kInputs / 3 - 1;
          const int column = c + i / kInputs % 3 - 1;
          if (row < 0 || row >= kSide || column < 0 || column >= kSide)
            continue;
          const size_t at = static_cast<size_t>(
              (row * kSide + column) * kInputs + i % kInputs);
          sum +=
              int64_t{layer.stored[static_cast<size_t>(o * 9 * kInputs + i)]} *
              (kIn.Stored(x[at]) - kIn.zero);
        }
        const double real = static_cast<double>(sum) * double{kIn.scale} *
                                double{layer.scales[static_cast<size_t>(o)]} +
                            double{layer.bias[static_cast<size_t>(o)]};
        y.push_back(out.Stored(real));
      }
  return y;
}

std::vector<float> RunOn(const graph::Graph& graph, std::vector<float> x) {
  CalibrationTensor input;
  input.shape = Shape{1, kSide, kSide, kInputs};
  input.values = std::move(x);
  const Sample sample = {std::move(input)};
  return Outputs(graph, {&sample, 1})[0];
}

// Within a step of the convolution of the stored integers.
void ExpectConvolution(const graph::Graph& graph, const StoredConv& layer,
                       const PairScheme& out) {
  const std::vector<float> input = DrawInput();
  const std::vector<int> expected = Expected(input, layer, out);
  const std::vector<float> got = RunOn(graph, input);
  ASSERT_EQ(got.size(), expected.size());
  for (size_t i = 0; i < got.size(); ++i)
    EXPECT_NEAR(double{got[i]}, out.Real(expected[i]), 1.01 * double{out.scale})
        << i;
}

TEST(Adopt, ConvolutionBetweenPairs_IsInt8) {
  const StoredConv layer = DrawConv(3);
  NetworkBuilder net(1);
  const graph::ValueId x = net.Tensor("x", {1, kSide, kSide, kInputs});
  net.main().inputs = {x};
  const graph::ValueId y =
      AddPair(net, AddConv(net, AddPair(net, x, kIn), layer, "NONE"), kMiddle);
  net.main().outputs = {y};
  const auto adopted = AdoptPairs(net.Take());
  ASSERT_TRUE(adopted.ok()) << adopted.status().message();
  EXPECT_EQ(adopted->integer_nodes, 1);
  EXPECT_EQ(adopted->float_nodes, 0);
  EXPECT_EQ(CountIntegers(adopted->graph, "CONV_2D"), 1);
  EXPECT_EQ(adopted->graph.main().nodes.size(), 3u);

  ExpectConvolution(adopted->graph, layer, kMiddle);
}

TEST(Adopt, FusedClamp_IsKept) {
  const StoredConv layer = DrawConv(4);
  NetworkBuilder net(1);
  const graph::ValueId x = net.Tensor("x", {1, kSide, kSide, kInputs});
  net.main().inputs = {x};
  const graph::ValueId y =
      AddPair(net, AddConv(net, AddPair(net, x, kIn), layer, "RELU"), kOut);
  net.main().outputs = {y};
  const auto adopted = AdoptPairs(net.Take());
  ASSERT_TRUE(adopted.ok()) << adopted.status().message();
  ExpectConvolution(adopted->graph, layer, kOut);
}

// A reshape without a pair of its own before a sum.
TEST(Adopt, MovedValue_TakesItsNeighborsScale) {
  NetworkBuilder net(1);
  const Shape shape{1, kSide, kSide, kInputs}, flat{1, kSide * kSide * kInputs};
  const graph::ValueId x = net.Tensor("x", shape);
  net.main().inputs = {x};
  const graph::ValueId to =
      net.Constant({2}, ElementType::kInt32,
                   std::vector<int32_t>{1, kSide * kSide * kInputs});
  net.Add("RESHAPE", {AddPair(net, x, kIn), to}, "moved", flat);
  const graph::ValueId moved = net.Last();
  net.Add("ADD", {moved, moved}, "sum", flat)
      .attributes.Set("fused_activation_function", std::string("NONE"));
  const graph::ValueId y = AddPair(net, net.Last(), kMiddle);
  net.main().outputs = {y};
  const auto adopted = AdoptPairs(net.Take());
  ASSERT_TRUE(adopted.ok()) << adopted.status().message();
  EXPECT_EQ(adopted->float_nodes, 0);
  EXPECT_EQ(CountIntegers(adopted->graph, "RESHAPE"), 1);
  EXPECT_EQ(CountIntegers(adopted->graph, "ADD"), 1);
  const std::vector<float> input = DrawInput();
  const std::vector<float> got = RunOn(adopted->graph, input);
  ASSERT_EQ(got.size(), input.size());
  for (size_t i = 0; i < got.size(); ++i) {
    const double twice = 2 * kIn.Real(kIn.Stored(double{input[i]}));
    EXPECT_NEAR(double{got[i]}, kMiddle.Real(kMiddle.Stored(twice)),
                1.01 * double{kMiddle.scale});
  }
}

TEST(Adopt, UnrepresentableValues_StayFloat) {
  StoredConv layer = DrawConv(5);
  layer.weights[1] += 0.3f * layer.scales[0];  // Between two steps.
  NetworkBuilder net(1);
  const graph::ValueId x = net.Tensor("x", {1, kSide, kSide, kInputs});
  net.main().inputs = {x};
  const graph::ValueId y =
      AddPair(net, AddConv(net, AddPair(net, x, kIn), layer, "NONE"), kMiddle);
  net.main().outputs = {y};
  const graph::Graph model = net.Take();
  const auto adopted = AdoptPairs(model);
  ASSERT_TRUE(adopted.ok()) << adopted.status().message();
  EXPECT_EQ(adopted->integer_nodes, 0);
  EXPECT_EQ(adopted->graph.main().nodes.size(), model.main().nodes.size());
  EXPECT_NE(adopted->why_not, "");
}

// Reshapes and transpositions between two pairs may have gone.
TEST(Adopt, ConsecutivePairs_AreOne) {
  const StoredConv layer = DrawConv(3);
  NetworkBuilder net(1);
  const graph::ValueId x = net.Tensor("x", {1, kSide, kSide, kInputs});
  net.main().inputs = {x};
  const graph::ValueId twice = AddPair(net, AddPair(net, x, kIn), kIn);
  net.main().outputs = {
      AddPair(net, AddConv(net, twice, layer, "NONE"), kMiddle)};
  const auto adopted = AdoptPairs(net.Take());
  ASSERT_TRUE(adopted.ok()) << adopted.status().message();
  EXPECT_EQ(adopted->integer_nodes, 1);
  EXPECT_EQ(adopted->float_nodes, 0);
  EXPECT_EQ(adopted->graph.main().nodes.size(), 3u);
}

// LOGISTIC with int8 stores 256 steps from 0 to 1, whatever the source says.
TEST(Adopt, PrescribedScale_IsTakenIfFineEnough) {
  for (const float scale : {1.0f / 258, 1.0f / 2000}) {
    SCOPED_TRACE(scale);
    const PairScheme out{scale, -128};
    NetworkBuilder net(1);
    const Shape shape{1, kSide, kSide, kInputs};
    const graph::ValueId x = net.Tensor("x", shape);
    net.main().inputs = {x};
    net.Add("LOGISTIC", {AddPair(net, x, kIn)}, "map", shape);
    net.main().outputs = {AddPair(net, net.Last(), out)};
    const auto adopted = AdoptPairs(net.Take());
    ASSERT_TRUE(adopted.ok()) << adopted.status().message();
    EXPECT_EQ(adopted->integer_nodes, scale > 1.0f / 500 ? 1 : 0);
    const std::vector<float> input = DrawInput();
    const std::vector<float> got = RunOn(adopted->graph, input);
    ASSERT_EQ(got.size(), input.size());
    for (size_t i = 0; i < got.size(); ++i) {
      const double real = 1 / (1 + std::exp(-kIn.Real(kIn.Stored(input[i]))));
      EXPECT_NEAR(double{got[i]}, out.Real(out.Stored(real)),
                  1.01 * double{scale});
    }
  }
}

// As in the source: readers that bypass a pair read unrounded values.
TEST(Adopt, ValueReadUnrounded_StaysFloat) {
  NetworkBuilder net(1);
  const graph::ValueId x = net.Tensor("x", {1, kSide, kSide, kInputs});
  net.main().inputs = {x};
  const graph::ValueId conv =
      AddConv(net, AddPair(net, x, kIn), DrawConv(3), "NONE");
  const graph::ValueId y = AddPair(net, conv, kMiddle);
  net.Add("RELU", {conv}, "past", {1, kSide, kSide, kOutputs});
  net.main().outputs = {y, net.Last()};
  const auto adopted = AdoptPairs(net.Take());
  ASSERT_TRUE(adopted.ok()) << adopted.status().message();
  EXPECT_EQ(adopted->integer_nodes, 0);
  EXPECT_EQ(CountIntegers(adopted->graph, "QUANTIZE"), 2);
}

TEST(Adopt, ModelWithoutPairs_IsUnchanged) {
  const auto adopted = AdoptPairs(testing::SmallNetwork(0, 1));
  ASSERT_TRUE(adopted.ok()) << adopted.status().message();
  EXPECT_EQ(adopted->integer_nodes, 0);
  EXPECT_EQ(adopted->why_not, "");
}

}  // namespace
}  // namespace munja::compress
