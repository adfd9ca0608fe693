#include <gtest/gtest.h>

#include "graph/passes/testing.h"

namespace munja::graph {
namespace {

using testing::After;
using testing::GraphBuilder;

// Pretends to compute: every output is the one float 42.
PassOptions WithEvaluator(std::vector<std::string>* evaluated) {
  PassOptions options;
  options.evaluate =
      [evaluated](const Subgraph&,
                  const Node& node) -> Result<std::vector<FoldedOutput>> {
    evaluated->push_back(node.op);
    if (node.op == "UNKNOWN") return Unsupported("UNKNOWN");
    const float answer = 42;
    const auto* bytes = reinterpret_cast<const uint8_t*>(&answer);
    FoldedOutput output{Shape{1}, MakeConstant({bytes, bytes + 4})};
    return std::vector<FoldedOutput>(node.outputs.size(), output);
  };
  return options;
}

TEST(FoldConstantsTest, ChainsOfConstants_AreComputed) {
  GraphBuilder b;
  const ValueId x = b.Input("x", {1});
  const ValueId c = b.Floats("c", {1}, {1});
  const ValueId d = b.Add("d", "NEG", {c});
  const ValueId e = b.Add("e", "MUL", {d, c});
  b.Output(b.Add("y", "ADD", {x, e}));
  std::vector<std::string> evaluated;
  EXPECT_EQ(After(b, "fold_constants", WithEvaluator(&evaluated)),
            "y = ADD(x, e)\n");
  EXPECT_EQ(evaluated, (std::vector<std::string>{"NEG", "MUL"}));
  EXPECT_EQ(testing::DataOf(b.sub(), "e"), std::vector<float>{42});
  EXPECT_EQ(b.value(e).shape, Shape{1});
}

TEST(FoldConstantsTest, NodesThatCannotBeComputedOnce_AreLeftUnchanged) {
  GraphBuilder b;
  const ValueId c = b.Floats("c", {1}, {1});
  const ValueId state = b.Floats("state", {1}, {1});
  b.value(state).is_variable = true;
  b.Output(b.Add("a", "UNKNOWN", {c}));
  b.Output(b.Add("b", "RANDOM_UNIFORM", {c}));
  b.Output(b.Add("d", "ADD", {c, state}));
  b.Output(b.Add("e", "Custom", {c}));
  b.sub().nodes.back().is_custom = true;
  const std::string before = testing::Listing(b.sub());
  std::vector<std::string> evaluated;
  EXPECT_EQ(After(b, "fold_constants", WithEvaluator(&evaluated)), before);
  EXPECT_EQ(evaluated, std::vector<std::string>{"UNKNOWN"});
}

TEST(FoldConstantsTest, Convolutions_SupportHalfWeightsDirectly) {
  GraphBuilder b;
  const ValueId x = b.Input("x", {1, 8, 8, 1});
  const ValueId h = b.Halves("h", {1, 1, 1, 1}, {0.5f});
  const ValueId hb = b.Halves("hb", {1}, {0.25f});
  const ValueId w = b.Add("w", "DEQUANTIZE", {h});
  const ValueId bias = b.Add("bias", "DEQUANTIZE", {hb});
  const ValueId y = b.Add("y", "CONV_2D", {x, w, bias});
  b.Output(b.Add("z", "MUL", {y, bias}));
  std::vector<std::string> evaluated;
  // Another reader of the same constant still gets it as float32.
  EXPECT_EQ(After(b, "fold_constants", WithEvaluator(&evaluated)),
            "y = CONV_2D(x, h, hb)\nz = MUL(y, bias)\n");
  EXPECT_EQ(evaluated, std::vector<std::string>{"DEQUANTIZE"});
}

TEST(FoldConstantsTest, DisabledFusion_StillFoldsConstants) {
  GraphBuilder b;
  const ValueId x = b.Input("x", {1, 8, 8, 3});
  const ValueId w =
      b.Add("w", "DEQUANTIZE", {b.Halves("h", {1, 1, 1, 3}, {1, 2, 3})});
  b.Output(b.Add("z", "RELU", {b.Add("y", "CONV_2D", {x, w})}));
  PassOptions options;
  options.fuse = false;
  ASSERT_TRUE(RunPasses(b.graph(), options).ok());
  EXPECT_EQ(testing::Listing(b.sub()), "y = CONV_2D(x, h)\nz = RELU(y)\n");
}

}  // namespace
}  // namespace munja::graph
