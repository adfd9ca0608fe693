#include <gtest/gtest.h>

#include "ops/expect.h"

namespace munja::ops {
namespace {

TestNode Select(const char* op, Shape shape, std::vector<uint8_t> condition,
                TestTensor x, TestTensor y) {
  return {.op = op,
          .inputs = {MakeTensor<uint8_t>(ElementType::kBool, shape, condition),
                     std::move(x), std::move(y)}};
}

TEST(SelectTest, Condition_SelectsRowsOrElements) {
  const TestTensor x = Floats({2, 2}, {1, 2, 3, 4});
  const TestTensor y = Floats({2, 2}, {5, 6, 7, 8});
  ExpectOutput<float>(Select("SELECT", {2, 2}, {1, 0, 0, 1}, x, y), {2, 2},
                      {1, 6, 7, 4});
  ExpectOutput<float>(Select("SELECT", {2}, {1, 0}, x, y), {2, 2},
                      {1, 2, 7, 8});
  ExpectOutput<float>(Select("SELECT", {}, {0}, x, y), {2, 2}, {5, 6, 7, 8});
  ExpectRefused(Select("SELECT", {3}, {1, 0, 0}, x, y), Code::kMalformed,
                "condition 3 does not fit 2x2");
  ExpectRefused(Select("SELECT", {2}, {1, 0}, x, Floats({2}, {1, 2})),
                Code::kMalformed, "different shapes");
}

TEST(SelectTest, SecondVersion_Broadcasts) {
  ExpectOutput<float>(
      Select("SELECT_V2", {2, 1}, {1, 0}, Floats({2}, {1, 2}), Floats({}, {9})),
      {2, 2}, {1, 2, 9, 9});
}

}  // namespace
}  // namespace munja::ops
