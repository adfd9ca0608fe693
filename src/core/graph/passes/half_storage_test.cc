#include "graph/passes/half_storage.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

namespace munja::graph {
namespace {

Graph AddConstant(std::vector<float> values) {
  Graph g;
  Subgraph& s = g.subgraphs.emplace_back();
  const int32_t n = static_cast<int32_t>(values.size());
  Value x, c, y;
  x.name = "x";
  c.name = "c";
  y.name = "y";
  x.shape = c.shape = y.shape = Shape({n});
  std::vector<uint8_t> bytes(values.size() * 4);
  std::memcpy(bytes.data(), values.data(), bytes.size());
  c.constant = MakeConstant(std::move(bytes));
  s.inputs = {s.AddValue(x)};
  const ValueId constant = s.AddValue(c);
  s.outputs = {s.AddValue(y)};
  Node node;
  node.op = "ADD";
  node.inputs = {s.inputs[0], constant};
  node.outputs = s.outputs;
  s.nodes.push_back(node);
  return g;
}

TEST(StoreAsHalf, Constant_BecomesHalfWithADequantize) {
  Graph g = AddConstant({1, -2, 0.5f, 3});
  EXPECT_EQ(StoreAsHalf(&g, 4), 1);
  ASSERT_TRUE(Verify(g).ok());
  const Subgraph& s = g.main();
  ASSERT_EQ(s.nodes.size(), 2u);
  EXPECT_EQ(s.nodes[0].op, "DEQUANTIZE");
  EXPECT_EQ(s.nodes[1].inputs[1], s.nodes[0].outputs[0]);
  const Value& stored = s.values[s.nodes[0].inputs[0]];
  EXPECT_EQ(stored.type, ElementType::kFloat16);
  const std::vector<uint8_t> expected = {0x00, 0x3c, 0x00, 0xc0,
                                         0x00, 0x38, 0x00, 0x42};
  EXPECT_TRUE(std::equal(expected.begin(), expected.end(),
                         stored.constant->bytes.begin(),
                         stored.constant->bytes.end()));
}

TEST(StoreAsHalf, SmallAndLargeValues_StayFloat) {
  Graph few = AddConstant({1, 2, 3});
  EXPECT_EQ(StoreAsHalf(&few, 4), 0);
  Graph large = AddConstant({1, 2, 3, 70000});
  EXPECT_EQ(StoreAsHalf(&large, 4), 0);
  EXPECT_EQ(large.main().nodes.size(), 1u);
}

}  // namespace
}  // namespace munja::graph
