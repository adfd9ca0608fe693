#include <gtest/gtest.h>

#include <cstdint>

#include "ops/expect.h"

namespace munja::ops {
namespace {

TEST(FloorDivTest, RoundsDown) {
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

TEST(FloorDivTest, Powers) {
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

TEST(FloorDivTest, Refuses) {
  const auto node = [](const char* op, int32_t b) {
    return TestNode{.op = op,
                    .inputs = {Ints({1}, {1}), Ints({1}, {b})},
                    .outputs = {{ElementType::kInt32}}};
  };
  ExpectRefused(node("FLOOR_DIV", 0), Code::kInvalidArgument, "by zero");
  ExpectRefused(node("FLOOR_MOD", 0), Code::kInvalidArgument, "by zero");
  ExpectRefused(node("POW", -1), Code::kInvalidArgument, "negative power");
}

}  // namespace
}  // namespace munja::ops
