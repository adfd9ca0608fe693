#include <gtest/gtest.h>

#include "ops/expect.h"

namespace munja::ops {
namespace {

TestNode GatherNd(TestTensor x, TestTensor indices) {
  return {.op = "GATHER_ND", .inputs = {std::move(x), std::move(indices)}};
}

TEST(GatherNdTest, ElementsAndSlices_AreGathered) {
  const TestTensor x = Floats({2, 3}, Count(6));
  ExpectOutput<float>(GatherNd(x, Ints({2, 2}, {1, 2, 0, 1})), {2}, {5, 1});
  ExpectOutput<float>(GatherNd(x, Ints({2, 1}, {1, 1})), {2, 3},
                      {3, 4, 5, 3, 4, 5});
  ExpectOutput<float>(GatherNd(x, Ints({2}, {1, 0})), {}, {3});
}

TEST(GatherNdTest, InvalidNodes_AreRefused) {
  const TestTensor x = Floats({2, 3}, Count(6));
  ExpectRefused(GatherNd(x, Ints({1, 2}, {0, 3})), Code::kInvalidArgument,
                "index 3");
  ExpectRefused(GatherNd(x, Ints({1, 1}, {-1})), Code::kInvalidArgument,
                "index -1");
  ExpectRefused(GatherNd(x, Ints({1, 3}, {0, 0, 0})), Code::kMalformed,
                "1x3 do not fit");
}

}  // namespace
}  // namespace munja::ops
