#include "runtime/shape_inference.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace munja::runtime {
namespace {

class ShapeInferenceTest : public ::testing::Test {
 protected:
  graph::ValueId Add(const char* name, ElementType type) {
    graph::Value value;
    value.name = name;
    value.type = type;
    value.has_shape = false;
    return graph_.AddValue(value);
  }
  graph::ValueId Number(int32_t number) {
    graph::Value value;
    value.type = ElementType::kInt32;
    value.shape = Shape();
    std::vector<uint8_t> bytes(4);
    std::memcpy(bytes.data(), &number, 4);
    value.constant = graph::MakeConstant(std::move(bytes));
    return graph_.AddValue(value);
  }
  void Node(const char* op, std::vector<graph::ValueId> inputs,
            graph::ValueId output) {
    graph::Node& node = graph_.nodes.emplace_back();
    node.op = op;
    node.inputs = std::move(inputs);
    node.outputs = {output};
  }
  graph::Subgraph graph_;
};

// Values that follow from a shape are known with it: its size, its rank.
TEST_F(ShapeInferenceTest, ShapesComputedFromShapes_AreInferred) {
  const auto x = Add("x", ElementType::kFloat32);
  const auto rank = Add("rank", ElementType::kInt32);
  const auto range = Add("range", ElementType::kInt32);
  const auto shape = Add("shape", ElementType::kInt32);
  const auto filled = Add("filled", ElementType::kInt32);
  Node("RANK", {x}, rank);
  Node("RANGE", {Number(0), rank, Number(1)}, range);
  Node("SHAPE", {x}, shape);
  Node("FILL", {shape, Number(7)}, filled);
  const std::vector<int> nodes = {0, 1, 2, 3};
  ShapeInference inference(graph_);
  for (const Shape& given : {Shape{2, 3, 4}, Shape{5, 6}}) {
    inference.Forget(nodes);
    for (const auto v : {rank, range, shape, filled})
      EXPECT_FALSE(inference.knows(v)) << v;
    inference.Set(x, given);
    inference.Run(nodes);
    EXPECT_EQ(inference.obstacle(), "");
    ASSERT_TRUE(inference.knows(range) && inference.knows(filled));
    EXPECT_EQ(inference.shape(range), Shape{given.rank()});
    EXPECT_EQ(inference.shape(filled), given);
  }
}

}  // namespace
}  // namespace munja::runtime
