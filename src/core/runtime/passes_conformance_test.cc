// Passes on = passes off, with the real operators on random small networks.
#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "graph/passes/pass.h"
#include "ops/op.h"
#include "runtime/session.h"
#include "runtime/testing.h"

namespace munja::runtime {
namespace {

using graph::kNoValue;
using graph::ValueId;
using testing::Floats;
using testing::GraphBuilder;
using testing::View;
using Options = std::vector<std::pair<std::string, graph::AttributeValue>>;

std::string Text(const char* text) { return text; }

class RandomNetwork {
 public:
  explicit RandomNetwork(uint32_t seed) : random_(seed) {
    tensors_.push_back({b_.Input({1, kDynamic, kDynamic, 4}), 4, 0});
    for (int i = 0; i < 10; ++i) AddLayer();
    b_.Output(tensors_.back().id);
    b_.Output(tensors_[Below(static_cast<int>(tensors_.size()))].id);
  }
  GraphBuilder& builder() { return b_; }

 private:
  struct Tensor {
    ValueId id;
    int channels;
    int size_class;  // Tensors of one class have the same height and width.
  };

  int Below(int n) { return static_cast<int>(random_() % n); }
  float Real(float lo, float hi) {
    return lo + (hi - lo) * static_cast<float>(random_() % 10000) / 10000;
  }
  std::vector<float> Reals(int n, float lo, float hi) {
    std::vector<float> out(n);
    for (float& x : out) x = Real(lo, hi);
    return out;
  }
  ValueId Node(const char* op, std::vector<ValueId> inputs,
               const Options& options = {}) {
    const ValueId v = b_.Add(op, std::move(inputs));
    for (const auto& [name, value] : options)
      b_.sub().nodes.back().attributes.Set(name, value);
    b_.sub().values[v].has_shape = true;
    b_.sub().values[v].shape = {kDynamic, kDynamic, kDynamic, kDynamic};
    return v;
  }
  ValueId Number(float value) {
    return b_.Constant({1}, std::vector<float>{value});
  }

  void AddLayer() {
    const Tensor x = tensors_[std::max(
        0, static_cast<int>(tensors_.size()) - 1 - (Below(4) == 0 ? 1 : 0))];
    switch (Below(12)) {
      case 0:
      case 1:
        return Convolution(x);
      case 2:
        return Depthwise(x);
      case 3:
        return ChannelArithmetic(x);
      case 4:
        return Activation(x);
      case 5:
        return HardSigmoid(x);
      case 6:
        return Residual(x);
      case 7:
        return Rearrange(x);
      case 8:
        return Gate(x);
      case 9:
        return JoinLevels(x);
      case 10:
        return Lateral(x);
      default:
        return PaddedConvolution(x);
    }
  }

  // Weights that keep the size of numbers about the same.
  ValueId Weights(Shape shape, int fan_in) {
    const float bound = 1.5f / std::sqrt(static_cast<float>(fan_in));
    return b_.Constant(
        shape, Reals(static_cast<int>(shape.elements()), -bound, bound));
  }
  ValueId Bias(int channels) {
    if (Below(2) == 0) return kNoValue;
    return b_.Constant({channels}, Reals(channels, -1, 1));
  }
  Options Window(const char* padding, int stride) {
    return {
        {"padding", Text(padding)},
        {"stride_h", int64_t{stride}},
        {"stride_w", int64_t{stride}},
        {"dilation_h_factor", int64_t{1}},
        {"dilation_w_factor", int64_t{1}},
        {"fused_activation_function", Text(Below(4) == 0 ? "RELU" : "NONE")}};
  }
  int NewClass() { return ++classes_; }

