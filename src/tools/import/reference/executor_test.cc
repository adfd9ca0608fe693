// Hand-computed results for the reference executor: it is the oracle of the
// importer, so its own truth is on paper.
#include "import/reference/executor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "base/control.h"

namespace munja::importer {
namespace {

using ::testing::ElementsAre;
using ::testing::FloatNear;
using ::testing::Pointwise;
using Ints = std::vector<int64_t>;
using Named = std::vector<std::pair<std::string, graph::AttributeValue>>;

Tensor Evaluate(const char* op, const std::vector<Tensor>& inputs,
                Named attributes = {}) {
  Node node;
  node.op = op;
  node.outputs = {ValueId(0)};
  for (auto& [name, value] : attributes)
    node.attributes.Set(name, std::move(value));
  std::vector<const Tensor*> pointers;
  for (const Tensor& t : inputs) pointers.push_back(&t);
  auto result = RunNode(node, pointers);
  EXPECT_TRUE(result.ok()) << result.status().message();
  return result.ok() ? std::move((*result)[0]) : Tensor{};
}

Tensor F(Dims shape, std::vector<float> v) {
  return Tensor::Floats(std::move(shape), std::move(v));
}

TEST(Reference, Convolution_StrideAndPadding) {
  const Tensor y =
      Evaluate("Conv",
               {F({1, 1, 3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9}),
                F({1, 1, 3, 3}, {1, 1, 1, 1, 1, 1, 1, 1, 1}), F({1}, {0.5f})},
               {{"pads", Ints{1, 1, 1, 1}}, {"strides", Ints{2, 2}}});
  EXPECT_EQ(y.shape, (Dims{1, 1, 2, 2}));
  EXPECT_THAT(y.floats, ElementsAre(12.5f, 16.5f, 24.5f, 28.5f));
}

TEST(Reference, Convolution_Grouped) {
  const Tensor y = Evaluate(
      "Conv", {F({1, 4, 1, 1}, {1, 2, 3, 4}), F({2, 2, 1, 1}, {1, 10, 1, 10})},
      {{"group", int64_t{2}}});
  EXPECT_THAT(y.floats, ElementsAre(21, 43));
}

TEST(Reference, Convolution_Dilated) {
  const Tensor y = Evaluate(
      "Conv", {F({1, 1, 1, 5}, {1, 2, 3, 4, 5}), F({1, 1, 1, 2}, {1, 10})},
      {{"dilations", Ints{1, 3}}});
  EXPECT_THAT(y.floats, ElementsAre(41, 52));
}

TEST(Reference, TransposedConvolution_OverlapsAndCrops) {
  const Tensor full = Evaluate(
      "ConvTranspose", {F({1, 1, 1, 2}, {1, 2}), F({1, 1, 1, 3}, {1, 2, 4})},
      {{"strides", Ints{1, 2}}});
  EXPECT_THAT(full.floats, ElementsAre(1, 2, 6, 4, 8));
  const Tensor cropped = Evaluate(
      "ConvTranspose", {F({1, 1, 1, 2}, {1, 2}), F({1, 1, 1, 3}, {1, 2, 4})},
      {{"strides", Ints{1, 2}},
       {"pads", Ints{0, 1, 0, 1}},
       {"output_padding", Ints{0, 1}}});
  EXPECT_THAT(cropped.floats, ElementsAre(2, 6, 4, 8));
}

TEST(Reference, Pooling_ByHand) {
  const Tensor x = F({1, 1, 1, 4}, {-4, -3, -2, -1});
  const Ints kernel = {1, 2}, strides = {1, 2}, pads = {0, 1, 0, 1};
  const Named window = {
      {"kernel_shape", kernel}, {"strides", strides}, {"pads", pads}};
  EXPECT_THAT(Evaluate("MaxPool", {x}, window).floats, ElementsAre(-4, -2, -1));
  EXPECT_THAT(Evaluate("AveragePool", {x}, window).floats,
              ElementsAre(-4, -2.5f, -1));
  Named counted = window;
  counted.push_back({"count_include_pad", int64_t{1}});
  EXPECT_THAT(Evaluate("AveragePool", {x}, counted).floats,
              ElementsAre(-2, -2.5f, -0.5f));
}

TEST(Reference, Resize_EveryMode) {
  const Tensor x = F({1, 1, 1, 2}, {0, 8});
  const auto resize = [&](const char* mode, const char* coordinates) {
    return Evaluate("Resize", {x},
                    {{"mode", std::string(mode)},
                     {"coordinates", std::string(coordinates)},
                     {"rounding", std::string("floor")},
                     {"scale_w", 2.0}})
        .floats;
  };
  EXPECT_THAT(resize("nearest", "asymmetric"), ElementsAre(0, 0, 8, 8));
  EXPECT_THAT(resize("linear", "asymmetric"), ElementsAre(0, 4, 8, 8));
  EXPECT_THAT(resize("linear", "half_pixel"), ElementsAre(0, 2, 6, 8));
  EXPECT_THAT(
      resize("linear", "align_corners"),
      ElementsAre(0, FloatNear(8.0f / 3, 1e-6), FloatNear(16.0f / 3, 1e-6), 8));
}

TEST(Reference, Activations_ByHand) {
  const Tensor x = F({3}, {-4, 0.5f, 4});
  EXPECT_THAT(
      Evaluate("HardSigmoid", {x}, {{"alpha", 0.2}, {"beta", 0.5}}).floats,
      ElementsAre(0, FloatNear(0.6f, 1e-6), 1));
  EXPECT_THAT(
      Evaluate("HardSwish", {x}, {{"alpha", 0.25}, {"beta", 0.5}}).floats,
      ElementsAre(0, 0.3125f, 4));
  // 0.5 * (1 + erf(0.5 / sqrt 2)) = 0.69146246
  EXPECT_THAT(Evaluate("Gelu", {x}).floats[1], FloatNear(0.34573123f, 1e-7));
  EXPECT_THAT(Evaluate("Gelu", {x}, {{"approximate", int64_t{1}}}).floats[1],
              FloatNear(0.345714f, 1e-6));
}

TEST(Reference, Broadcast_FromTheRight) {
  const Tensor y = Evaluate("Sub", {F({2, 1}, {10, 20}), F({3}, {1, 2, 3})});
  EXPECT_EQ(y.shape, (Dims{2, 3}));
  EXPECT_THAT(y.floats, ElementsAre(9, 8, 7, 19, 18, 17));
}

TEST(Reference, ReductionsAndNorms_ByHand) {
  const Tensor x = F({1, 2, 2}, {1, 2, 3, 5});
  EXPECT_THAT(Evaluate("ReduceMean", {x}, {{"axes", Ints{2}}}).floats,
              ElementsAre(1.5f, 4));
  EXPECT_THAT(
      Evaluate("ReduceMax", {x}, {{"axes", Ints{1}}, {"keepdims", int64_t{0}}})
          .shape,
      ElementsAre(1, 2));
  EXPECT_THAT(Evaluate("Softmax", {F({1, 2}, {0, std::log(3.0f)})}).floats,
              ElementsAre(FloatNear(0.25f, 1e-6), FloatNear(0.75f, 1e-6)));
  EXPECT_THAT(Evaluate("BatchNormalization",
                       {x, F({2}, {2, 1}), F({2}, {1, 0}), F({2}, {1, 3}),
                        F({2}, {4, 1})},
                       {{"epsilon", 0.0}})
                  .floats,
              ElementsAre(1, 2, 0, 2));
  EXPECT_THAT(Evaluate("MatMul", {x, F({2, 1}, {10, 1})}).floats,
              ElementsAre(12, 35));
}

TEST(Reference, Movement_ByHand) {
  const Tensor x = F({2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_THAT(Evaluate("Transpose", {x}, {{"perm", Ints{1, 0}}}).floats,
              ElementsAre(1, 4, 2, 5, 3, 6));
  EXPECT_THAT(Evaluate("Slice", {x},
                       {{"axes", Ints{1}},
                        {"starts", Ints{-1}},
                        {"ends", Ints{-4}},
                        {"steps", Ints{-2}}})
                  .floats,
              ElementsAre(3, 1, 6, 4));
  EXPECT_THAT(
      Evaluate("Concat", {x, F({2, 1}, {7, 8})}, {{"axis", int64_t{-1}}})
          .floats,
      ElementsAre(1, 2, 3, 7, 4, 5, 6, 8));
  EXPECT_THAT(
      Evaluate("Pad", {x}, {{"pads", Ints{0, 1, 0, 0}}, {"value", 9.0}}).floats,
      ElementsAre(9, 1, 2, 3, 9, 4, 5, 6));
  EXPECT_THAT(
      Evaluate("Pad", {x},
               {{"pads", Ints{0, 2, 0, 1}}, {"mode", std::string("reflect")}})
          .floats,
      ElementsAre(3, 2, 1, 2, 3, 2, 6, 5, 4, 5, 6, 5));
  EXPECT_THAT(Evaluate("Gather", {x, Tensor::Integers({2}, {-1, 0})},
                       {{"axis", int64_t{1}}})
                  .floats,
              ElementsAre(3, 1, 6, 4));
  EXPECT_EQ(Evaluate("Reshape", {x}, {{"shape", Ints{-1, 0, 1}}}).shape,
            (Dims{2, 3, 1}));
  EXPECT_THAT(Evaluate("Shape", {x}).integers, ElementsAre(2, 3));
}

TEST(Reference, WrongInputs_AreRefused) {
  Node node;
  node.op = "Add";
  node.outputs = {ValueId(0)};
  const Tensor a = F({2}, {1, 2}), b = F({3}, {1, 2, 3});
  const std::vector<const Tensor*> inputs = {&a, &b};
  EXPECT_EQ(RunNode(node, inputs).status().code(), Code::kMalformed);
  node.op = "Nonsense";
  EXPECT_EQ(RunNode(node, inputs).status().code(), Code::kUnsupported);
  node.op = "Pad";
  node.attributes.Set("pads", Ints{1 << 20, 1 << 20});
  const std::vector<const Tensor*> one = {&a};
  EXPECT_EQ(RunNode(node, one, 1000).status().code(), Code::kOutOfMemory);
}

// Values that later nodes read stay in memory, and count there.
TEST(Reference, KeptValues_CountAsMemory) {
  constexpr int kMaps = 20;
  Model model;
  for (int i = 0; i <= 2 * kMaps; ++i) model.values.emplace_back();
  model.values[0].shape = {1, 1, 100, 100};
  model.inputs = {ValueId(0)};
  for (int i = 1; i <= kMaps; ++i) {
    Node node;
    node.op = "Relu";
    node.inputs = {ValueId(0)};
    node.outputs = {ValueId(i)};
    model.nodes.push_back(node);
  }
  for (int i = 1; i <= kMaps; ++i) {
    Node node;
    node.op = "Relu";
    node.inputs = {ValueId(i)};
    node.outputs = {ValueId(kMaps + i)};
    model.nodes.push_back(node);
  }
  model.outputs = {ValueId(2 * kMaps)};
  const Tensor x = F({1, 1, 100, 100}, std::vector<float>(10000, 1.0f));
  const auto run = [&](size_t limit) {
    Control control({.memory = limit});
    const ControlScope scope(&control);
    const auto y = RunModel(model, {&x, 1});
    return y.ok() ? Code::kOk : y.status().code();
  };
  constexpr size_t kMap = 10000 * sizeof(float);
  EXPECT_EQ(run((kMaps + 1) * kMap), Code::kOk);
  EXPECT_EQ(run((kMaps - 1) * kMap), Code::kOutOfMemory);
}

}  // namespace
}  // namespace munja::importer
