#include <gtest/gtest.h>

#include "ops/expect.h"
#include "ops/testing.h"

namespace munja::ops {
namespace {

TestNode Args(TestTensor a, TestTensor b) {
  const ElementType type = a.type;
  return {.op = "BROADCAST_ARGS",
          .inputs = {std::move(a), std::move(b)},
          .outputs = {{type}}};
}

TEST(BroadcastArgsTest, TwoShapes_GiveTheCommonShape) {
  ExpectOutput<int32_t>(Args(Ints({2}, {1, 5}), Ints({3}, {7, 4, 1})), {3},
                        {7, 4, 5});
  ExpectOutput<int32_t>(Args(Ints({0}, {}), Ints({1}, {3})), {1}, {3});
  ExpectOutput<int32_t>(Args(Ints({1}, {0}), Ints({1}, {1})), {1}, {0});
  ExpectOutput<int64_t>(
      Args(MakeTensor<int64_t>(ElementType::kInt64, {1}, {9}),
           MakeTensor<int64_t>(ElementType::kInt64, {2}, {2, 9})),
      {2}, {2, 9});
}

TEST(BroadcastArgsTest, InvalidNodes_AreRefused) {
  ExpectRefused(Args(Ints({1}, {2}), Ints({1}, {3})), Code::kInvalidArgument,
                "2 and 3 do not broadcast");
  ExpectRefused(Args(Ints({}, {2}), Ints({1}, {3})), Code::kMalformed,
                "no vector");
}

}  // namespace
}  // namespace munja::ops