  void Convolution(Tensor x) {
    const int k = Below(2) * 2 + 1, out = 4 + 4 * Below(2);
    const int stride = Below(5) == 0 ? 2 : 1;
    const ValueId w = Weights({out, k, k, x.channels}, k * k * x.channels);
    const ValueId y =
        Node("CONV_2D", {x.id, w, Bias(out)}, Window("SAME", stride));
    tensors_.push_back({y, out, stride == 1 ? x.size_class : NewClass()});
  }
  void Depthwise(Tensor x) {
    Options options = Window("SAME", 1);
    options.push_back({"depth_multiplier", int64_t{1}});
    const ValueId w = Weights({1, 3, 3, x.channels}, 9);
    tensors_.push_back(
        {Node("DEPTHWISE_CONV_2D", {x.id, w, Bias(x.channels)}, options),
         x.channels, x.size_class});
  }
  void PaddedConvolution(Tensor x) {
    const ValueId pads =
        b_.Constant({4, 2}, std::vector<int32_t>{0, 0, 1, 1, 1, 1, 0, 0});
    const ValueId p = Node("PAD", {x.id, pads});
    const ValueId w = Weights({4, 3, 3, x.channels}, 9 * x.channels);
    tensors_.push_back({Node("CONV_2D", {p, w, Bias(4)}, Window("VALID", 1)), 4,
                        x.size_class});
  }
  void ChannelArithmetic(Tensor x) {
    const char* ops[] = {"MUL", "ADD", "SUB", "DIV"};
    const ValueId c =
        Below(3) == 0 ? Number(Real(0.5f, 2))
                      : b_.Constant({x.channels}, Reals(x.channels, 0.5f, 2));
    tensors_.push_back({Node(ops[Below(4)], {x.id, c},
                             {{"fused_activation_function", Text("NONE")}}),
                        x.channels, x.size_class});
  }
  void Activation(Tensor x) {
    const char* ops[] = {"RELU",     "RELU6",      "RELU_N1_TO_1",
                         "LOGISTIC", "TANH",       "HARD_SWISH",
                         "GELU",     "LEAKY_RELU", "ELU"};
    const char* op = ops[Below(9)];
    Options options;
    if (op == Text("LEAKY_RELU")) options = {{"alpha", 0.1}};
    if (op == Text("GELU")) options = {{"approximate", Below(2) == 0}};
    tensors_.push_back({Node(op, {x.id}, options), x.channels, x.size_class});
  }
  void HardSigmoid(Tensor x) {
    const bool is_swish = Below(2) == 0;
    const ValueId a = Node("ADD", {x.id, Number(3)},
                           {{"fused_activation_function", Text("RELU6")}});
    ValueId y = Node("MUL", {a, Number(1.0f / 6)});
    if (is_swish) y = Node("MUL", {y, x.id});
    tensors_.push_back({y, x.channels, x.size_class});
  }
  void Residual(Tensor x) {
    for (size_t i = tensors_.size(); i-- > 0;) {
      const Tensor& y = tensors_[i];
      if (y.id == x.id || y.channels != x.channels ||
          y.size_class != x.size_class)
        continue;
      tensors_.push_back({Node("ADD", {x.id, y.id},
                               {{"fused_activation_function",
                                 Text(Below(2) == 0 ? "RELU" : "NONE")}}),
                          x.channels, x.size_class});
      return;
    }
    Convolution(x);
  }
  void Gate(Tensor x) {
    const Options none = {{"fused_activation_function", Text("NONE")}};
    const ValueId axes = b_.Constant({2}, std::vector<int32_t>{1, 2});
    const ValueId mean = Node("MEAN", {x.id, axes}, {{"keep_dims", true}});
    const ValueId gate = Node("LOGISTIC", {mean});
    for (const ValueId v : {mean, gate})
      b_.sub().values[v].shape = Shape{1, 1, 1, x.channels};
    ValueId y = Node("MUL", {x.id, gate}, none);
    if (Below(2) == 0) y = Node("ADD", {x.id, y}, none);
    tensors_.push_back({y, x.channels, x.size_class});
  }
  // A coarser level of x, brought back to x's size. That is twice the level's,
  // or, for odd sizes, one less.
  ValueId Resized(Tensor x, int channels) {
    const ValueId w = Weights({channels, 3, 3, x.channels}, 9 * x.channels);
    const ValueId coarse =
        Node("CONV_2D", {x.id, w, Bias(channels)}, Window("SAME", 2));
    const ValueId shape = b_.Add("SHAPE", {x.id}, ElementType::kInt32);
    b_.sub().values[shape].shape = Shape{4};
    std::vector<ValueId> slice = {shape};
    for (const int32_t i : {1, 3, 1})
      slice.push_back(b_.Constant({1}, std::vector<int32_t>{i}));
    const ValueId size = b_.Add("STRIDED_SLICE", slice, ElementType::kInt32);
    b_.sub().values[size].shape = Shape{2};
    return Node("RESIZE_NEAREST_NEIGHBOR", {coarse, size},
                {{"half_pixel_centers", Below(2) == 0}});
  }
  void JoinLevels(Tensor x) {
    const int channels = 1 + Below(6);
    const ValueId joined = Node(
        "CONCATENATION", {Resized(x, channels), x.id},
        {{"axis", int64_t{3}}, {"fused_activation_function", Text("NONE")}});
    const int all = channels + x.channels;
    const ValueId w = Weights({4, 3, 3, all}, 9 * all);
    tensors_.push_back(
        {Node("CONV_2D", {joined, w, Bias(4)}, Window("SAME", 1)), 4,
         x.size_class});
  }
  void Lateral(Tensor x) {
    const int channels = 4;
    const ValueId w = Weights({channels, 1, 1, x.channels}, x.channels);
    Options plain = Window("SAME", 1);
    plain.back().second = Text("NONE");
    Tensor y = {Node("CONV_2D", {x.id, w, Bias(channels)}, plain), channels,
                x.size_class};
    tensors_.push_back(y);
    if (Below(2) == 0) {
      Gate(y);
      y = tensors_.back();
    }
    tensors_.push_back({Node("ADD", {y.id, Resized(x, channels)},
                             {{"fused_activation_function",
                               Text(Below(2) == 0 ? "RELU" : "NONE")}}),
                        channels, x.size_class});
  }
  void Rearrange(Tensor x) {
    const ValueId p = b_.Constant({4}, std::vector<int32_t>{0, 3, 1, 2});
    const ValueId q = b_.Constant({4}, std::vector<int32_t>{0, 2, 3, 1});
    const ValueId y = Node("TRANSPOSE", {Node("TRANSPOSE", {x.id, p}), q});
    tensors_.push_back({y, x.channels, x.size_class});
  }

