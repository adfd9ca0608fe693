#include <gtest/gtest.h>

#include "ops/expect.h"
#include "ops/testing.h"

namespace munja::ops {
namespace {

TestNode Reverse(TestTensor in, TestTensor lengths, int64_t axis,
                 int64_t batch) {
  const ElementType type = in.type;
  return {.op = "REVERSE_SEQUENCE",
          .attributes = Options({{"seq_dim", axis}, {"batch_dim", batch}}),
          .inputs = {std::move(in), std::move(lengths)},
          .outputs = {{type}}};
}

TEST(ReverseSequenceTest, FirstElementsOfEach_AreReversed) {
  ExpectOutput<float>(
      Reverse(Floats({2, 4}, Count(8)), Ints({2}, {3, 0}), 1, 0), {2, 4},
      {2, 1, 0, 3, 4, 5, 6, 7});
  ExpectOutput<float>(
      Reverse(Floats({4, 2}, Count(8)), Ints({2}, {4, 2}), 0, 1), {4, 2},
      {6, 3, 4, 1, 2, 5, 0, 7});
  // An axis between the two, and one after them.
  ExpectOutput<float>(
      Reverse(Floats({2, 2, 2, 2}, Count(16)),
              MakeTensor<int64_t>(ElementType::kInt64, {2}, {1, 2}), 2, 0),
      {2, 2, 2, 2}, {0, 1, 2, 3, 4, 5, 6, 7, 10, 11, 8, 9, 14, 15, 12, 13});
  ExpectOutput<float>(Reverse(Floats({0, 4}, {}), Ints({0}, {}), 1, 0), {0, 4},
                      {});
}

TEST(ReverseSequenceTest, InvalidNodes_AreRefused) {
  const auto in = [] { return Floats({2, 4}, Count(8)); };
  ExpectRefused(Reverse(in(), Ints({2}, {5, 0}), 1, 0), Code::kInvalidArgument,
                "length 5");
  ExpectRefused(Reverse(in(), Ints({2}, {-1, 0}), 1, 0), Code::kInvalidArgument,
                "length -1");
  ExpectRefused(Reverse(in(), Ints({3}, {1, 1, 1}), 1, 0), Code::kMalformed,
                "for a batch of 2");
  ExpectRefused(Reverse(in(), Ints({2}, {1, 1}), 1, 1), Code::kMalformed,
                "along the batch");
  ExpectRefused(Reverse(in(), Ints({2}, {1, 1}), 2, 0), Code::kMalformed,
                "axis 2");
}

}  // namespace
}  // namespace munja::ops
