#include <gtest/gtest.h>

#include "ops/expect.h"
#include "ops/testing.h"

namespace munja::ops {
namespace {

TEST(MatrixDiagTest, Diagonals_BecomeMatrices) {
  TestNode node{.op = "MATRIX_DIAG", .inputs = {Floats({2, 2}, {1, 2, 3, 4})}};
  ExpectOutput<float>(node, {2, 2, 2}, {1, 0, 0, 2, 3, 0, 0, 4});
  node.inputs = {Floats({0}, {})};
  ExpectOutput<float>(node, {0, 0}, {});
  node.inputs = {Floats({}, {1})};
  ExpectRefused(node, Code::kMalformed, "is a scalar");
  node.inputs = {Floats({1, 1, 1, 1, 1, 1, 1, 1}, {1})};
  ExpectRefused(node, Code::kUnsupported, "too many dimensions");
}

TEST(MatrixDiagTest, Diagonals_AreSet) {
  TestNode node{.op = "MATRIX_SET_DIAG",
                .inputs = {Floats({2, 2, 3}, Count(12)),
                           Floats({2, 2}, {20, 21, 22, 23})}};
  ExpectOutput<float>(node, {2, 2, 3},
                      {20, 1, 2, 3, 21, 5, 22, 7, 8, 9, 23, 11});
  node.inputs = {Floats({3, 2}, Count(6)), Floats({2}, {20, 21})};
  ExpectOutput<float>(node, {3, 2}, {20, 1, 2, 21, 4, 5});
  node.inputs[1] = Floats({3}, {1, 2, 3});
  ExpectRefused(node, Code::kMalformed, "diagonals of shape 3");
  node.inputs = {Floats({3}, {1, 2, 3}), Floats({}, {1})};
  ExpectRefused(node, Code::kMalformed, "no matrix");
}

}  // namespace
}  // namespace munja::ops