  std::mt19937 random_;
  GraphBuilder b_;
  std::vector<Tensor> tensors_;
  int classes_ = 0;
};

TEST(PassesConformanceTest, RandomNetworks_GiveTheSameWithAndWithoutPasses) {
  for (const char* op : {"ADD", "CONV_2D", "DEPTHWISE_CONV_2D", "DIV", "ELU",
                         "GELU", "HARD_SWISH", "LEAKY_RELU", "LOGISTIC", "MUL",
                         "PAD", "RELU", "RESIZE_NEAREST_NEIGHBOR", "SHAPE",
                         "STRIDED_SLICE", "SUB", "TANH", "TRANSPOSE"}) {
    if (ops::FindOp(op) == nullptr) GTEST_SKIP() << "there is no " << op;
  }
  size_t nodes_before = 0, nodes_after = 0;
  for (uint32_t seed = 0; seed < 150; ++seed) {
    RandomNetwork network(seed);
    const auto graph = network.builder().Take();
    ASSERT_TRUE(graph::Verify(*graph).ok());
    SessionOptions on, off;
    off.run_passes = false;
    auto with = CreateSession(graph, on);
    auto without = CreateSession(graph, off);
    ASSERT_TRUE(without.ok()) << without.status().message();
    ASSERT_TRUE(with.ok()) << "seed " << seed << ": "
                           << with.status().message();
    std::mt19937 random(seed);
    for (const Shape& shape : {Shape{1, 8, 8, 4}, Shape{1, 7, 12, 4}}) {
      std::vector<float> data(shape.elements());
      for (float& x : data) x = static_cast<float>(random() % 4000) / 1000 - 2;
      const TensorView view = View(data, shape);
      auto got = (*with)->Run({&view, 1});
      auto want = (*without)->Run({&view, 1});
      ASSERT_TRUE(want.ok()) << want.status().message();
      ASSERT_TRUE(got.ok())
          << "seed " << seed << ": " << got.status().message();
      for (size_t o = 0; o < want->size(); ++o) {
        ASSERT_EQ((*got)[o].shape, (*want)[o].shape);
        const auto g = Floats((*got)[o]), w = Floats((*want)[o]);
        float scale = 1;
        for (const float x : w) scale = std::max(scale, std::fabs(x));
        // Ten layers of sums over at most 72 products, each rounded at 6e-8:
        // errors stay well below 2e-5 of the largest number.
        for (size_t i = 0; i < w.size(); ++i) {
          ASSERT_NEAR(g[i], w[i], 2e-5f * scale)
              << "seed " << seed << " output " << o << " element " << i;
        }
      }
    }
    graph::Graph fused = *graph;
    ASSERT_TRUE(graph::RunPasses(fused, {}).ok());
    ASSERT_TRUE(graph::Verify(fused).ok()) << "seed " << seed;
    nodes_before += graph->main().nodes.size();
    nodes_after += fused.main().nodes.size();
  }
  // The networks are made of what passes look for; were nothing fused, the
  // comparison above would prove nothing.
  EXPECT_LT(nodes_after, nodes_before * 3 / 4);
}

}  // namespace
}  // namespace munja::runtime
