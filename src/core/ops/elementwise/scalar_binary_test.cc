#include <gtest/gtest.h>

#include <cstdint>

#include "ops/expect.h"

namespace munja::ops {
namespace {

TEST(FloorDivTest, Quotient_IsRoundedDown) {
  const auto ints = [](const char* op) {
    return TestNode{.op = op,
                    .inputs = {Ints({5}, {7, -7, 7, -7, INT32_MIN}),
                               Ints({5}, {3, 3, -3, -3, -1})},
                    .outputs = {{ElementType::kInt32}}};
  };
  ExpectOutput<int32_t>(ints("FLOOR_DIV"), {5}, {2, -3, -3, 2, INT32_MIN});
  ExpectOutput<int32_t>(ints("FLOOR_MOD"), {5}, {1, 2, -2, -1, 0});
  const auto floats = [](const char* op) {
    return TestNode{
        .op = op,
        .inputs = {Floats({4}, {7, -7, 7, -7}), Floats({4}, {3, 3, -3, -3})}};
  };
  ExpectOutput<float>(floats("FLOOR_DIV"), {4}, {2, -3, -3, 2});
  ExpectOutput<float>(floats("FLOOR_MOD"), {4}, {1, 2, -2, -1});
}

TEST(FloorDivTest, Powers_AreComputed) {
  ExpectOutput<float>(
      {.op = "POW",
       .inputs = {Floats({3}, {2, 9, 2}), Floats({3}, {3, 0.5f, -1})}},
      {3}, {8, 3, 0.5f});
  ExpectOutput<int32_t>(
      {.op = "POW",
       .inputs = {Ints({3}, {2, -3, 5}), Ints({3}, {10, 3, 0})},
       .outputs = {{ElementType::kInt32}}},
      {3}, {1024, -27, 1});
}

TEST(FloorDivTest, InvalidNodes_AreRefused) {
  const auto node = [](const char* op, int32_t b) {
    return TestNode{.op = op,
                    .inputs = {Ints({1}, {1}), Ints({1}, {b})},
                    .outputs = {{ElementType::kInt32}}};
  };
  ExpectRefused(node("FLOOR_DIV", 0), Code::kInvalidArgument, "by zero");
  ExpectRefused(node("FLOOR_MOD", 0), Code::kInvalidArgument, "by zero");
  ExpectRefused(node("POW", -1), Code::kInvalidArgument, "negative power");
}

TEST(FloorDivTest, NarrowIntegers_Wrap) {
  const auto node = [](const char* op) {
    return TestNode{
        .op = op,
        .inputs = {MakeTensor<int8_t>(ElementType::kInt8, {4},
                                      {-7, 7, -128, 9}),
                   MakeTensor<int8_t>(ElementType::kInt8, {4}, {2, -2, -1, 4})},
        .outputs = {{ElementType::kInt8}}};
  };
  ExpectOutput<int8_t>(node("FLOOR_DIV"), {4}, {-4, -4, -128, 2});
  ExpectOutput<int8_t>(node("FLOOR_MOD"), {4}, {1, -1, 0, 1});
}

TEST(FloorDivTest, Bits_AreCombined) {
  const auto node = [](const char* op, std::vector<int16_t> b) {
    return TestNode{
        .op = op,
        .inputs = {MakeTensor<int16_t>(ElementType::kInt16, {3},
                                       {-256, 5, 300}),
                   MakeTensor<int16_t>(ElementType::kInt16, {3}, b)},
        .outputs = {{ElementType::kInt16}}};
  };
  ExpectOutput<int16_t>(node("BITWISE_XOR", {1, 5, 44}), {3}, {-255, 0, 256});
  ExpectOutput<int16_t>(node("RIGHT_SHIFT", {4, -3, 100}), {3}, {-16, 5, 0});
  ExpectOutput<uint32_t>(
      {.op = "RIGHT_SHIFT",
       .inputs = {MakeTensor<uint32_t>(ElementType::kUInt32, {1}, {0x80000000}),
                  MakeTensor<uint32_t>(ElementType::kUInt32, {1}, {31})},
       .outputs = {{ElementType::kUInt32}}},
      {1}, {1});
}

TEST(FloorDivTest, Atan2_CoversAllQuadrants) {
  ExpectOutput<float>(
      {.op = "ATAN2",
       .inputs = {Floats({3}, {1, -1, 0}), Floats({3}, {1, -1, -2})}},
      {3}, {0.78539816f, -2.35619449f, 3.14159265f}, 1e-6);
  ExpectRefused({.op = "ATAN2",
                 .inputs = {Ints({1}, {1}), Ints({1}, {1})},
                 .outputs = {{ElementType::kInt32}}},
                Code::kUnsupported, "int32");
}

}  // namespace
}  // namespace munja::ops
