#include <gtest/gtest.h>

#include "ops/expect.h"

namespace munja::ops {
namespace {

TEST(DensifyOpTest, DenseInput_IsCopied) {
  ExpectOutput<float>(
      {.op = "DENSIFY", .inputs = {Floats({1, 3}, {0, 2, 0}).Constant()}},
      {1, 3}, {0, 2, 0});
  ExpectRefused({.op = "DENSIFY", .inputs = {Ints({1}, {1})}}, Code::kMalformed,
                "mixes int32 and float32");
}

}  // namespace
}  // namespace munja::ops
