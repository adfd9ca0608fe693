#include "graph/passes/pass.h"

#include <gtest/gtest.h>

#include "graph/passes/testing.h"

namespace munja::graph {
namespace {

using testing::GraphBuilder;
using testing::Listing;

// The block of a mobile network as converters write it: padding, convolution,
// batch normalization, hard swish, and the sum with the block's input.
TEST(RunPassesTest, Block_IsFusedIntoOneConvolution) {
  GraphBuilder b;
  const ValueId x = b.Input("x", {1, kDynamic, kDynamic, 2});
  const ValueId p =
      b.Add("p", "PAD", {x, b.Ints("pads", {4, 2}, {0, 0, 1, 1, 1, 1, 0, 0})});
  const ValueId c = b.Conv("c", p, 2, 2, {{"padding", std::string("VALID")}});
  const ValueId m = b.Add("m", "MUL", {c, b.Floats("s", {2}, {2, 3})});
  const ValueId n = b.Add("n", "ADD", {m, b.Floats("o", {2}, {4, 5})});
  const ValueId sum = b.Add("sum", "ADD", {n, x});
  const ValueId a = b.Add("a", "ADD", {sum, b.Floats("three", {}, {3})});
  const ValueId r = b.Add("r", "RELU6", {a});
  const ValueId h = b.Add("h", "MUL", {r, b.Floats("sixth", {}, {1.0f / 6})});
  b.Output(b.Add("y", "MUL", {sum, h}));
  ASSERT_TRUE(RunPasses(b.graph(), {}).ok());
  EXPECT_EQ(Listing(b.sub()),
            "y = CONV_2D(x, c_w/scaled, c_b/scaled/sum, x) "
            "fused_activation_function=\"HARD_SWISH\" has_residual=true "
            "pad_bottom=1 pad_left=1 pad_right=1 pad_top=1 "
            "padding=\"EXPLICIT\"\n");
}

TEST(RunPassesTest, Error_BeginsWithTheNameOfThePass) {
  GraphBuilder b;
  const ValueId x = b.Input("x", {1, 8, 8, 1});
  b.Output(b.Add("y", "LEAKY_RELU", {b.Conv("c", x, 1, 1)},
                 {{"alpha", std::string("much")}}));
  const Status status = RunPasses(b.graph(), {});
  EXPECT_EQ(status.code(), Code::kMalformed);
  EXPECT_EQ(status.message(),
            "fuse_activation: attribute 'alpha' is not a number");
}

}  // namespace
}  // namespace munja::graph
