#include <limits>

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

TEST(FoldBatchNormTest, WeightsAndBias_AreScaledPerOutput) {
  GraphBuilder b;
  const ValueId x = b.Input("x", {1, 8, 8, 2});
  const ValueId w = b.Floats("w", {2, 1, 1, 2}, {1, 2, 3, 4});
  const ValueId bias = b.Floats("b", {2}, {5, 6});
  const ValueId y = b.Add("y", "CONV_2D", {x, w, bias});
  b.Output(b.Add("z", "MUL", {y, b.Floats("s", {1, 1, 1, 2}, {10, 100})},
                 {{"fused_activation_function", std::string("RELU")}}));
  EXPECT_EQ(After(b, "fold_batch_norm"),
            "z = CONV_2D(x, w/scaled, b/scaled) "
            "fused_activation_function=\"RELU\"\n");
  EXPECT_THAT(DataOf(b.sub(), "w/scaled"), ElementsAre(10, 20, 300, 400));
  EXPECT_THAT(DataOf(b.sub(), "b/scaled"), ElementsAre(50, 600));
}

TEST(FoldBatchNormTest, LayoutOfEachOperator_IsRespected) {
  struct Case {
    const char* op;
    Shape weights;
    std::vector<float> want;
  };
  const Case cases[] = {
      {"DEPTHWISE_CONV_2D", {1, 1, 2, 2}, {10, 200, 30, 400}},
      {"CONV_2D", {2, 1, 1, 2}, {10, 20, 300, 400}},
      {"FULLY_CONNECTED", {2, 2}, {10, 20, 300, 400}},
  };
  for (const Case& c : cases) {
    GraphBuilder b;
    const ValueId x = b.Input("x", {1, 8, 8, 2});
    const ValueId w = b.Floats("w", c.weights, {1, 2, 3, 4});
    b.Output(b.Add(
        "z", "MUL",
        {b.Floats("s", {2}, {10, 100}), b.Add("y", c.op, {x, w, kNoValue})}));
    EXPECT_EQ(After(b, "fold_batch_norm"),
              std::string("z = ") + c.op + "(x, w/scaled, -)\n");
    EXPECT_EQ(DataOf(b.sub(), "w/scaled"), c.want) << c.op;
  }
  GraphBuilder b;
  const ValueId x = b.Input("x", {1, 8, 8, 2});
  const ValueId shape = b.Ints("shape", {4}, {1, 8, 8, 2});
  const ValueId w = b.Halves("w", {2, 1, 1, 2}, {1, 2, 3, 4});
  b.Output(b.Add("z", "DIV",
                 {b.Add("y", "TRANSPOSE_CONV", {shape, w, x}),
                  b.Floats("s", {}, {0.5f})}));
  EXPECT_EQ(After(b, "fold_batch_norm"),
            "z = TRANSPOSE_CONV(shape, w/scaled, x)\n");
  EXPECT_THAT(DataOf(b.sub(), "w/scaled"), ElementsAre(2, 4, 6, 8));
}

TEST(FoldBatchNormTest, OtherPatterns_AreLeftUnchanged) {
  const auto unchanged = [](GraphBuilder& b) {
    const std::string before = Listing(b.sub());
    EXPECT_EQ(After(b, "fold_batch_norm"), before);
  };
  {  // Another node reads the unscaled result.
    GraphBuilder b;
    const ValueId y = b.Conv("y", b.Input("x", {1, 8, 8, 1}), 1, 1);
    b.Output(b.Add("z", "MUL", {y, b.Floats("s", {1}, {2})}));
    b.Output(y);
    unchanged(b);
  }
  {  // An activation lies between.
    GraphBuilder b;
    const ValueId y =
        b.Conv("y", b.Input("x", {1, 8, 8, 1}), 1, 1,
               {{"fused_activation_function", std::string("RELU")}});
    b.Output(b.Add("z", "MUL", {y, b.Floats("s", {1}, {2})}));
    unchanged(b);
  }
  {  // The constant broadcasts the result, or runs along the width.
    GraphBuilder b;
    const ValueId x = b.Input("x", {1, 8, 2, 1});
    b.Output(
        b.Add("z", "MUL", {b.Conv("y", x, 1, 1), b.Floats("s", {2}, {2, 3})}));
    b.Output(b.Add("v", "MUL",
                   {b.Conv("u", x, 1, 2), b.Floats("t", {2, 1}, {2, 3})}));
    unchanged(b);
  }
  {  // 1 / y is not linear; a residual is scaled too; infinite weights.
    GraphBuilder b;
    const ValueId x = b.Input("x", {1, 8, 2, 1});
    b.Output(
        b.Add("z", "DIV", {b.Floats("s", {1}, {2}), b.Conv("y", x, 1, 1)}));
    const ValueId r = b.Conv("r", x, 1, 1, {{"has_residual", true}});
    b.sub().nodes.back().inputs.push_back(x);
    b.Output(b.Add("v", "MUL", {r, b.Floats("t", {1}, {2})}));
    b.Output(
        b.Add("q", "DIV", {b.Conv("p", x, 1, 1), b.Floats("zero", {1}, {0})}));
    unchanged(b);
  }
  {  // Quantized tensors round at every step.
    GraphBuilder b;
    const ValueId y = b.Conv("y", b.Input("x", {1, 8, 8, 1}), 1, 1);
    b.value(y).type = ElementType::kInt8;
    b.Output(b.Add("z", "MUL", {y, b.Floats("s", {1}, {2})}));
    unchanged(b);
  }
}

}  // namespace
}  // namespace munja::graph
