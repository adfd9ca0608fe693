#include <gtest/gtest.h>

#include "graph/passes/testing.h"

namespace munja::graph {
namespace {

using testing::After;
using testing::GraphBuilder;

// A 1x1 convolution of `in` channels to `out`.
ValueId Pointwise(GraphBuilder& b, const std::string& name, ValueId x, int in,
                  int out, testing::Options options = {}) {
  const ValueId w = b.Floats(name + "_w", {out, 1, 1, in},
                             std::vector<float>(static_cast<size_t>(in * out)));
  const ValueId bias = b.Floats(name + "_b", {out},
                                std::vector<float>(static_cast<size_t>(out)));
  options.emplace_back("padding", std::string("SAME"));
  const ValueId y = b.Add(name, "CONV_2D", {x, w, bias}, options);
  b.value(y).has_shape = true;
  b.value(y).shape = {1, kDynamic, kDynamic, out};
  return y;
}

const testing::Options kGelu = {
    {"fused_activation_function", std::string("GELU")}};

TEST(FuseConvPairTest, ExpandAndProjectBecomeOne) {
  GraphBuilder b;
  const ValueId x = b.Input("x", {1, kDynamic, kDynamic, 4});
  const ValueId middle = Pointwise(b, "e", x, 4, 8, kGelu);
  const ValueId y = Pointwise(b, "p", middle, 8, 4, {{"has_residual", true}});
  b.sub().nodes.back().inputs.push_back(x);
  b.Output(y);
  EXPECT_EQ(After(b, "fuse_conv_pair"),
            "p = CONV_2D_PAIR(x, e_w, e_b, p_w, p_b, x) "
            "first_fused_activation_function=\"GELU\"\n");
}

TEST(FuseConvPairTest, KeepsWhatSomethingElseReads) {
  GraphBuilder b;
  const ValueId x = b.Input("x", {1, kDynamic, kDynamic, 4});
  const ValueId middle = Pointwise(b, "e", x, 4, 8);
  b.Output(Pointwise(b, "p", middle, 8, 4));
  b.Output(middle);
  EXPECT_EQ(After(b, "fuse_conv_pair"),
            "e = CONV_2D(x, e_w, e_b) padding=\"SAME\"\n"
            "p = CONV_2D(e, p_w, p_b) padding=\"SAME\"\n");
}

TEST(FuseConvPairTest, KeepsGroupsStridesAndPadding) {
  const testing::Options kept[] = {
      {{"stride_h", int64_t{2}}}, {{"pad_left", int64_t{1}}}, {}};
  for (const testing::Options& options : kept) {
    GraphBuilder b;
    // Without options: two groups of 4 channels.
    const ValueId x = b.Input("x", {1, 6, 6, options.empty() ? 8 : 4});
    const ValueId middle = Pointwise(b, "e", x, 4, 8, options);
    b.Output(Pointwise(b, "p", middle, 8, 4));
    EXPECT_EQ(After(b, "fuse_conv_pair").find("PAIR"), std::string::npos);
  }
}

TEST(FuseConvPairTest, KeepsWeightsThatOutgrowTheCache) {
  GraphBuilder b;
  const ValueId x = b.Input("x", {1, 6, 6, 128});
  b.Output(Pointwise(b, "p", Pointwise(b, "e", x, 128, 640), 640, 128));
  EXPECT_EQ(After(b, "fuse_conv_pair").find("PAIR"), std::string::npos);
}

TEST(FuseConvPairTest, NothingWithoutTheOperator) {
  GraphBuilder b;
  const ValueId x = b.Input("x", {1, 6, 6, 4});
  b.Output(Pointwise(b, "p", Pointwise(b, "e", x, 4, 8), 8, 4));
  PassOptions options;
  options.has_op = [](std::string_view op) { return op != "CONV_2D_PAIR"; };
  EXPECT_EQ(After(b, "fuse_conv_pair", options).find("PAIR"),
            std::string::npos);
}

}  // namespace
}  // namespace munja::graph
