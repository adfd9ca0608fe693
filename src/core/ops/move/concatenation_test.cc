#include <gtest/gtest.h>

#include "ops/expect.h"

namespace munja::ops {
namespace {

TestNode Concatenate(int64_t axis, std::vector<TestTensor> inputs) {
  const ElementType type = inputs[0].type;
  return {.op = "CONCATENATION",
          .attributes = Options({{"axis", axis}}),
          .inputs = std::move(inputs),
          .outputs = {{type}}};
}

TEST(ConcatenationTest, EachAxis_IsConcatenated) {
  const TestTensor a = Floats({1, 2, 2}, {1, 2, 3, 4});
  const TestTensor b = Floats({1, 2, 1}, {5, 6});
  ExpectOutput<float>(Concatenate(-1, {a, b, a}), {1, 2, 5},
                      {1, 2, 5, 1, 2, 3, 4, 6, 3, 4});
  ExpectOutput<float>(Concatenate(1, {a, a}), {1, 4, 2},
                      {1, 2, 3, 4, 1, 2, 3, 4});
  ExpectOutput<float>(Concatenate(0, {a, a}), {2, 2, 2},
                      {1, 2, 3, 4, 1, 2, 3, 4});
  ExpectOutput<float>(Concatenate(2, {a, Floats({1, 2, 0}, {})}), {1, 2, 2},
                      {1, 2, 3, 4});
}

TEST(ConcatenationTest, IntegersAndEqualQuantization_AreCopied) {
  ExpectOutput<int32_t>(Concatenate(0, {Ints({1}, {1}), Ints({2}, {2, 3})}),
                        {3}, {1, 2, 3});
  const Quantization q{{0.5f}, {3}};
  TestNode node = Concatenate(
      0, {MakeTensor<int8_t>(ElementType::kInt8, {1}, {7}).With(q),
          MakeTensor<int8_t>(ElementType::kInt8, {1}, {-7}).With(q)});
  node.outputs[0].quantization = q;
  ExpectOutput<int8_t>(node, {2}, {7, -7});
  node.outputs[0].quantization.scales[0] = 0.25f;
  ExpectRefused(node, Code::kUnsupported, "quantized differently");
}

TEST(ConcatenationTest, LargeMaps_MatchReference) {
  const auto x = RandomFloats(40 * 40 * 24, 1);
  const TestTensor map = Floats({1, 40, 40, 24}, x);
  ExpectTwinsAgree(Concatenate(3, {map, map, map, map}), 0);
  ExpectTwinsAgree(Concatenate(1, {map, map}), 0);
}

TEST(ConcatenationTest, InvalidNodes_AreRefused) {
  const TestTensor a = Floats({1, 2}, {1, 2});
  ExpectRefused(Concatenate(0, {a, Floats({1, 1}, {1})}), Code::kMalformed,
                "input 1, 1x1, does not continue 1x2");
  ExpectRefused(Concatenate(0, {a, Floats({2}, {1, 2})}), Code::kMalformed,
                "does not continue");
  ExpectRefused(Concatenate(2, {a, a}), Code::kMalformed, "axis 2");
  ExpectRefused(Concatenate(0, {a, Ints({1, 2}, {1, 2})}), Code::kMalformed,
                "mixes");
  TestNode fused = Concatenate(0, {a, a});
  fused.attributes.Set("fused_activation_function", std::string("RELU"));
  ExpectRefused(fused, Code::kUnsupported, "activation");
}

// uint8 is brought to the output's scale; int8 must have it.
TEST(ConcatenationTest, UInt8_IsRescaled) {
  TestNode node{.op = "CONCATENATION",
                .attributes = Options({{"axis", int64_t{1}}}),
                .inputs = {UInt8s({2, 2}, {0, 10, 20, 255}, 0.5f, 10),
                           UInt8s({2, 1}, {7, 8}, 1.0f, 0)},
                .outputs = {{ElementType::kUInt8, {{1.0f}, {0}}}}};
  // -5, 0, 5, 122.5 and as they are.
  ExpectOutput<uint8_t>(node, {2, 3}, {0, 0, 7, 5, 123, 8});
  node.inputs = {Int8s({1, 1}, {1}, 0.5f, 0), Int8s({1, 1}, {1}, 1.0f, 0)};
  node.outputs = {{ElementType::kInt8, {{1.0f}, {0}}}};
  ExpectRefused(node, Code::kUnsupported, "quantized differently");
}

}  // namespace
}  // namespace munja::ops
