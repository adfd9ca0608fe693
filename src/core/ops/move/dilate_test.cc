#include <gtest/gtest.h>

#include "ops/expect.h"

namespace munja::ops {
namespace {

TestNode MakeNode(TestTensor input, const std::vector<int32_t>& dilations,
                  TestTensor filler) {
  TestNode node;
  node.op = "DILATE";
  node.outputs = {{input.type}};
  node.inputs = {
      std::move(input),
      Ints(Shape{static_cast<int32_t>(dilations.size())}, dilations).Constant(),
      std::move(filler)};
  return node;
}

TEST(Dilate, Elements_MoveApart) {
  ExpectOutput<float>(
      MakeNode(Floats(Shape{2, 2}, {1, 2, 3, 4}), {2, 3}, Floats(Shape{}, {9})),
      Shape{3, 4}, {1, 9, 9, 2, 9, 9, 9, 9, 3, 9, 9, 4});
  ExpectOutput<int32_t>(
      MakeNode(Ints(Shape{3}, {1, 2, 3}), {1}, Ints(Shape{}, {0})), Shape{3},
      {1, 2, 3});
  ExpectOutput<int64_t>(
      MakeNode(MakeTensor<int64_t>(ElementType::kInt64, Shape{0, 2}, {}),
               {2, 2}, MakeTensor<int64_t>(ElementType::kInt64, Shape{}, {7})),
      Shape{0, 3}, {});
}

TEST(Dilate, InvalidNodes_AreRefused) {
  const TestTensor x = Floats(Shape{2}, {1, 2}), zero = Floats(Shape{}, {0});
  ExpectRefused(MakeNode(x, {0}, zero), Code::kMalformed, "a dilation is 0");
  ExpectRefused(MakeNode(x, {2, 2}, zero), Code::kMalformed, "");
  ExpectRefused(MakeNode(x, {2}, Ints(Shape{}, {0})), Code::kMalformed,
                "mixes");
  ExpectRefused(MakeNode(x, {2}, x), Code::kMalformed,
                "the padding value has shape 2");
  TestNode bad = MakeNode(x, {2}, zero);
  bad.inputs[1].is_constant = false;
  ExpectRefused(bad, Code::kNeedsValues, "not known");
}

}  // namespace
}  // namespace munja::ops
