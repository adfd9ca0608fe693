#include <gtest/gtest.h>

#include "ops/expect.h"
#include "ops/testing.h"

namespace munja::ops {
namespace {

TestNode Scatter(TestTensor indices, TestTensor updates,
                 const std::vector<int32_t>& shape) {
  const ElementType type = updates.type;
  return {
      .op = "SCATTER_ND",
      .inputs = {std::move(indices), std::move(updates),
                 Ints({static_cast<int32_t>(shape.size())}, shape).Constant()},
      .outputs = {{type}}};
}

TEST(ScatterNdTest, ElementsAndSlices_AreAdded) {
  ExpectOutput<float>(
      Scatter(Ints({4, 1}, {4, 3, 1, 4}), Floats({4}, {9, 10, 11, 12}), {6}),
      {6}, {0, 11, 0, 10, 21, 0});
  ExpectOutput<int32_t>(
      Scatter(Ints({2, 1}, {2, 0}), Ints({2, 2}, {1, 2, 3, 4}), {3, 2}), {3, 2},
      {3, 4, 0, 0, 1, 2});
  ExpectOutput<float>(
      Scatter(Ints({1, 2, 2}, {1, 0, 0, 1}), Floats({1, 2}, {5, 6}), {2, 2}),
      {2, 2}, {0, 6, 5, 0});
  // No index names all of it.
  ExpectOutput<float>(
      Scatter(Ints({2, 0}, {}), Floats({2, 2}, {1, 2, 3, 4}), {2}), {2},
      {4, 6});
}

TEST(ScatterNdTest, Integers_WrapAndBoolsStayBools) {
  ExpectOutput<int8_t>(
      Scatter(Ints({2, 1}, {0, 0}),
              MakeTensor<int8_t>(ElementType::kInt8, {2}, {100, 100}), {1}),
      {1}, {-56});
  ExpectOutput<int32_t>(
      Scatter(Ints({2, 1}, {0, 0}), Ints({2}, {INT32_MAX, 1}), {1}), {1},
      {INT32_MIN});
  ExpectOutput<uint8_t>(
      Scatter(Ints({3, 1}, {0, 0, 1}),
              MakeTensor<uint8_t>(ElementType::kBool, {3}, {1, 1, 0}), {2}),
      {2}, {1, 0});
}

TEST(ScatterNdTest, InvalidNodes_AreRefused) {
  for (const int32_t index : {-1, 6, INT32_MAX}) {
    ExpectRefused(Scatter(Ints({1, 1}, {index}), Floats({1}, {1}), {6}),
                  Code::kInvalidArgument, "outside a dimension of 6");
  }
  ExpectRefused(Scatter(Ints({1, 1}, {0}), Floats({1}, {1}), {0}),
                Code::kInvalidArgument, "outside a dimension of 0");
  ExpectRefused(Scatter(Ints({1, 1}, {0}), Floats({1}, {1}), {-6}),
                Code::kMalformed, "would be -6");
  ExpectRefused(Scatter(Ints({1, 2}, {0, 0}), Floats({1}, {1}), {6}),
                Code::kMalformed, "do not fit");
  ExpectRefused(Scatter(Ints({}, {0}), Floats({1}, {1}), {6}), Code::kMalformed,
                "do not fit");
  ExpectRefused(Scatter(Ints({1, 1}, {0}), Floats({2}, {1, 2}), {6}),
                Code::kMalformed, "wants 1");
  TestNode node = Scatter(Ints({1, 1}, {0}), Floats({1}, {1}), {6});
  node.inputs[2].is_constant = false;
  ExpectRefused(node, Code::kNeedsValues, "not known before the run");
}

}  // namespace
}  // namespace munja::ops
