#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/passes/testing.h"

namespace munja::graph {
namespace {

using testing::After;
using testing::GraphBuilder;
using testing::Listing;

const testing::Options kRelu6 = {
    {"fused_activation_function", std::string("RELU6")}};
const char kSigmoid[] =
    "y = HARD_SIGMOID(x) activation_alpha=0.200000003 activation_beta=0.5\n";
const char kSixth[] =
    "y = HARD_SIGMOID(x) activation_alpha=0.166666667 activation_beta=0.5\n";

class FuseHardSigmoidTest : public ::testing::Test {
 protected:
  ValueId Number(float value) {
    return b.Floats("c" + std::to_string(b.sub().values.size()), {}, {value});
  }
  std::string Fused(ValueId y) {
    b.value(y).name = "y";
    b.Output(y);
    return After(b, "fuse_hard_sigmoid");
  }
  GraphBuilder b;
  ValueId x = b.Input("x", {1, 8, 8, 4});
};

// Without attributes alpha and beta are 1/6 and 1/2.
TEST_F(FuseHardSigmoidTest, GateWithoutAttributes_BecomesHardSwish) {
  const ValueId gate = b.Add("gate", "HARD_SIGMOID", {x});
  EXPECT_EQ(Fused(b.Add("m", "MUL", {x, gate})), "y = HARD_SWISH(x)\n");
}

TEST_F(FuseHardSigmoidTest, ClampByRelu0To1_IsFused) {
  const ValueId m = b.Add("m", "MUL", {x, Number(0.2f)});
  const ValueId a = b.Add("a", "ADD", {Number(0.5f), m});
  EXPECT_EQ(Fused(b.Add("r", "RELU_0_TO_1", {a})), kSigmoid);
}

TEST_F(FuseHardSigmoidTest, ClampByMinimumOfMaximum_IsFused) {
  const ValueId d = b.Add("d", "DIV", {x, Number(5)});
  const ValueId a = b.Add("a", "SUB", {d, Number(-0.5f)});
  const ValueId m = b.Add("m", "MAXIMUM", {a, Number(0)});
  EXPECT_EQ(Fused(b.Add("r", "MINIMUM", {m, Number(1)})),
            "y = HARD_SIGMOID(x) activation_alpha=0.2 activation_beta=0.5\n");
}

TEST_F(FuseHardSigmoidTest, ClampByMaximumOfMinimum_IsFused) {
  const ValueId m = b.Add("m", "MUL", {x, Number(0.2f)});
  const ValueId a = b.Add("a", "ADD", {m, Number(0.5f)});
  const ValueId n = b.Add("n", "MINIMUM", {a, Number(1)});
  EXPECT_EQ(Fused(b.Add("r", "MAXIMUM", {n, Number(0)})), kSigmoid);
}

TEST_F(FuseHardSigmoidTest, ClampByRelu6AndMultiply_IsFused) {
  const ValueId a = b.Add("a", "ADD", {x, Number(3)});
  const ValueId r = b.Add("r", "RELU6", {a});
  EXPECT_EQ(Fused(b.Add("m", "MUL", {r, Number(1.0f / 6)})), kSixth);
}

TEST_F(FuseHardSigmoidTest, ClampByFusedRelu6AndDivide_IsFused) {
  const ValueId a = b.Add("a", "ADD", {x, Number(3)}, kRelu6);
  EXPECT_EQ(Fused(b.Add("m", "DIV", {a, Number(6)})), kSixth);
}

TEST_F(FuseHardSigmoidTest, ClampByMinimumOfRelu_IsFused) {
  const ValueId a = b.Add("a", "ADD", {x, Number(3)});
  const ValueId r = b.Add("r", "MINIMUM", {b.Add("p", "RELU", {a}), Number(6)});
  EXPECT_EQ(Fused(b.Add("m", "MUL", {Number(1.0f / 6), r})), kSixth);
}

TEST_F(FuseHardSigmoidTest, HardSwish_IsFound) {
  const ValueId a = b.Add("a", "ADD", {x, Number(3)}, kRelu6);
  const ValueId m = b.Add("m", "MUL", {x, a});
  EXPECT_EQ(Fused(b.Add("n", "MUL", {m, Number(1.0f / 6)})),
            "y = HARD_SWISH(x)\n");
}

TEST_F(FuseHardSigmoidTest, HardSwishAsProductWithHardSigmoid_IsFound) {
  const ValueId a = b.Add("a", "ADD", {x, Number(3)}, kRelu6);
  const ValueId m = b.Add("m", "DIV", {a, Number(6)});
  EXPECT_EQ(Fused(b.Add("n", "MUL", {m, x})), "y = HARD_SWISH(x)\n");
}

TEST_F(FuseHardSigmoidTest, ProductWithAnotherGate_StaysAProduct) {
  const ValueId m = b.Add("m", "MUL", {x, Number(0.2f)});
  const ValueId a = b.Add("a", "ADD", {m, Number(0.5f)});
  const ValueId g = b.Add("g", "RELU_0_TO_1", {a});
  EXPECT_EQ(Fused(b.Add("n", "MUL", {x, g})),
            "g = HARD_SIGMOID(x) activation_alpha=0.200000003 "
            "activation_beta=0.5\n"
            "y = MUL(x, g)\n");
}

TEST_F(FuseHardSigmoidTest, OtherPatterns_AreLeftUnchanged) {
  // Other bounds, other scale, a result that others read, ADD of a tensor.
  b.Output(b.Add(
      "r1", "MINIMUM",
      {b.Add("m1", "MAXIMUM", {b.Add("a1", "ADD", {x, Number(1)}), Number(-1)}),
       Number(1)}));
  b.Output(b.Add("r2", "MUL",
                 {b.Add("m2", "RELU6", {b.Add("a2", "ADD", {x, Number(3)})}),
                  Number(0.2f)}));
  const ValueId m3 = b.Add("m3", "RELU6", {x});
  b.Output(m3);
  b.Output(b.Add("r3", "MUL", {m3, Number(1.0f / 6)}));
  b.Output(b.Add("r4", "RELU_0_TO_1", {b.Add("a4", "ADD", {x, x})}));
  b.Output(b.Add("r5", "DIV", {Number(6), b.Add("m5", "RELU6", {x})}));
  const std::string before = Listing(b.sub());
  EXPECT_EQ(After(b, "fuse_hard_sigmoid"), before);
}

// The gate of HARD_SWISH is relu6(x + 3) / 6 and no other one.
TEST_F(FuseHardSigmoidTest, OtherGates_MakeNoHardSwish) {
  struct Gate {
    float shift, divisor;
  };
  for (const Gate gate : {Gate{2, 6}, Gate{4, 6}, Gate{-3, 6}, Gate{3, 5}}) {
    for (const bool divides_last : {true, false}) {
      GraphBuilder g;
      int count = 0;
      const auto number = [&](float v) {
        return g.Floats("c" + std::to_string(count++), {}, {v});
      };
      const ValueId in = g.Input("x", {1, 8, 8, 4});
      const ValueId a = g.Add("a", "ADD", {in, number(gate.shift)}, kRelu6);
      g.Output(divides_last
                   ? g.Add("d", "DIV",
                           {g.Add("p", "MUL", {in, a}), number(gate.divisor)})
                   : g.Add("p", "MUL",
                           {in, g.Add("d", "DIV", {a, number(gate.divisor)})}));
      EXPECT_EQ(After(g, "fuse_hard_sigmoid").find("HARD_SWISH"),
                std::string::npos)
          << "x + " << gate.shift << " / " << gate.divisor;
    }
  }
}

TEST_F(FuseHardSigmoidTest, UnsupportedOperator_IsNotMade) {
  const ValueId a = b.Add("a", "ADD", {x, Number(3)}, kRelu6);
  b.Output(b.Add("y", "DIV", {a, Number(6)}));
  const std::string before = Listing(b.sub());
  PassOptions options;
  options.has_op = [](std::string_view) { return false; };
  EXPECT_EQ(After(b, "fuse_hard_sigmoid", options), before);
}

}  // namespace
}  // namespace munja::graph
