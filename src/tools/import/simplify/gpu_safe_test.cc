#include "import/simplify/gpu_safe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "import/ir/builder.h"
#include "import/reference/executor.h"

namespace munja::importer {
namespace {

using ::testing::FloatNear;
using ::testing::Pointwise;

using Ints = std::vector<int64_t>;

// One operator with input x [1, 2, 2, 3] of numbers in [-4, 4).
struct One {
  One(const char* op, graph::Attributes attributes,
      std::vector<Tensor> constants = {}) {
    ModelBuilder builder("test");
    std::vector<ValueId> inputs = {builder.AddInput("x", {1, 2, 2, 3}, false)};
    for (Tensor& t : constants)
      inputs.push_back(builder.AddConstant("c", std::move(t)));
    const auto y = builder.Add(op, inputs, std::move(attributes), "y");
    EXPECT_TRUE(y.ok()) << y.status().message();
    model = builder.Finish({y.ok() ? *y : ValueId(0)});
  }
  std::vector<float> Run() const {
    std::vector<float> v(12);
    for (int i = 0; i < 12; ++i)
      v[i] = static_cast<float>(i * 7 % 12) / 1.5f - 4;
    const Tensor x = Tensor::Floats({1, 2, 2, 3}, v);
    const auto y = RunModel(model, std::span<const Tensor>(&x, 1));
    EXPECT_TRUE(y.ok()) << y.status().message();
    return y.ok() ? (*y)[0].floats : std::vector<float>();
  }
  bool Has(const char* op) const {
    for (const Node& node : model.nodes)
      if (node.op == op) return true;
    return false;
  }
  Model model;
};

graph::Attributes Slope(double alpha, double beta) {
  graph::Attributes a;
  a.Set("alpha", alpha);
  a.Set("beta", beta);
  return a;
}

TEST(DecomposeHardSigmoid, Decomposed_IsEqual) {
  graph::Attributes clamp;
  clamp.Set("min", 0.0);
  clamp.Set("max", 1.0);
  One cases[] = {{"HardSigmoid", Slope(0.2, 0.5)},
                 {"HardSwish", Slope(0.2, 0.5)},
                 {"Clip", clamp}};
  for (One& one : cases) {
    const std::string op = one.model.nodes[0].op;
    SCOPED_TRACE(op);
    const std::vector<float> before = one.Run();
    EXPECT_EQ(DecomposeHardSigmoid(&one.model), 1);
    EXPECT_FALSE(one.Has("HardSigmoid") || one.Has("HardSwish"));
    for (const Node& node : one.model.nodes) {
      if (node.op != "Clip") continue;
      EXPECT_EQ(node.attributes.Float("max", 0).value(), 6);
    }
    EXPECT_THAT(one.Run(), Pointwise(FloatNear(1e-5f), before));
  }
}

TEST(DecomposeHardSigmoid, HardSwishOfSlopeOneSixth_IsKept) {
  One one("HardSwish", Slope(1.0 / 6, 0.5));
  EXPECT_EQ(DecomposeHardSigmoid(&one.model), 0);
  EXPECT_TRUE(one.Has("HardSwish"));
}

TEST(UseAsymmetricResize, LinearSamples_Move_NearestStay) {
  for (const char* mode : {"nearest", "linear"}) {
    graph::Attributes a;
    a.Set("mode", std::string(mode));
    a.Set("coordinates", std::string("half_pixel"));
    a.Set("rounding", std::string("round_prefer_floor"));
    a.Set("scale_h", 2.0);
    a.Set("scale_w", 2.0);
    One one("Resize", a);
    const std::vector<float> before = one.Run();
    EXPECT_EQ(UseAsymmetricResize(&one.model), 1);
    EXPECT_EQ(one.Run() == before, std::string(mode) == "nearest");
    EXPECT_EQ(UseAsymmetricResize(&one.model), 0);
  }
}

TEST(RewriteTransposedConvolutions, DisjointWindows_BecomeDepthToSpace) {
  graph::Attributes a;
  a.Set("strides", Ints{2, 2});
  std::vector<float> w(2 * 3 * 4), b = {1, 2, 3};
  for (size_t i = 0; i < w.size(); ++i)
    w[i] = static_cast<float>(i * 5 % 24) - 11;
  One one("ConvTranspose", a,
          {Tensor::Floats({2, 3, 2, 2}, w), Tensor::Floats({3}, b)});
  const std::vector<float> before = one.Run();
  EXPECT_EQ(RewriteTransposedConvolutions(&one.model), 1);
  EXPECT_FALSE(one.Has("ConvTranspose"));
  EXPECT_THAT(one.Run(), Pointwise(FloatNear(1e-5f), before));
}

TEST(RewriteTransposedConvolutions, OverlappingWindows_AreKept) {
  graph::Attributes a;
  a.Set("strides", Ints{2, 2});
  One one("ConvTranspose", a,
          {Tensor::Floats({2, 1, 3, 3}, std::vector<float>(18, 1))});
  EXPECT_EQ(RewriteTransposedConvolutions(&one.model), 0);
  EXPECT_TRUE(one.Has("ConvTranspose"));
}

}  // namespace
}  // namespace munja::importer
