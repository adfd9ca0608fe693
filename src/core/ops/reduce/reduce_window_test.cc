#include <gtest/gtest.h>

#include "ops/expect.h"

namespace munja::ops {
namespace {

using Numbers = std::vector<int32_t>;

TestNode MakeNode(std::string function, TestTensor input, TestTensor initial,
                  const Numbers& window, const Numbers& strides,
                  const Numbers& dilations) {
  TestNode node;
  node.op = "REDUCE_WINDOW";
  node.attributes = Options({{"reduce_function", std::move(function)}});
  node.outputs = {{input.type}};
  node.inputs = {std::move(input), std::move(initial)};
  for (const Numbers* list : {&window, &strides, &dilations}) {
    node.inputs.push_back(
        Ints(Shape{static_cast<int32_t>(list->size())}, *list).Constant());
  }
  return node;
}

TEST(ReduceWindow, EachFunction_IsReduced) {
  const TestTensor x = Floats(Shape{3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9});
  const auto node = [&](std::string function, float initial) {
    return MakeNode(std::move(function), x, Floats(Shape{}, {initial}), {2, 2},
                    {1, 1}, {1, 1});
  };
  const Shape out{2, 2};
  ExpectOutput<float>(node("ADD", 1), out, {13, 17, 25, 29});
  ExpectOutput<float>(node("MUL", 2), out, {80, 360, 2240, 4320});
  ExpectOutput<float>(node("MINIMUM", 4.5f), out, {1, 2, 4, 4.5f});
  ExpectOutput<float>(node("MAXIMUM", 6.5f), out, {6.5f, 6.5f, 8, 9});
}

TEST(ReduceWindow, StridesAndDilations_AreApplied) {
  ExpectOutput<int32_t>(MakeNode("ADD", Ints(Shape{7}, {1, 2, 3, 4, 5, 6, 7}),
                                 Ints(Shape{}, {0}), {2}, {2}, {3}),
                        Shape{2}, {5, 9});
  ExpectOutput<int32_t>(MakeNode("ADD", Ints(Shape{2}, {1, 2}),
                                 Ints(Shape{}, {0}), {3}, {1}, {1}),
                        Shape{0}, {});
}

TEST(ReduceWindow, Bools_AreReduced) {
  const auto bools = [](Shape shape, const std::vector<uint8_t>& values) {
    return MakeTensor<uint8_t>(ElementType::kBool, shape, values);
  };
  const TestTensor x = bools(Shape{4}, {0, 0, 1, 1});
  ExpectOutput<uint8_t>(MakeNode("ANY", x, bools(Shape{}, {0}), {2}, {1}, {1}),
                        Shape{3}, {0, 1, 1});
  ExpectOutput<uint8_t>(MakeNode("ALL", x, bools(Shape{}, {1}), {2}, {1}, {1}),
                        Shape{3}, {0, 0, 1});
}

TEST(ReduceWindow, InvalidNodes_AreRefused) {
  const TestTensor x = Floats(Shape{3}, {1, 2, 3}), zero = Floats(Shape{}, {0});
  ExpectRefused(MakeNode("UNSUPPORTED", x, zero, {1}, {1}, {1}),
                Code::kUnsupported, "UNSUPPORTED");
  ExpectRefused(MakeNode("ADD", x, zero, {0}, {1}, {1}), Code::kMalformed,
                "is 0");
  ExpectRefused(MakeNode("ADD", x, zero, {1, 1}, {1}, {1}), Code::kMalformed,
                "");
  ExpectRefused(MakeNode("ADD", x, Ints(Shape{}, {0}), {1}, {1}, {1}),
                Code::kMalformed, "mixes");
  ExpectRefused(MakeNode("ALL", x, zero, {1}, {1}, {1}), Code::kUnsupported,
                "float32");
  ExpectRefused(MakeNode("ADD", x, x, {1}, {1}, {1}), Code::kMalformed,
                "initial value");
}

}  // namespace
}  // namespace munja::ops
