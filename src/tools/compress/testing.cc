#include "compress/testing.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>
#include <utility>

namespace munja::compress::testing {
using graph::Node;
using graph::ValueId;

graph::Graph SmallNetwork(int classes, uint32_t seed) {
  NetworkBuilder b(seed);
  const Shape image = {1, kDynamic, kDynamic, 16};
  const ValueId x = b.Tensor("pictures", {1, kDynamic, kDynamic, 3});
  b.main().inputs = {x};
  ValueId y = b.Conv(x, 3, 16, 3, "stem");
  b.Add("GELU", {y}, "stem_gelu", image).attributes.Set("approximate", false);
  y = b.Depthwise(b.Last(), 16, "depthwise");
  const ValueId axes = b.Constant<int32_t>({2}, ElementType::kInt32, {1, 2});
  b.Add("MEAN", {y, axes}, "mean", {1, 1, 1, 16})
      .attributes.Set("keep_dims", true);
  ValueId gate = b.Conv(b.Last(), 16, 8, 1, "squeeze", "RELU");
  gate = b.Conv(gate, 8, 16, 1, "gate");
  b.Add("RELU_0_TO_1", {gate}, "open", {1, 1, 1, 16});
  gate = b.Last();
  b.Add("MUL", {y, gate}, "gated", image)
      .attributes.Set("fused_activation_function", std::string("NONE"));
  const ValueId gated = b.Last();
  y = b.Conv(gated, 16, 32, 1, "expand");
  b.Add("GELU", {y}, "expand_gelu", {1, kDynamic, kDynamic, 32})
      .attributes.Set("approximate", false);
  y = b.Conv(b.Last(), 32, 16, 1, "project");
  b.Add("ADD", {gated, y}, "sum", image)
      .attributes.Set("fused_activation_function", std::string("NONE"));
  Node& both = b.Add("CONCATENATION", {gated, b.Last()}, "both",
                     {1, kDynamic, kDynamic, 32});
  both.attributes.Set("axis", int64_t{3});
  both.attributes.Set("fused_activation_function", std::string("NONE"));
  y = b.Last();
  if (classes == 0) {
    y = b.Conv(y, 32, 1, 3, "logit");
    b.Add("LOGISTIC", {y}, "map", {1, kDynamic, kDynamic, 1});
  } else {
    const ValueId rows = b.Constant<int32_t>({1}, ElementType::kInt32, {1});
    b.Add("MEAN", {y, rows}, "rows", {1, kDynamic, 32})
        .attributes.Set("keep_dims", false);
    y = b.Last();
    const ValueId w = b.Random({classes, 32}, 0.6f);
    const ValueId bias = b.Random({classes}, 0.3f);
    Node& head = b.Add("FULLY_CONNECTED", {y, w, bias}, "logits",
                       {1, kDynamic, classes});
    head.attributes.Set("keep_num_dims", true);
    head.attributes.Set("fused_activation_function", std::string("NONE"));
    b.Add("SOFTMAX", {b.Last()}, "classes", {1, kDynamic, classes})
        .attributes.Set("beta", 1.0);
  }
  b.main().outputs = {b.Last()};
  return b.Take();
}

std::vector<Sample> Pictures(int count, int side, uint32_t seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> uniform(0.0f, 1.0f);
  std::vector<Sample> samples;
  for (int i = 0; i < count; ++i) {
    const float phase = 6.0f * uniform(random), wave = 2 + 6 * uniform(random);
    const int edge =
        static_cast<int>(uniform(random) * static_cast<float>(side));
    CalibrationTensor t;
    t.shape = Shape{1, side, side, 3};
    for (int y = 0; y < side; ++y)
      for (int x = 0; x < side; ++x)
        for (int c = 0; c < 3; ++c) {
          const float at =
              static_cast<float>(x + y * (c + 1)) / static_cast<float>(side);
          t.values.push_back(std::sin(phase + wave * at) +
                             (x > edge ? 0.8f : -0.5f) +
                             0.1f * uniform(random));
        }
    samples.push_back({std::move(t)});
  }
  return samples;
}

std::vector<Sample> Noise(int count, int side, uint32_t seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal(0.0f, 1.0f);
  std::vector<Sample> samples = Pictures(count, side, seed);
  for (Sample& sample : samples)
    for (float& x : sample[0].values) x = normal(random);
  return samples;
}

std::vector<std::vector<float>> Outputs(const graph::Graph& graph,
                                        std::span<const Sample> samples) {
  std::vector<std::vector<float>> out;
  const Status status =
      Observe(graph, graph.main().outputs, samples, nullptr,
              [&](size_t, graph::ValueId, const TensorView& view) -> Status {
                out.push_back(ToFloats(view));
                return Status();
              });
  EXPECT_TRUE(status.ok()) << status.message();
  return out;
}

double RelativeError(const std::vector<std::vector<float>>& a,
                     const std::vector<std::vector<float>>& b) {
  double error = 0, energy = 0;
  EXPECT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size() && i < b.size(); ++i) {
    EXPECT_EQ(a[i].size(), b[i].size());
    for (size_t k = 0; k < a[i].size() && k < b[i].size(); ++k) {
      const double d = double{a[i][k]} - double{b[i][k]};
      error += d * d;
      energy += double{a[i][k]} * double{a[i][k]};
    }
  }
  return error / energy;
}

}  // namespace munja::compress::testing
