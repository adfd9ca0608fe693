#include <gtest/gtest.h>

#include "graph/passes/testing.h"

namespace munja::graph {
namespace {

using testing::After;
using testing::GraphBuilder;
using testing::Listing;

// x, stored as `from`, to `y`, stored as `to`, by way of float.
void AddIsland(GraphBuilder& b, const char* op, ElementType from,
               ElementType to) {
  const ValueId x = b.Input("x", {1, 8}, from);
  b.value(x).quantization = {{0.5f}, {0}};
  const ValueId real = b.Add("real", "DEQUANTIZE", {x});
  const ValueId y = b.Add("y", "QUANTIZE", {b.Add("made", op, {real})});
  b.value(y).type = to;
  b.value(y).quantization = {{0.25f}, {0}};
  b.Output(y);
}

TEST(FuseQdqActivationTest, Activations_ReadAndWriteInt16) {
  for (const char* op : {"GELU", "HARD_SWISH", "ELU"}) {
    GraphBuilder b;
    AddIsland(b, op, ElementType::kInt16, ElementType::kInt16);
    EXPECT_EQ(After(b, "fuse_qdq_activation"),
              std::string("y = ") + op + "(x)\n");
  }
}

TEST(FuseQdqActivationTest, OtherActivations_AreLeftUnchanged) {
  {
    // int16 has a form of its own.
    GraphBuilder b;
    AddIsland(b, "LOGISTIC", ElementType::kInt16, ElementType::kInt16);
    const std::string before = Listing(b.sub());
    EXPECT_EQ(After(b, "fuse_qdq_activation"), before);
  }
  for (const auto& [from, to] :
       {std::pair{ElementType::kInt8, ElementType::kInt16},
        {ElementType::kInt16, ElementType::kInt8}}) {
    GraphBuilder b;
    AddIsland(b, "GELU", from, to);
    const std::string before = Listing(b.sub());
    EXPECT_EQ(After(b, "fuse_qdq_activation"), before);
  }
  {
    GraphBuilder b;
    AddIsland(b, "GELU", ElementType::kInt16, ElementType::kInt16);
    b.Output(b.sub().nodes[1].outputs[0]);  // The float result is read, too.
    const std::string before = Listing(b.sub());
    EXPECT_EQ(After(b, "fuse_qdq_activation"), before);
  }
}

}  // namespace
}  // namespace munja::graph
