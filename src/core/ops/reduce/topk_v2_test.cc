#include <gtest/gtest.h>

#include "ops/expect.h"

namespace munja::ops {
namespace {

TestNode TopK(TestTensor x, int32_t k) {
  return {.op = "TOPK_V2",
          .inputs = {std::move(x), Ints({}, {k}).Constant()},
          .outputs = {{ElementType::kFloat32}, {ElementType::kInt32}}};
}

TEST(TopKTest, Values_DescendAndEqualOnesKeepTheirOrder) {
  const TestTensor x = Floats({2, 4}, {1, 3, 3, 2, -1, -4, NAN, -2});
  const auto result = RunNode(TopK(x, 3));
  ASSERT_TRUE(result.ok()) << result.status().message();
  EXPECT_EQ((*result)[0].shape.ToString(), "2x3");
  EXPECT_EQ((*result)[0].values<float>(),
            (std::vector<float>{3, 3, 2, -1, -2, -4}));
  EXPECT_EQ((*result)[1].values<int32_t>(),
            (std::vector<int32_t>{1, 2, 3, 0, 3, 1}));
}

TEST(TopKTest, InvalidNodes_AreRefused) {
  ExpectRefused(TopK(Floats({2}, {1, 2}), 3), Code::kMalformed, "takes 3 of 2");
}

TEST(TopKTest, NarrowValuesAndIndices_AreSupported) {
  const TestNode node{
      .op = "TOPK_V2",
      .inputs = {MakeTensor<int16_t>(ElementType::kInt16, {4}, {3, -1, 300, 3}),
                 Ints({}, {3}).Constant()},
      .outputs = {{ElementType::kInt16}, {ElementType::kInt16}}};
  ExpectOutputs<int16_t>(node, {{3}, {3}}, {{300, 3, 3}, {2, 0, 3}});
}

}  // namespace
}  // namespace munja::ops
