#include <gtest/gtest.h>

#include "ops/expect.h"

namespace munja::ops {
namespace {

TestNode Gather(TestTensor x, TestTensor indices, int64_t axis,
                int64_t batch_dims = 0) {
  const ElementType type = x.type;
  return {.op = "GATHER",
          .attributes = Options({{"axis", axis}, {"batch_dims", batch_dims}}),
          .inputs = {std::move(x), std::move(indices)},
          .outputs = {{type}}};
}

TEST(GatherTest, AxesAndBatches_AreGathered) {
  const TestTensor x = Floats({2, 3}, Count(6));
  ExpectOutput<float>(Gather(x, Ints({2}, {1, 0}), 0), {2, 3},
                      {3, 4, 5, 0, 1, 2});
  ExpectOutput<float>(Gather(x, Ints({2}, {2, 2}), -1), {2, 2}, {2, 2, 5, 5});
  ExpectOutput<float>(Gather(x, Ints({}, {1}), 1), {2}, {1, 4});
  ExpectOutput<float>(Gather(x, Ints({2, 1}, {2, 0}), 1, 1), {2, 1}, {2, 3});
  ExpectOutput<float>(Gather(x, Ints({1, 2}, {1, 1}), 0), {1, 2, 3},
                      {3, 4, 5, 3, 4, 5});
  ExpectOutput<int32_t>(
      Gather(Ints({4}, {1, 48, 320, 3}),
             MakeTensor<int64_t>(ElementType::kInt64, {}, {2}), 0),
      {}, {320});
}

// Counted from the end of the indices.
TEST(GatherTest, NegativeBatches_CountFromTheEnd) {
  const TestTensor x = Floats({2, 3}, Count(6));
  const TestTensor indices = Ints({2, 1}, {2, 0});
  ExpectOutput<float>(Gather(x, indices, 1, -1), {2, 1}, {2, 3});
  ExpectOutput<float>(Gather(x, indices, 1, -2), {2, 2, 1}, {2, 0, 5, 3});
  ExpectRefused(Gather(x, indices, 1, -3), Code::kMalformed, "batch_dims");
}

TEST(GatherTest, InvalidNodes_AreRefused) {
  const TestTensor x = Floats({2, 3}, Count(6));
  ExpectRefused(Gather(x, Ints({1}, {2}), 0), Code::kInvalidArgument,
                "index 2 is outside a dimension of 2");
  ExpectRefused(Gather(x, Ints({1}, {-1}), 0), Code::kInvalidArgument,
                "index -1");
  ExpectRefused(Gather(x, Ints({1}, {0}), 2), Code::kMalformed, "axis 2");
  ExpectRefused(Gather(x, Ints({3, 1}, {0, 0, 0}), 1, 1), Code::kMalformed,
                "batches");
  ExpectRefused(Gather(x, Floats({1}, {0}), 0), Code::kUnsupported, "float32");
}

}  // namespace
}  // namespace munja::ops
