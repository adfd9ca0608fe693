#include <gtest/gtest.h>

#include "ops/expect.h"

namespace munja::ops {
namespace {

TestNode Slice(TestTensor x, std::vector<int32_t> begin,
               std::vector<int32_t> size) {
  const auto rank = static_cast<int32_t>(begin.size());
  return {.op = "SLICE",
          .inputs = {std::move(x), Ints({rank}, begin).Constant(),
                     Ints({rank}, size).Constant()}};
}

TEST(SliceTest, Boxes_AreCopied) {
  const TestTensor x = Floats({3, 4}, Count(12));
  ExpectOutput<float>(Slice(x, {1, 1}, {2, 2}), {2, 2}, {5, 6, 9, 10});
  ExpectOutput<float>(Slice(x, {2, 0}, {-1, -1}), {1, 4}, {8, 9, 10, 11});
  ExpectOutput<float>(Slice(x, {3, 0}, {0, 4}), {0, 4}, {});
  ExpectTwinsAgree(Slice(Floats({1, 37, 41, 24}, RandomFloats(37 * 41 * 24, 1)),
                         {0, 1, 2, 3}, {1, 30, -1, 16}),
                   0);
}

TEST(SliceTest, InvalidNodes_AreRefused) {
  const TestTensor x = Floats({3, 4}, Count(12));
  ExpectRefused(Slice(x, {2, 0}, {2, 4}), Code::kMalformed,
                "takes 2 from 2 of a dimension of 3");
  ExpectRefused(Slice(x, {-1, 0}, {1, 4}), Code::kMalformed, "from -1");
  ExpectRefused(Slice(x, {0, 0}, {-2, 4}), Code::kMalformed, "takes -2");
  ExpectRefused(Slice(x, {4, 0}, {-1, 4}), Code::kMalformed, "from 4");
  ExpectRefused(Slice(x, {0}, {1}), Code::kMalformed, "begin has 1 numbers");
}

}  // namespace
}  // namespace munja::ops
