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

const testing::Options kValid = {{"padding", std::string("VALID")}};

TEST(FoldInputAffineTest, ScaleAndShift_MoveIntoWeightsAndBias) {
  GraphBuilder b;
  const ValueId x = b.Input("x", {1, 8, 8, 2});
  const ValueId m = b.Add("m", "MUL", {x, b.Floats("s", {1}, {10})});
  const ValueId a = b.Add("a", "SUB", {m, b.Floats("t", {1}, {-1})});
  const ValueId w = b.Floats("w", {2, 1, 1, 2}, {1, 2, 3, 4});
  const ValueId bias = b.Floats("b", {2}, {100, 200});
  b.Output(b.Add("y", "CONV_2D", {a, w, bias}, kValid));
  EXPECT_EQ(After(b, "fold_input_affine"),
            "y = CONV_2D(x, w/scaled, b/shifted) padding=\"VALID\"\n");
  EXPECT_THAT(DataOf(b.sub(), "w/scaled"), ElementsAre(10, 20, 30, 40));
  EXPECT_THAT(DataOf(b.sub(), "b/shifted"), ElementsAre(103, 207));
}

TEST(FoldInputAffineTest, ShiftBeforePadding_Stays) {
  GraphBuilder b;
  const ValueId x = b.Input("x", {1, 8, 8, 1});
  const ValueId m = b.Add("m", "MUL", {x, b.Floats("s", {1}, {10})});
  const ValueId a = b.Add("a", "ADD", {m, b.Floats("t", {1}, {5})});
  b.Output(b.Conv("y", a, 1, 1));
  EXPECT_EQ(After(b, "fold_input_affine"),
            "a = ADD(x, a/shift)\n"
            "y = CONV_2D(a, y_w/scaled, y_b) padding=\"SAME\"\n");
  EXPECT_THAT(DataOf(b.sub(), "a/shift"), ElementsAre(0.5f));
  EXPECT_THAT(DataOf(b.sub(), "y_w/scaled"), ::testing::Each(10));
}

TEST(FoldInputAffineTest, DepthwiseWeights_AreSummedOverTheWindow) {
  GraphBuilder b;
  const ValueId x = b.Input("x", {1, 8, 8, 2});
  const ValueId a = b.Add("a", "ADD", {b.Floats("t", {}, {2}), x});
  const ValueId w = b.Floats("w", {1, 2, 1, 2}, {1, 2, 3, 4});
  b.Output(b.Add("y", "DEPTHWISE_CONV_2D", {a, w}, kValid));
  EXPECT_EQ(After(b, "fold_input_affine"),
            "y = DEPTHWISE_CONV_2D(x, w, w/shifted) padding=\"VALID\"\n");
  EXPECT_THAT(DataOf(b.sub(), "w/shifted"), ElementsAre(8, 12));
}

TEST(FoldInputAffineTest, SharedResultsAndOtherChannels_AreLeftUnchanged) {
  GraphBuilder b;
  const ValueId x = b.Input("x", {1, 8, 8, 2});
  const ValueId shared = b.Add("m", "MUL", {x, b.Floats("s", {1}, {10})});
  b.Output(shared);
  b.Output(b.Conv("y", shared, 2, 1));
  // Numbers by channel could widen an input of one channel.
  b.Output(
      b.Conv("v", b.Add("c", "MUL", {x, b.Floats("t", {2}, {1, 2})}), 2, 1));
  b.Output(b.Conv("q", b.Add("d", "DIV", {b.Floats("u", {1}, {2}), x}), 2, 1));
  b.Output(b.Conv("r", b.Add("e", "ADD", {b.Floats("z", {1}, {2}), x}), 2, 1));
  const std::string before = Listing(b.sub());
  EXPECT_EQ(After(b, "fold_input_affine"), before);
}

}  // namespace
}  // namespace munja::graph
