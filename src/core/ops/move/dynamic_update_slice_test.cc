#include <gtest/gtest.h>

#include "ops/expect.h"
#include "ops/testing.h"

namespace munja::ops {
namespace {

TestNode Update(TestTensor operand, TestTensor update, TestTensor start) {
  const ElementType type = operand.type;
  return {.op = "DYNAMIC_UPDATE_SLICE",
          .inputs = {std::move(operand), std::move(update), std::move(start)},
          .outputs = {{type}}};
}

TEST(DynamicUpdateSliceTest, Slice_IsReplaced) {
  ExpectOutput<float>(Update(Floats({3, 3}, Count(9)), Floats({2, 1}, {-1, -2}),
                             Ints({2}, {1, 1})),
                      {3, 3}, {0, 1, 2, 3, -1, 5, 6, -2, 8});
  // The start moves so that the update fits.
  ExpectOutput<float>(Update(Floats({3, 3}, Count(9)), Floats({2, 1}, {-1, -2}),
                             Ints({2}, {9, -9})),
                      {3, 3}, {0, 1, 2, -1, 4, 5, -2, 7, 8});
  ExpectOutput<float>(
      Update(Floats({2, 2, 2}, Count(8)), Floats({1, 2, 1}, {-1, -2}),
             MakeTensor<int64_t>(ElementType::kInt64, {3},
                                 {INT64_MAX, INT64_MIN, 1})),
      {2, 2, 2}, {0, 1, 2, 3, 4, -1, 6, -2});
  ExpectOutput<float>(Update(Floats({}, {3}), Floats({}, {4}), Ints({0}, {})),
                      {}, {4});
  ExpectOutput<float>(
      Update(Floats({2}, {1, 2}), Floats({0}, {}), Ints({1}, {0})), {2},
      {1, 2});
}

TEST(DynamicUpdateSliceTest, InvalidNodes_AreRefused) {
  ExpectRefused(
      Update(Floats({2}, {1, 2}), Floats({3}, {1, 2, 3}), Ints({1}, {0})),
      Code::kMalformed, "an update of shape 3");
  ExpectRefused(
      Update(Floats({2}, {1, 2}), Floats({1, 1}, {1}), Ints({1}, {0})),
      Code::kMalformed, "an update of shape 1x1");
  ExpectRefused(
      Update(Floats({2}, {1, 2}), Floats({1}, {1}), Ints({2}, {0, 0})),
      Code::kMalformed, "start of shape 2");
  ExpectRefused(Update(Floats({2}, {1, 2}), Ints({1}, {1}), Ints({1}, {0})),
                Code::kMalformed, "mixes");
}

}  // namespace
}  // namespace munja::ops
