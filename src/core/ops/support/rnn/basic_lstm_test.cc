#include <gtest/gtest.h>

#include <cmath>

#include "ops/expect.h"

namespace munja::ops {
namespace {

constexpr int kBatch = 2, kInputs = 3, kUnits = 2, kDepth = kInputs + kUnits;

struct BasicData {
  std::vector<float> data = RandomFloats(kBatch * kInputs, 1);
  std::vector<float> activation = RandomFloats(kBatch * kUnits, 2);
  std::vector<float> weights = RandomFloats(4 * kUnits * kDepth, 3);
  std::vector<float> bias = RandomFloats(4 * kUnits, 4);
  std::vector<float> state = RandomFloats(kBatch * kUnits, 5);
};

// Activation, state, concatenation and gates by the formulas.
std::vector<std::vector<float>> ByFormula(const BasicData& d) {
  std::vector<std::vector<float>> out(4);
  const auto sigmoid = [](double x) { return 1.0 / (1.0 + std::exp(-x)); };
  for (int b = 0; b < kBatch; ++b) {
    std::vector<float> row(d.data.begin() + b * kInputs,
                           d.data.begin() + (b + 1) * kInputs);
    row.insert(row.end(), d.activation.begin() + b * kUnits,
               d.activation.begin() + (b + 1) * kUnits);
    std::vector<double> gates;
    for (int u = 0; u < 4 * kUnits; ++u) {
      double sum = d.bias[u];
      for (int i = 0; i < kDepth; ++i)
        sum += d.weights[u * kDepth + i] * row[i];
      gates.push_back(sum);
    }
    for (int u = 0; u < kUnits; ++u) {
      const double state =
          sigmoid(gates[u]) * std::tanh(gates[kUnits + u]) +
          sigmoid(gates[2 * kUnits + u]) * d.state[b * kUnits + u];
      out[1].push_back(static_cast<float>(state));
      out[0].push_back(static_cast<float>(sigmoid(gates[3 * kUnits + u]) *
                                          std::tanh(state)));
    }
    out[2].insert(out[2].end(), row.begin(), row.end());
    out[3].insert(out[3].end(), gates.begin(), gates.end());
  }
  return out;
}

TestNode MakeNode(const BasicData& d) {
  TestNode node;
  node.op = "LSTM";
  node.attributes = Options({{"kernel_type", "BASIC"}});
  node.inputs = {Floats(Shape{kBatch, kInputs}, d.data),
                 Floats(Shape{kBatch, kUnits}, d.activation),
                 Floats(Shape{4 * kUnits, kDepth}, d.weights).Constant(),
                 Floats(Shape{4 * kUnits}, d.bias).Constant(),
                 Floats(Shape{kBatch, kUnits}, d.state)};
  node.outputs.resize(4);
  return node;
}

const std::vector<Shape>& Shapes() {
  static const std::vector<Shape> shapes = {
      Shape{kBatch, kUnits}, Shape{kBatch, kUnits}, Shape{kBatch, kDepth},
      Shape{kBatch, 4 * kUnits}};
  return shapes;
}

TEST(BasicLstm, Floats_FollowTheFormula) {
  const BasicData d;
  ExpectOutputs<float>(MakeNode(d), Shapes(), ByFormula(d), 1e-5);
  TestNode node = MakeNode(d);
  node.inputs[2].is_constant = false;
  ExpectOutputs<float>(node, Shapes(), ByFormula(d), 1e-5);
}

template <class T>
TestTensor Stored(ElementType type, Shape shape, std::vector<float>* values,
                  float scale, int zero) {
  std::vector<T> stored;
  for (float& v : *values) {
    stored.push_back(static_cast<T>(std::lround(v / scale) + zero));
    v = static_cast<float>(stored.back() - zero) * scale;
  }
  return MakeTensor(type, shape, stored).With({{scale}, {zero}, 0});
}

TestNode MakeInteger(BasicData* d) {
  constexpr float kActivation = 1.0f / 128, kWeight = 1.0f / 100;
  TestNode node = MakeNode(*d);
  for (float& v : d->data) v *= 0.9f;  // Within [-1, 127/128].
  for (float& v : d->activation) v *= 0.9f;
  node.inputs[0] = Stored<uint8_t>(ElementType::kUInt8, Shape{kBatch, kInputs},
                                   &d->data, kActivation, 128);
  node.inputs[1] = Stored<uint8_t>(ElementType::kUInt8, Shape{kBatch, kUnits},
                                   &d->activation, kActivation, 128);
  node.inputs[2] =
      Stored<uint8_t>(ElementType::kUInt8, Shape{4 * kUnits, kDepth},
                      &d->weights, kWeight, 120);
  node.inputs[3] = Stored<int32_t>(ElementType::kInt32, Shape{4 * kUnits},
                                   &d->bias, kActivation * kWeight, 0);
  node.inputs[4] = Stored<int16_t>(ElementType::kInt16, Shape{kBatch, kUnits},
                                   &d->state, 0x1p-11f, 0);
  const Quantization activation{{kActivation}, {128}, 0};
  node.outputs = {{ElementType::kUInt8, activation},
                  {ElementType::kInt16, {{0x1p-11f}, {0}, 0}},
                  {ElementType::kUInt8, activation},
                  {ElementType::kInt16, {{0x1p-12f}, {0}, 0}}};
  return node;
}

TEST(BasicLstm, Integers_FollowTheFormula) {
  BasicData d;
  const TestNode node = MakeInteger(&d);
  const auto want = ByFormula(d);
  const auto result = RunNode(node);
  ASSERT_TRUE(result.ok()) << result.status().message();
  for (size_t i = 0; i < kBatch * kUnits; ++i) {
    EXPECT_NEAR((*result)[0].bytes[i], want[0][i] * 128 + 128, 1.1);
    EXPECT_NEAR((*result)[1].values<int16_t>()[i], want[1][i] * 2048, 4);
  }
  for (size_t i = 0; i < want[3].size(); ++i)
    EXPECT_NEAR((*result)[3].values<int16_t>()[i], want[3][i] * 4096, 2);
}

TEST(BasicLstm, InvalidNodes_AreRefused) {
  BasicData d;
  TestNode bad = MakeNode(d);
  bad.inputs[2].shape = Shape{kDepth, 4 * kUnits};
  ExpectRefused(bad, Code::kMalformed, "the weights have shape");
  bad = MakeNode(d);
  bad.inputs[4].shape = Shape{1, kUnits};
  ExpectRefused(bad, Code::kMalformed, "wrong size");
  bad = MakeNode(d);
  bad.inputs[1].shape = Shape{kUnits * kBatch};
  ExpectRefused(bad, Code::kMalformed, "do not go together");
  bad = MakeNode(d);
  bad.inputs[4].type = ElementType::kInt16;
  ExpectRefused(bad, Code::kUnsupported, "of these types");
  bad = MakeInteger(&d);
  bad.inputs[0].quantization.zero_points[0] = 100;
  ExpectRefused(bad, Code::kUnsupported, "zero point 128");
  bad = MakeInteger(&d);
  bad.inputs[4].quantization.scales[0] = 0x1p-10f;
  ExpectRefused(bad, Code::kUnsupported, "2^-11");
  bad = MakeNode(d);
  bad.outputs.resize(1);
  ExpectRefused(bad, Code::kMalformed, "outputs");
  bad = MakeNode(d);
  bad.attributes.Set("kernel_type", std::string("OTHER"));
  ExpectRefused(bad, Code::kUnsupported, "kernel_type OTHER");
}

}  // namespace
}  // namespace munja::ops
