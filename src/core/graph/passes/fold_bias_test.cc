#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/passes/testing.h"

namespace munja::graph {
namespace {

using testing::After;
using testing::DataOf;
using ::testing::ElementsAre;
using testing::GraphBuilder;
using testing::Listing;

TEST(FoldBiasTest, Addend_IsAddedToTheBiasOrBecomesOne) {
  GraphBuilder b;
  const ValueId x = b.Input("x", {1, 8, 8, 1});
  const ValueId y = b.Conv("y", x, 1, 2);  // bias 0, 1
  const ValueId z = b.Add("z", "SUB", {y, b.Floats("c", {2}, {10, 20})});
  const ValueId w = b.Floats("w", {3, 2}, {1, 2, 3, 4, 5, 6});
  const ValueId f = b.Add("f", "FULLY_CONNECTED", {z, w});
  b.Output(b.Add("g", "ADD", {b.Floats("d", {1, 3}, {7, 8, 9}), f},
                 {{"fused_activation_function", std::string("RELU6")}}));
  EXPECT_EQ(After(b, "fold_bias"),
            "z = CONV_2D(x, y_w, y_b/sum) padding=\"SAME\"\n"
            "g = FULLY_CONNECTED(z, w, g/bias) "
            "fused_activation_function=\"RELU6\"\n");
  EXPECT_THAT(DataOf(b.sub(), "y_b/sum"), ElementsAre(-10, -19));
  EXPECT_THAT(DataOf(b.sub(), "g/bias"), ElementsAre(7, 8, 9));
}

TEST(FoldBiasTest, TransposedConvolution_KeepsItsBiasLast) {
  GraphBuilder b;
  const ValueId x = b.Input("x", {1, 8, 8, 1});
  const ValueId shape = b.Ints("shape", {4}, {1, 8, 8, 1});
  const ValueId w = b.Floats("w", {1, 1, 1, 1}, {1});
  b.Output(b.Add(
      "z", "ADD",
      {b.Add("y", "TRANSPOSE_CONV", {shape, w, x}), b.Floats("c", {}, {3})}));
  EXPECT_EQ(After(b, "fold_bias"), "z = TRANSPOSE_CONV(shape, w, x, z/bias)\n");
  EXPECT_THAT(DataOf(b.sub(), "z/bias"), ElementsAre(3));
}

TEST(FoldBiasTest, OtherPatterns_AreLeftUnchanged) {
  GraphBuilder b;
  const ValueId x = b.Input("x", {1, 8, 8, 1});
  // c - y, another tensor, a constant of higher rank.
  b.Output(b.Add("z", "SUB", {b.Floats("c", {1}, {1}), b.Conv("y", x, 1, 1)}));
  b.Output(b.Add("v", "ADD", {b.Conv("u", x, 1, 1), x}));
  b.Output(b.Add("q", "ADD",
                 {b.Conv("p", x, 1, 1), b.Floats("d", {1, 1, 1, 1, 1}, {1})}));
  const std::string before = Listing(b.sub());
  EXPECT_EQ(After(b, "fold_bias"), before);
}

}  // namespace
}  // namespace munja::graph
