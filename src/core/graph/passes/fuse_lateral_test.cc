#include <gtest/gtest.h>

#include "graph/passes/testing.h"

namespace munja::graph {
namespace {

using testing::After;
using testing::GraphBuilder;
using testing::Options;

const Options kRelu = {{"fused_activation_function", std::string("RELU")}};

// A 1x1 convolution of x, a gate for it, and a coarser level resized.
struct Level {
  explicit Level(int kernel = 1, int out = 8, const Options& options = {}) {
    const ValueId x = b.Input("x", {1, kDynamic, kDynamic, 4});
    const ValueId w = b.Floats("w", {out, kernel, kernel, 4},
                               std::vector<float>(out * kernel * kernel * 4));
    Options all = options;
    all.push_back({"padding", std::string("SAME")});
    y = b.Add("y", "CONV_2D", {x, w}, all);
    gate = b.Input("gate", {1, 1, 1, out});
    coarse = b.Input("coarse", {1, kDynamic, kDynamic, 8});
    const ValueId size = b.Input("size", {2}, ElementType::kInt32);
    large = b.Add("large", "RESIZE_NEAREST_NEIGHBOR", {coarse, size},
                  {{"half_pixel_centers", true}});
  }
  bool IsLeft(const PassOptions& options = {}) {
    return After(b, "fuse_lateral", options).find("LATERAL") ==
           std::string::npos;
  }
  GraphBuilder b;
  ValueId y, gate, coarse, large;
};

TEST(FuseLateralTest, GateAndLevel_AreFused) {
  Level l;
  const ValueId gated = l.b.Add("gated", "MUL", {l.gate, l.y});
  l.b.Output(l.b.Add("z", "ADD", {l.large, gated}, kRelu));
  EXPECT_EQ(After(l.b, "fuse_lateral"),
            "z = LATERAL_CONV_2D(x, w, -, gate, coarse, size) "
            "fused_activation_function=\"RELU\" half_pixel_centers=true\n");
}

TEST(FuseLateralTest, GateOrLevelAlone_IsFused) {
  {
    Level l;
    l.b.Output(l.b.Add("z", "ADD", {l.y, l.large}));
    EXPECT_EQ(After(l.b, "fuse_lateral"),
              "z = LATERAL_CONV_2D(x, w, -, -, coarse, size) "
              "half_pixel_centers=true\n");
  }
  Level l;
  l.b.Output(l.b.Add("z", "MUL", {l.y, l.gate}));
  EXPECT_EQ(After(l.b, "fuse_lateral"), "z = LATERAL_CONV_2D(x, w, -, gate)\n");
}

TEST(FuseLateralTest, OtherPatterns_AreLeftUnchanged) {
  {  // Not one tap.
    Level l(3);
    l.b.Output(l.b.Add("z", "ADD", {l.y, l.large}));
    EXPECT_TRUE(l.IsLeft());
  }
  {  // Other channels: the sum would broadcast or fail.
    Level l(1, 1);
    l.b.Output(l.b.Add("z", "ADD", {l.y, l.large}));
    EXPECT_TRUE(l.IsLeft());
  }
  {  // An activation between.
    Level l(1, 8, kRelu);
    l.b.Output(l.b.Add("z", "ADD", {l.y, l.large}));
    l.b.Output(l.b.Add("v", "MUL", {l.y, l.gate}));
    EXPECT_TRUE(l.IsLeft());
  }
  {  // Results that others read.
    Level l;
    l.b.Output(l.b.Add("z", "ADD", {l.y, l.large}));
    l.b.Output(l.large);
    EXPECT_TRUE(l.IsLeft());
  }
  {
    Level l;
    l.b.Output(l.b.Add("z", "MUL", {l.y, l.gate}));
    l.b.Output(l.y);
    EXPECT_TRUE(l.IsLeft());
  }
  {  // No gate: a number for each pixel.
    Level l;
    const ValueId map = l.b.Input("map", {1, 8, 8, 8});
    l.b.Output(l.b.Add("z", "MUL", {l.y, map}));
    EXPECT_TRUE(l.IsLeft());
  }
  {  // The operator is not there.
    Level l;
    l.b.Output(l.b.Add("z", "MUL", {l.y, l.gate}));
    PassOptions options;
    options.has_op = [](std::string_view) { return false; };
    EXPECT_TRUE(l.IsLeft(options));
  }
}

// The gate comes after the level: it does not scale the sum's other half.
TEST(FuseLateralTest, GateAfterTheLevel_IsNotFused) {
  Level l;
  const ValueId sum = l.b.Add("sum", "ADD", {l.y, l.large});
  l.b.Output(l.b.Add("z", "MUL", {sum, l.gate}));
  EXPECT_EQ(After(l.b, "fuse_lateral"),
            "sum = LATERAL_CONV_2D(x, w, -, -, coarse, size) "
            "half_pixel_centers=true\n"
            "z = MUL(sum, gate)\n");
}

}  // namespace
}  // namespace munja::graph
