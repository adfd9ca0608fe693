#include <gtest/gtest.h>

#include "graph/passes/testing.h"

namespace munja::graph {
namespace {

using testing::After;
using testing::GraphBuilder;

TEST(DeadCodeTest, NodesThatReachNoOutput_AreRemoved) {
  GraphBuilder b;
  const ValueId x = b.Input("x", {2});
  const ValueId y = b.Add("y", "NEG", {x});
  b.Add("unused", "EXP", {b.Add("only_for_unused", "NEG", {y})});
  b.Output(y);
  EXPECT_EQ(After(b, "dead_code"), "y = NEG(x)\n");
}

TEST(DeadCodeTest, Effects_AreKept) {
  GraphBuilder b;
  const ValueId x = b.Input("x", {2});
  const ValueId state = b.Input("state", {2});
  b.sub().inputs.pop_back();
  b.value(state).is_variable = true;
  b.Add("a", "SVDF", {x, state});
  b.Add("b", "CALL_ONCE", {});
  b.Output(b.Add("y", "NEG", {x}));
  EXPECT_EQ(After(b, "dead_code"),
            "a = SVDF(x, state)\nb = CALL_ONCE()\ny = NEG(x)\n");
}

TEST(DeadCodeTest, RunPasses_DropsValuesAndRenumbersTheRest) {
  GraphBuilder b;
  b.Floats("unused_constant", {1}, {1});
  const ValueId x = b.Input("x", {2});
  const ValueId never_read = b.Input("never_read", {2});
  b.Add("unused", "EXP", {x});
  const ValueId y = b.Add("y", "NEG", {x});
  b.Output(y);
  b.graph().signatures.push_back(
      {"serving", 0, {{"image", x}, {"other", never_read}}, {{"text", y}}});
  ASSERT_TRUE(RunPasses(b.graph(), {}).ok());
  const Subgraph& sub = b.sub();
  ASSERT_EQ(sub.values.size(), 3u);
  EXPECT_EQ(sub.values[sub.inputs[0]].name, "x");
  EXPECT_EQ(sub.values[sub.inputs[1]].name, "never_read");
  EXPECT_EQ(sub.values[sub.outputs[0]].name, "y");
  EXPECT_EQ(b.graph().signatures[0].inputs[0].second, sub.inputs[0]);
  EXPECT_EQ(b.graph().signatures[0].outputs[0].second, sub.outputs[0]);
  EXPECT_EQ(testing::Listing(sub), "y = NEG(x)\n");
}

}  // namespace
}  // namespace munja::graph
