#include <gtest/gtest.h>

#include "ops/expect.h"

namespace munja::ops {
namespace {

TEST(ShapeOpTest, ShapeAndRank_AreReturned) {
  const TestTensor x = Floats({2, 3, 1}, Count(6));
  ExpectOutput<int32_t>(
      {.op = "SHAPE", .inputs = {x}, .outputs = {{ElementType::kInt32}}}, {3},
      {2, 3, 1});
  ExpectOutput<int64_t>(
      {.op = "SHAPE", .inputs = {x}, .outputs = {{ElementType::kInt64}}}, {3},
      {2, 3, 1});
  ExpectOutput<int32_t>(
      {.op = "RANK", .inputs = {x}, .outputs = {{ElementType::kInt32}}}, {},
      {3});
  ExpectOutput<int32_t>({.op = "SHAPE",
                         .inputs = {Floats({}, {1})},
                         .outputs = {{ElementType::kInt32}}},
                        {0}, {});
  ExpectRefused({.op = "SHAPE", .inputs = {x}}, Code::kUnsupported, "float32");
}

}  // namespace
}  // namespace munja::ops
