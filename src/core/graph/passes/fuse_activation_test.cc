#include <gtest/gtest.h>

#include "graph/passes/testing.h"

namespace munja::graph {
namespace {

using testing::After;
using testing::GraphBuilder;
using testing::Listing;

TEST(FuseActivationTest, Convolutions_SupportEveryActivation) {
  struct Case {
    const char* op;
    testing::Options options;
    const char* want;
  };
  const Case cases[] = {
      {"RELU", {}, "fused_activation_function=\"RELU\""},
      {"RELU6", {}, "fused_activation_function=\"RELU6\""},
      {"RELU_N1_TO_1", {}, "fused_activation_function=\"RELU_N1_TO_1\""},
      {"RELU_0_TO_1", {}, "fused_activation_function=\"RELU_0_TO_1\""},
      {"LOGISTIC", {}, "fused_activation_function=\"LOGISTIC\""},
      {"TANH", {}, "fused_activation_function=\"TANH\""},
      {"HARD_SWISH", {}, "fused_activation_function=\"HARD_SWISH\""},
      {"ELU", {}, "fused_activation_function=\"ELU\""},
      {"GELU", {}, "fused_activation_function=\"GELU\""},
      {"GELU",
       {{"approximate", true}},
       "fused_activation_function=\"GELU_TANH\""},
      {"LEAKY_RELU",
       {{"alpha", 0.5}},
       "activation_alpha=0.5 activation_beta=0 "
       "fused_activation_function=\"LEAKY_RELU\""},
      {"HARD_SIGMOID",
       {{"activation_alpha", 0.25}, {"activation_beta", 0.5}},
       "activation_alpha=0.25 activation_beta=0.5 "
       "fused_activation_function=\"HARD_SIGMOID\""},
      // Defaults of the operator when they are absent.
      {"HARD_SIGMOID",
       {},
       "activation_alpha=0.166666667 activation_beta=0.5 "
       "fused_activation_function=\"HARD_SIGMOID\""},
  };
  for (const Case& c : cases) {
    GraphBuilder b;
    const ValueId x = b.Input("x", {1, 8, 8, 1});
    b.Output(b.Add("z", c.op, {b.Conv("y", x, 1, 1)}, c.options));
    EXPECT_EQ(After(b, "fuse_activation"),
              std::string("z = CONV_2D(x, y_w, y_b) ") + c.want +
                  " padding=\"SAME\"\n");
  }
}

TEST(FuseActivationTest, Sums_SupportThoseOfTheSchema) {
  GraphBuilder b;
  const ValueId x = b.Input("x", {4});
  b.Output(b.Add("z", "RELU", {b.Add("y", "ADD", {x, x})}));
  b.Output(b.Add("v", "TANH", {b.Add("u", "MUL", {x, x})}));
  EXPECT_EQ(After(b, "fuse_activation"),
            "z = ADD(x, x) fused_activation_function=\"RELU\"\n"
            "u = MUL(x, x)\n"
            "v = TANH(u)\n");
}

TEST(FuseActivationTest, SharedAndQuantizedResults_AreLeftUnchanged) {
  GraphBuilder b;
  const ValueId x = b.Input("x", {1, 8, 8, 1});
  const ValueId shared = b.Conv("shared", x, 1, 1);
  b.Output(b.Add("a", "RELU", {shared}));
  b.Output(shared);
  const ValueId q = b.Add("q", "ADD", {x, x});
  b.value(q).type = ElementType::kInt8;
  b.Output(b.Add("c", "RELU", {q}));
  const ValueId once =
      b.Conv("once", x, 1, 1,
             {{"fused_activation_function", std::string("RELU_N1_TO_1")}});
  b.Output(b.Add("d", "TANH", {once}));
  const std::string before = Listing(b.sub());
  EXPECT_EQ(After(b, "fuse_activation"), before);
}

}  // namespace
}  // namespace munja::graph
