#include <gtest/gtest.h>

#include "ops/expect.h"

namespace munja::ops {
namespace {

TestNode WithShape(const char* op, TestTensor x, std::vector<int32_t> shape) {
  const ElementType type = x.type;
  const auto n = static_cast<int32_t>(shape.size());
  return {.op = op,
          .inputs = {std::move(x), Ints({n}, shape).Constant()},
          .outputs = {{type}}};
}

TEST(TileTest, Tile_RepeatsTheInput) {
  const TestTensor x = Floats({2, 2}, {1, 2, 3, 4});
  ExpectOutput<float>(WithShape("TILE", x, {1, 2}), {2, 4},
                      {1, 2, 1, 2, 3, 4, 3, 4});
  ExpectOutput<float>(WithShape("TILE", x, {2, 1}), {4, 2},
                      {1, 2, 3, 4, 1, 2, 3, 4});
  ExpectOutput<float>(WithShape("TILE", x, {0, 1}), {0, 2}, {});
  ExpectRefused(WithShape("TILE", x, {-1, 1}), Code::kMalformed, "-1");
  ExpectRefused(WithShape("TILE", x, {1}), Code::kMalformed, "multiples");
}

TEST(TileTest, BroadcastTo_RepeatsTheInput) {
  ExpectOutput<float>(
      WithShape("BROADCAST_TO", Floats({2, 1}, {1, 2}), {2, 2, 3}), {2, 2, 3},
      {1, 1, 1, 2, 2, 2, 1, 1, 1, 2, 2, 2});
  ExpectOutput<float>(WithShape("BROADCAST_TO", Floats({}, {5}), {2}), {2},
                      {5, 5});
  ExpectRefused(WithShape("BROADCAST_TO", Floats({3}, Count(3)), {2}),
                Code::kMalformed, "3 does not broadcast to 2");
}

// Sizes are matched from the last one on.
TEST(TileTest, BroadcastTo_AddsDimensions) {
  ExpectOutput<float>(
      WithShape("BROADCAST_TO", Floats({2, 3}, Count(6)), {2, 2, 3}), {2, 2, 3},
      {0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5});
  ExpectOutput<float>(
      WithShape("BROADCAST_TO", Floats({3, 1}, Count(3)), {1, 2, 3, 2}),
      {1, 2, 3, 2}, {0, 0, 1, 1, 2, 2, 0, 0, 1, 1, 2, 2});
}

TEST(TileTest, FillAndZeros_FillTheShape) {
  ExpectOutput<int32_t>(
      {.op = "FILL",
       .inputs = {Ints({2}, {2, 2}).Constant(), Ints({}, {7})},
       .outputs = {{ElementType::kInt32}}},
      {2, 2}, {7, 7, 7, 7});
  ExpectOutput<float>({.op = "ZEROS_LIKE", .inputs = {Floats({3}, Count(3))}},
                      {3}, {0, 0, 0});
  ExpectRefused({.op = "FILL", .inputs = {Ints({1}, {2}), Floats({}, {7})}},
                Code::kNeedsValues, "output shape is not known before the run");
}

}  // namespace
}  // namespace munja::ops
