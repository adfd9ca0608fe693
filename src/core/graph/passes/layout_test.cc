#include <gtest/gtest.h>

#include "graph/passes/testing.h"

namespace munja::graph {
namespace {

using testing::After;
using testing::GraphBuilder;
using testing::Listing;

TEST(LayoutTest, InverseTransposes_AreRemoved) {
  GraphBuilder b;
  const ValueId x = b.Input("x", {2, 3, 4, 5});
  const ValueId t =
      b.Add("t", "TRANSPOSE", {x, b.Ints("p", {4}, {0, 2, 3, 1})});
  const ValueId u =
      b.Add("u", "TRANSPOSE", {t, b.Ints("q", {4}, {0, 3, 1, 2})});
  b.Output(b.Add("y", "NEG", {u}));
  EXPECT_EQ(After(b, "layout"), "y = NEG(x)\n");
}

TEST(LayoutTest, OtherTransposes_AreLeftUnchanged) {
  GraphBuilder b;
  const ValueId x = b.Input("x", {2, 3, 4, 5});
  const ValueId p = b.Ints("p", {4}, {0, 2, 3, 1});
  const ValueId q = b.Ints("q", {4}, {0, 3, 1, 2});
  const ValueId t = b.Add("t", "TRANSPOSE", {x, p});
  // A turn further, and one whose result is an output of the model.
  b.Output(b.Add("y", "NEG", {b.Add("u", "TRANSPOSE", {t, p})}));
  b.Output(b.Add("v", "TRANSPOSE", {t, q}));
  const std::string before = Listing(b.sub());
  EXPECT_EQ(After(b, "layout"), before);
}

TEST(LayoutTest, ReshapeOfReshape_IsMerged) {
  GraphBuilder b;
  const ValueId x = b.Input("x", {2, 3});
  const ValueId r = b.Add("r", "RESHAPE", {x, b.Ints("s", {1}, {6})});
  b.Output(b.Add("y", "RESHAPE", {r, b.Ints("t", {2}, {3, -1})}));
  EXPECT_EQ(After(b, "layout"), "y = RESHAPE(x, t)\n");
}

}  // namespace
}  // namespace munja::graph
