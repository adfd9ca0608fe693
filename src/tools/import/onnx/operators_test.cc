// ONNX operators that are written with others, recurrent ones, and movement.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "import/onnx/testing.h"

namespace munja::importer::onnx {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::FloatNear;
using ::testing::Pointwise;

TEST(OnnxOperators, ComposedActivations_ByHand) {
  const std::vector<float> x = {-30, -1, 0.5f, 90};
  struct Case {
    const char* op;
    double (*f)(double);
  };
  const Case cases[] = {
      {"Softplus",
       [](double v) { return v > 50 ? v : std::log1p(std::exp(v)); }},
      {"Mish",
       [](double v) {
         return v * std::tanh(v > 50 ? v : std::log1p(std::exp(v)));
       }},
      {"Softsign", [](double v) { return v / (1 + std::abs(v)); }}};
  for (const Case& c : cases) {
    SCOPED_TRACE(c.op);
    File file({1, 4});
    file.Node(c.op, {"x"}, {"y"});
    std::vector<float> expected;
    for (const float v : x) expected.push_back(static_cast<float>(c.f(v)));
    EXPECT_THAT(Evaluate(file, {1, 4}, x),
                Pointwise(FloatNear(1e-5f), expected));
  }
}

TEST(OnnxOperators, LogSoftmax_ByHand) {
  File file({1, 2});
  file.Node("LogSoftmax", {"x"}, {"y"});
  EXPECT_THAT(Evaluate(file, {1, 2}, {1000, 1000}),
              Pointwise(FloatNear(1e-5f), {-0.6931472f, -0.6931472f}));
}

TEST(OnnxOperators, SquareReductions_ByHand) {
  for (const char* op : {"ReduceL2", "ReduceSumSquare"}) {
    File file({1, 2});
    SetInts(file.Node(op, {"x"}, {"y"}), "axes", {1});
    EXPECT_THAT(Evaluate(file, {1, 2}, {3, 4}),
                ElementsAre(op == std::string("ReduceL2") ? 5 : 25));
  }
}

TEST(OnnxOperators, SumAndMean_OfSeveral) {
  for (const char* op : {"Sum", "Mean"}) {
    File file({1, 2});
    file.Floats("c", {2}, {1, 2});
    file.Node(op, {"x", "c", "x"}, {"y"});
    const float n = op == std::string("Mean") ? 3 : 1;
    EXPECT_THAT(Evaluate(file, {1, 2}, {10, 20}),
                Pointwise(FloatNear(1e-5f), {21 / n, 42 / n}));
  }
}

TEST(OnnxOperators, InstanceNormalization_ByHand) {
  File file({1, 1, 1, 2});
  file.Floats("scale", {1}, {3});
  file.Floats("bias", {1}, {1});
  SetFloat(file.Node("InstanceNormalization", {"x", "scale", "bias"}, {"y"}),
           "epsilon", 0);
  EXPECT_THAT(Evaluate(file, {1, 1, 2, 1}, {2, 6}),
              Pointwise(FloatNear(1e-5f), {-2, 4}));
}

// Rows of mean 3 and variance 4, and of mean 10 and variance 16.
TEST(OnnxOperators, LayerNormalization_GivesMeanAndInverseDeviation) {
  for (const bool mean : {true, false}) {
    File file({2, 2}, 17);
    file.Floats("scale", {2}, {1, 1});
    SetFloat(file.Node("LayerNormalization", {"x", "scale"},
                       {"normal", mean ? "y" : "", mean ? "" : "y"}),
             "epsilon", 0);
    EXPECT_THAT(Evaluate(file, {2, 2}, {1, 5, 6, 14}),
                mean ? ElementsAre(3.0f, 10.0f) : ElementsAre(0.5f, 0.25f));
  }
}

TEST(OnnxOperators, DepthToSpace_BothOrders) {
  // One pixel with 8 channels becomes 2 x 2 pixels with 2 channels.
  const std::vector<float> x = {0, 1, 2, 3, 4, 5, 6, 7};
  for (const char* mode : {"DCR", "CRD"}) {
    File file({1, 8, 1, 1});
    munja::onnx::NodeProto& node = file.Node("DepthToSpace", {"x"}, {"y"});
    SetInt(node, "blocksize", 2);
    SetText(node, "mode", mode);
    const std::vector<float> y = Evaluate(file, {1, 1, 1, 8}, x);
    if (mode == std::string("DCR"))
      EXPECT_THAT(y, ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
    else  // Channel c of pixel p is input channel 4 * c + p.
      EXPECT_THAT(y, ElementsAre(0, 4, 1, 5, 2, 6, 3, 7));
  }
}

TEST(OnnxOperators, ExpandAndFill_ComputedShapes) {
  // Shape -> Slice gives the batch, which is 1 here.
  File file({-1, 2});
  file.Integers("zero", {0});
  file.Integers("one", {1});
  file.Integers("two", {2});
  file.Node("Shape", {"x"}, {"s"});
  file.Node("Slice", {"s", "zero", "one"}, {"n"});
  SetInt(file.Node("Concat", {"n", "two"}, {"repeats"}), "axis", 0);
  file.Node("Tile", {"x", "repeats"}, {"t"});
  file.Integers("four", {1, 4});
  munja::onnx::AttributeProto* a =
      file.Node("ConstantOfShape", {"four"}, {"c"}).add_attribute();
  a->set_name("value");
  a->set_type(4);
  a->mutable_t()->set_data_type(1);
  a->mutable_t()->add_dims(1);
  a->mutable_t()->add_float_data(0.5f);
  file.Node("Add", {"t", "c"}, {"sum"});
  file.Integers("wide", {1, 4});
  file.Node("Expand", {"sum", "wide"}, {"y"});
  EXPECT_THAT(Evaluate(file, {1, 2}, {3, 4}),
              ElementsAre(3.5f, 4.5f, 3.5f, 4.5f));
}

// Pads differ on all sides, in one dimension and in two.
TEST(OnnxOperators, Convolution_UnevenPads) {
  for (const bool before : {true, false}) {
    File file({1, 1, 3});
    file.Floats("w", {1, 1, 2}, {1, 10});
    SetInts(file.Node("Conv", {"x", "w"}, {"y"}), "pads",
            before ? std::vector<int64_t>{2, 0} : std::vector<int64_t>{0, 2});
    EXPECT_THAT(
        Evaluate(file, {1, 1, 3}, {1, 2, 3}),
        before ? ElementsAre(0, 10, 21, 32) : ElementsAre(21, 32, 3, 0));
  }
  // The position of a single pixel: top, left, bottom, right.
  File file({1, 1, 1, 1});
  file.Floats("w", {1, 1, 1, 1}, {1});
  SetInts(file.Node("Conv", {"x", "w"}, {"y"}), "pads", {0, 1, 2, 3});
  Dims shape;
  const std::vector<float> y = Evaluate(file, {1, 1, 1, 1}, {7}, &shape);
  EXPECT_EQ(shape, (Dims{1, 3, 5, 1}));
  for (size_t i = 0; i < y.size(); ++i) EXPECT_EQ(y[i], i == 1 ? 7 : 0) << i;
}

// Bounds that are inputs, each alone and both.
TEST(OnnxOperators, Clip_BoundsFromInputs) {
  for (const bool has_low : {true, false}) {
    for (const bool has_high : {true, false}) {
      File file({1, 3});
      file.Floats("low", {}, {-1});
      file.Floats("high", {}, {2});
      file.Node("Clip", {"x", has_low ? "low" : "", has_high ? "high" : ""},
                {"y"});
      EXPECT_THAT(Evaluate(file, {1, 3}, {-5, 0.5f, 5}),
                  ElementsAre(has_low ? -1 : -5, 0.5f, has_high ? 2 : 5));
    }
  }
}

TEST(OnnxOperators, Clip_BoundsFromAttributes) {
  for (const float low : {-1.0f, 0.0f}) {
    File file({1, 3}, 6);
    SetFloat(file.Node("Clip", {"x"}, {"y"}), "min", low);
    EXPECT_THAT(Evaluate(file, {1, 3}, {-5, 0.5f, 5}),
                ElementsAre(low, 0.5f, 5));
  }
}

// One place before and two behind, and a negative number of places.
TEST(OnnxOperators, Pad_FillsAndCuts) {
  struct Case {
    const char* mode;
    std::vector<int64_t> pads;
    std::vector<float> expected;
  };
  for (const Case& c : {Case{"constant", {0, 1, 0, 2}, {0, 1, 2, 3, 0, 0}},
                        Case{"edge", {0, 1, 0, 2}, {1, 1, 2, 3, 3, 3}},
                        Case{"reflect", {0, 1, 0, 2}, {2, 1, 2, 3, 2, 1}},
                        Case{"constant", {0, -1, 0, 1}, {2, 3, 0}},
                        Case{"edge", {0, 2, 0, -1}, {1, 1, 1, 2}}}) {
    File file({1, 3});
    file.Integers("pads", c.pads);
    SetText(file.Node("Pad", {"x", "pads"}, {"y"}), "mode", c.mode);
    EXPECT_THAT(Evaluate(file, {1, 3}, {1, 2, 3}), ElementsAreArray(c.expected))
        << c.mode;
  }
}

TEST(OnnxOperators, Lstm_Bidirectional) {
  // One hidden unit, two steps; gates lie as input, output, forget, content.
  File file({2, 1, 1});
  file.Floats("w", {2, 4, 1}, {0.1f, 0.2f, 0.3f, 0.4f, 0.5f, 0.6f, 0.7f, 0.8f});
  file.Floats("r", {2, 4, 1}, {0.9f, 1.0f, 1.1f, 1.2f, 1.3f, 1.4f, 1.5f, 1.6f});
  file.Floats("b", {2, 8},
              {0.1f, 0.2f, 0.3f, 0.4f, 0.1f, 0.1f, 0.1f, 0.1f, 0.5f, 0.6f, 0.7f,
               0.8f, 0.2f, 0.2f, 0.2f, 0.2f});
  munja::onnx::NodeProto& node = file.Node("LSTM", {"x", "w", "r", "b"}, {"y"});
  SetText(node, "direction", "bidirectional");
  SetInt(node, "hidden_size", 1);
  const double x[2] = {0.5, -1.5};
  double expected[2][2];  // Step, direction.
  for (int d = 0; d < 2; ++d) {
    double h = 0, c = 0;
    for (int step = 0; step < 2; ++step) {
      const int t = d == 0 ? step : 1 - step;
      const auto gate = [&](int g) {
        return (0.1 + 0.1 * g + 0.4 * d) * x[t] +
               (0.9 + 0.1 * g + 0.4 * d) * h + (0.1 + 0.1 * g + 0.4 * d) + 0.1 +
               0.1 * d;
      };
      c = Sigmoid(gate(2)) * c + Sigmoid(gate(0)) * std::tanh(gate(3));
      h = Sigmoid(gate(1)) * std::tanh(c);
      expected[t][d] = h;
    }
  }
  // [steps, directions, batch, hidden], given in NHWC: directions come last.
  const std::vector<float> y = Evaluate(file, {2, 1, 1}, {0.5f, -1.5f});
  ASSERT_EQ(y.size(), 4u);
  for (int t = 0; t < 2; ++t)
    for (int d = 0; d < 2; ++d)
      EXPECT_NEAR(y[t * 2 + d], expected[t][d], 1e-6) << t << " " << d;
}

// Given as initializers, which are counted when they are read.
TEST(OnnxOperators, Constant_OfNineAxes_IsRefused) {
  for (const size_t axes : {8, 9, 40}) {
    File file({3, 1});
    file.Integers("shape", std::vector<int64_t>(axes, 1));
    file.Integers("one", {1});
    file.Node("ConstantOfShape", {"shape"}, {"many"});
    file.Node("Reshape", {"many", "one"}, {"zero"});
    file.Node("Add", {"x", "zero"}, {"y"});
    const auto model = file.Import();
    ASSERT_EQ(model.ok(), axes == 8) << axes;
    if (model.ok()) continue;
    EXPECT_EQ(model.status().code(), Code::kUnsupported);
    EXPECT_THAT(
        std::string(model.status().message()),
        ::testing::HasSubstr(std::to_string(axes) + " axes, at most 8"));
  }
}

munja::onnx::NodeProto& Fill(File& file, const std::string& shape,
                             const std::string& result, float value) {
  munja::onnx::NodeProto& node =
      file.Node("ConstantOfShape", {shape}, {result});
  munja::onnx::AttributeProto& a = *node.add_attribute();
  a.set_name("value");
  a.set_type(4);
  a.mutable_t()->set_data_type(1);
  a.mutable_t()->add_dims(1);
  a.mutable_t()->add_float_data(value);
  return node;
}

// As in the networks without weights that ONNX publishes.
TEST(OnnxOperators, LargeFilledWeights_AreAllowed) {
  constexpr int64_t kColumns = 700'000;
  File file({1, 3});
  file.Integers("shape", {3, kColumns});
  Fill(file, "shape", "w", 0.5f);
  file.Node("MatMul", {"x", "w"}, {"y"});
  EXPECT_EQ(Evaluate(file, {1, 3}, {1, 2, 4}),
            std::vector<float>(kColumns, 3.5f));
}

TEST(OnnxOperators, FilledConstants_AreBoundedTogether) {
  File file({1, 1});
  file.Integers("one", {1});
  file.Integers("many", {1 << 26});
  Fill(file, "one", "a", 1);
  Fill(file, "many", "b", 1);
  file.Node("Add", {"x", "a"}, {"c"});
  file.Node("Add", {"c", "b"}, {"y"});
  const auto model = file.Import();
  ASSERT_FALSE(model.ok());
  EXPECT_EQ(model.status().code(), Code::kUnsupported);
  EXPECT_THAT(std::string(model.status().message()),
              ::testing::HasSubstr("67108864 elements"));
}

}  // namespace
}  // namespace munja::importer::onnx
