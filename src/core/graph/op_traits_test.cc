#include "graph/op_traits.h"

#include <gtest/gtest.h>

namespace munja::graph {
namespace {

TEST(OpTraitsTest, Rows_AreFoundByTheWholeName) {
  EXPECT_EQ(TraitsOf("RELU").op, "RELU");
  for (const char* name : {"", "A", "ABSOLUTE", "REL", "RELU7", "relu", "~"})
    EXPECT_EQ(TraitsOf(name).op, "") << name;
}

// They change variables where they read them, and no fact says so.
TEST(OpTraitsTest, StatefulOperators_HaveNoTraits) {
  for (const char* name :
       {"SVDF", "RNN", "LSTM", "UNIDIRECTIONAL_SEQUENCE_RNN",
        "UNIDIRECTIONAL_SEQUENCE_LSTM", "BIDIRECTIONAL_SEQUENCE_RNN",
        "BIDIRECTIONAL_SEQUENCE_LSTM"})
    EXPECT_EQ(TraitsOf(name).op, "") << name;
}

TEST(OpTraitsTest, CustomOperators_HaveNoTraits) {
  Node node;
  node.op = "RELU";
  EXPECT_EQ(TraitsOf(node).shape, ShapeRule::kSame);
  EXPECT_TRUE(FindClamp(node));
  EXPECT_NE(FindQuantizationRule(node), nullptr);
  node.is_custom = true;
  EXPECT_EQ(TraitsOf(node).shape, ShapeRule::kUnknown);
  EXPECT_FALSE(FindClamp(node));
  EXPECT_EQ(FindQuantizationRule(node), nullptr);
}

}  // namespace
}  // namespace munja::graph
