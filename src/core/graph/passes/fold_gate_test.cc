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

TEST(FoldGateTest, Sum_MovesIntoTheGate) {
  GraphBuilder b;
  const ValueId x = b.Input("x", {1, kDynamic, kDynamic, 8});
  const ValueId g = b.Input("g", {1, 1, 1, 8});
  const ValueId m = b.Add("m", "MUL", {g, x});
  b.Output(b.Add("y", "ADD", {x, m},
                 {{"fused_activation_function", std::string("RELU")}}));
  EXPECT_EQ(After(b, "fold_gate"),
            "m = ADD(g, m/one)\n"
            "y = MUL(x, m) fused_activation_function=\"RELU\"\n");
  EXPECT_THAT(DataOf(b.sub(), "m/one"), ElementsAre(1));
}

TEST(FoldGateTest, OtherSums_AreLeftUnchanged) {
  GraphBuilder b;
  const ValueId x = b.Input("x", {1, 8, 8, 8});
  const ValueId g = b.Input("g", {1, 1, 1, 8});
  const ValueId wide = b.Input("wide", {1, 8, 8, 8});
  // Another summand, a gate as large as x, a product that others read.
  b.Output(b.Add("y1", "ADD", {wide, b.Add("m1", "MUL", {g, x})}));
  b.Output(b.Add("y2", "ADD", {x, b.Add("m2", "MUL", {wide, x})}));
  const ValueId m3 = b.Add("m3", "MUL", {g, x});
  b.Output(m3);
  b.Output(b.Add("y3", "ADD", {x, m3}));
  const std::string before = Listing(b.sub());
  EXPECT_EQ(After(b, "fold_gate"), before);
}

}  // namespace
}  // namespace munja::graph
