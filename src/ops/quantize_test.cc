#include <gtest/gtest.h>

#include "ops/expect.h"

namespace munja::ops {
namespace {

TEST(QuantizeTest, DequantizesEachType) {
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
TEST(QuantizeTest, Quantizes) {
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

TEST(QuantizeTest, Refuses) {
  ExpectRefused({.op = "DEQUANTIZE",
                 .inputs = {MakeTensor<int8_t>(ElementType::kInt8, {1}, {1})}},
                Code::kMalformed, "no scale");
  ExpectRefused({.op = "QUANTIZE",
                 .inputs = {Ints({1}, {1})},
                 .outputs = {{ElementType::kInt8, {{1.0f}, {0}}}}},
                Code::kUnsupported, "int32");
}

}  // namespace
}  // namespace munja::ops
