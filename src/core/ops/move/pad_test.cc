#include <gtest/gtest.h>

#include "ops/expect.h"

namespace munja::ops {
namespace {

TestNode Pad(const char* op, TestTensor x, std::vector<int32_t> widths) {
  const auto rank = static_cast<int32_t>(widths.size() / 2);
  const ElementType type = x.type;
  return {.op = op,
          .inputs = {std::move(x), Ints({rank, 2}, widths).Constant()},
          .outputs = {{type}}};
}

TEST(PadTest, Borders_AreConstant) {
  const TestTensor x = Floats({1, 2}, {1, 2});
  ExpectOutput<float>(Pad("PAD", x, {1, 0, 1, 2}), {2, 5},
                      {0, 0, 0, 0, 0, 0, 1, 2, 0, 0});
  TestNode with_value = Pad("PADV2", x, {0, 1, 1, 0});
  with_value.inputs.push_back(Floats({}, {7}));
  ExpectOutput<float>(with_value, {2, 3}, {7, 1, 2, 7, 7, 7});
  ExpectOutput<float>(Pad("PAD", x, {0, 0, 0, 0}), {1, 2}, {1, 2});
  ExpectOutput<float>(Pad("PAD", Floats({0}, {}), {1, 1}), {2}, {0, 0});
}

TEST(PadTest, QuantizedBorders_AreTheZeroPoint) {
  TestNode node =
      Pad("PAD",
          MakeTensor<int8_t>(ElementType::kInt8, {1}, {5}).With({{0.5f}, {-3}}),
          {1, 1});
  ExpectOutput<int8_t>(node, {3}, {-3, 5, -3});
}

TEST(PadTest, ZeroPointOfEveryType_IsUsed) {
  const auto pad = [](TestTensor x) {
    return Pad("PAD", std::move(x), {1, 0});
  };
  ExpectOutput<uint8_t>(pad(MakeTensor<uint8_t>(ElementType::kUInt8, {1}, {5})
                                .With({{0.5f}, {130}})),
                        {2}, {130, 5});
  ExpectOutput<int8_t>(
      pad(MakeTensor<int8_t>(ElementType::kInt8, {1}, {5}).With({{0.5f}, {9}})),
      {2}, {9, 5});
  ExpectOutput<int16_t>(pad(MakeTensor<int16_t>(ElementType::kInt16, {1}, {5})
                                .With({{0.5f}, {300}})),
                        {2}, {300, 5});
  ExpectOutput<int32_t>(pad(Ints({1}, {5})), {2}, {0, 5});
}

TEST(PadTest, Borders_AreMirrored) {
  const TestTensor x = Floats({3}, {1, 2, 3});
  TestNode reflect = Pad("MIRROR_PAD", x, {2, 2});
  ExpectOutput<float>(reflect, {7}, {3, 2, 1, 2, 3, 2, 1});
  TestNode symmetric = Pad("MIRROR_PAD", x, {3, 1});
  symmetric.attributes.Set("mode", std::string("SYMMETRIC"));
  ExpectOutput<float>(symmetric, {7}, {3, 2, 1, 1, 2, 3, 3});
  ExpectOutput<float>(
      Pad("MIRROR_PAD", Floats({2, 2}, {1, 2, 3, 4}), {1, 0, 1, 1}), {3, 4},
      {4, 3, 4, 3, 2, 1, 2, 1, 4, 3, 4, 3});
}

TEST(PadTest, LargeMaps_MatchReference) {
  const TestTensor x = Floats({1, 61, 47, 16}, RandomFloats(61 * 47 * 16, 1));
  ExpectTwinsAgree(Pad("PAD", x, {0, 0, 1, 2, 3, 1, 0, 4}), 0);
  ExpectTwinsAgree(Pad("MIRROR_PAD", x, {0, 0, 1, 2, 3, 1, 0, 4}), 0);
}

TEST(PadTest, InvalidNodes_AreRefused) {
  const TestTensor x = Floats({3}, {1, 2, 3});
  ExpectRefused(Pad("PAD", x, {-1, 0}), Code::kMalformed, "padding of -1");
  ExpectRefused(Pad("PAD", x, {1, 1, 1, 1}), Code::kMalformed, "4 numbers");
  ExpectRefused(Pad("MIRROR_PAD", x, {3, 0}), Code::kMalformed, "mirrors");
  ExpectRefused({.op = "PAD", .inputs = {x, Ints({1, 2}, {1, 1})}},
                Code::kNeedsValues, "padding is not known before the run");
}

}  // namespace
}  // namespace munja::ops
