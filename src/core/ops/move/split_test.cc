#include <gtest/gtest.h>

#include "ops/expect.h"

namespace munja::ops {
namespace {

TestNode Split(int32_t axis, TestTensor x, size_t parts) {
  const ElementType type = x.type;
  return {.op = "SPLIT",
          .attributes = Options({{"num_splits", static_cast<int64_t>(parts)}}),
          .inputs = {Ints({}, {axis}).Constant(), std::move(x)},
          .outputs = std::vector<TestOutput>(parts, {type})};
}

TestNode SplitV(TestTensor x, std::vector<int32_t> sizes, int32_t axis) {
  const auto parts = static_cast<int32_t>(sizes.size());
  return {.op = "SPLIT_V",
          .inputs = {std::move(x), Ints({parts}, sizes).Constant(),
                     Ints({}, {axis}).Constant()},
          .outputs = std::vector<TestOutput>(sizes.size())};
}

TEST(SplitTest, EqualParts_AreCopied) {
  const TestTensor x = Floats({2, 4}, Count(8));
  ExpectOutputs<float>(Split(1, x, 2), {{2, 2}, {2, 2}},
                       {{0, 1, 4, 5}, {2, 3, 6, 7}});
  ExpectOutputs<float>(Split(-2, x, 2), {{1, 4}, {1, 4}},
                       {{0, 1, 2, 3}, {4, 5, 6, 7}});
}

TEST(SplitTest, GivenParts_AreCopied) {
  const TestTensor x = Floats({2, 4}, Count(8));
  ExpectOutputs<float>(SplitV(x, {1, -1, 1}, 1), {{2, 1}, {2, 2}, {2, 1}},
                       {{0, 4}, {1, 2, 5, 6}, {3, 7}});
}

TEST(SplitTest, InvalidNodes_AreRefused) {
  const TestTensor x = Floats({2, 4}, Count(8));
  ExpectRefused(Split(1, x, 3), Code::kMalformed, "3 equal parts");
  ExpectRefused(Split(2, x, 2), Code::kMalformed, "axis 2");
  ExpectRefused(SplitV(x, {1, 2}, 1), Code::kMalformed, "add up to 4");
  ExpectRefused(SplitV(x, {3, 3, -1}, 1), Code::kMalformed, "add up to 4");
  ExpectRefused(SplitV(x, {-1, -1}, 1), Code::kMalformed, "size -1");
}

}  // namespace
}  // namespace munja::ops
