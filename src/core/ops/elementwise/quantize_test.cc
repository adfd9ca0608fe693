#include <gtest/gtest.h>

#include "ops/expect.h"

namespace munja::ops {
namespace {

TEST(QuantizeTest, EachType_IsDequantized) {
  const Quantization q{{0.5f}, {3}};
  const auto node = [&](TestTensor x) {
    return TestNode{.op = "DEQUANTIZE", .inputs = {std::move(x)}};
  };
  ExpectOutput<float>(
      node(MakeTensor<int8_t>(ElementType::kInt8, {3}, {-128, 3, 127}).With(q)),
      {3}, {-65.5f, 0, 62});
  ExpectOutput<float>(
      node(MakeTensor<uint8_t>(ElementType::kUInt8, {2}, {0, 255}).With(q)),
      {2}, {-1.5f, 126});
  ExpectOutput<float>(
      node(MakeTensor<int16_t>(ElementType::kInt16, {2}, {-32768, 32767})
               .With({{0.25f}, {}})),
      {2}, {-8192, 8191.75f});
  ExpectOutput<float>(node(Halves({2, 2}, {1, -2, 0.5f, 65504})), {2, 2},
                      {1, -2, 0.5f, 65504});
  // One scale for each index of the first dimension.
  Quantization per_axis{{1, 10}, {0, 0}};
  ExpectOutput<float>(
      node(MakeTensor<int8_t>(ElementType::kInt8, {2, 2}, {1, 2, 3, 4})
               .With(per_axis)),
      {2, 2}, {1, 2, 30, 40});
  per_axis.axis = 1;
  ExpectOutput<float>(
      node(MakeTensor<int8_t>(ElementType::kInt8, {2, 2}, {1, 2, 3, 4})
               .With(per_axis)),
      {2, 2}, {1, 20, 3, 40});
}

// Half away from zero, then the zero point, then the bounds of the type.
TEST(QuantizeTest, Floats_AreQuantized) {
  const TestTensor x = Floats({6}, {0, 0.25f, -0.25f, 0.75f, 1000, -1000});
  const auto node = [&](ElementType type) {
    return TestNode{
        .op = "QUANTIZE", .inputs = {x}, .outputs = {{type, {{0.5f}, {10}}}}};
  };
  ExpectOutput<int8_t>(node(ElementType::kInt8), {6},
                       {10, 11, 9, 12, 127, -128});
  ExpectOutput<uint8_t>(node(ElementType::kUInt8), {6},
                        {10, 11, 9, 12, 255, 0});
  ExpectOutput<int16_t>(node(ElementType::kInt16), {6},
                        {10, 11, 9, 12, 2010, -1990});
}

TEST(QuantizeTest, InvalidNodes_AreRefused) {
  ExpectRefused({.op = "DEQUANTIZE",
                 .inputs = {MakeTensor<int8_t>(ElementType::kInt8, {1}, {1})}},
                Code::kMalformed, "no scale");
  ExpectRefused({.op = "QUANTIZE",
                 .inputs = {Ints({1}, {1})},
                 .outputs = {{ElementType::kInt8, {{1.0f}, {0}}}}},
                Code::kMalformed, "no scale");
}

TEST(QuantizeTest, QuantizedValues_AreRequantized) {
  const auto node = [](TestTensor x, ElementType type, float scale,
                       int64_t zero) {
    return TestNode{.op = "QUANTIZE",
                    .inputs = {std::move(x)},
                    .outputs = {{type, {{scale}, {zero}}}}};
  };
  const TestTensor bytes = Int8s({4}, {-128, -1, 0, 127}, 0.5f, -1);
  // -63.5, 0, 0.5, 64. The multiplication alone rounds half up, a shift behind
  // it half away from zero.
  ExpectOutput<uint8_t>(node(bytes, ElementType::kUInt8, 0.5f, 127), {4},
                        {0, 127, 128, 255});
  ExpectOutput<int8_t>(node(bytes, ElementType::kInt8, 1.0f, 0), {4},
                       {-63, 0, 1, 64});
  ExpectOutput<int16_t>(node(bytes, ElementType::kInt16, 0.25f, 0), {4},
                        {-254, 0, 2, 256});
  const TestTensor words = Int16s({3}, {-32768, 3, 32767}, 0.25f);
  ExpectOutput<int8_t>(node(words, ElementType::kInt8, 64.0f, 1), {3},
                       {-127, 1, 127});
  ExpectOutput<int32_t>(node(words, ElementType::kInt32, 0.125f, 5), {3},
                        {-65531, 11, 65539});
  const TestTensor ints = Ints({3}, {-70000, 6, 70000}).With({{0.5f}, {2}});
  ExpectOutput<int16_t>(node(ints, ElementType::kInt16, 1.0f, 0), {3},
                        {-32768, 2, 32767});
  ExpectRefused(node(ints, ElementType::kInt32, 1, 0), Code::kUnsupported,
                "from int32 to int32");
}

TEST(QuantizeTest, Int4_IsQuantizedAndDequantized) {
  const Quantization q{{0.5f}, {1}};
  // -4.5, 0, 3, beyond, and one in the low half of the last byte: the values
  // are -8, 1, 7, 7, 2.
  ExpectOutput<uint8_t>({.op = "QUANTIZE",
                         .inputs = {Floats({5}, {-4.5f, 0, 3, 100, 0.5f})},
                         .outputs = {{ElementType::kInt4, q}}},
                        {5}, {0x18, 0x77, 0x02});
  ExpectOutput<float>({.op = "DEQUANTIZE",
                       .inputs = {MakeTensor<uint8_t>(ElementType::kInt4, {5},
                                                      {0x18, 0x77, 0x02})
                                      .With(q)}},
                      {5}, {-4.5f, 0, 3, 3, 0.5f});
}

}  // namespace
}  // namespace munja::ops
