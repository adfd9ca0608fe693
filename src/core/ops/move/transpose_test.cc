#include <gtest/gtest.h>

#include "ops/expect.h"

namespace munja::ops {
namespace {

TestNode Transpose(TestTensor x, std::vector<int32_t> order) {
  const ElementType type = x.type;
  return {
      .op = "TRANSPOSE",
      .inputs = {std::move(x),
                 Ints({static_cast<int32_t>(order.size())}, order).Constant()},
      .outputs = {{type}}};
}

TEST(TransposeTest, SmallTensors_MatchHandComputation) {
  ExpectOutput<float>(Transpose(Floats({2, 3}, Count(6)), {1, 0}), {3, 2},
                      {0, 3, 1, 4, 2, 5});
  ExpectOutput<float>(Transpose(Floats({1, 2, 2, 2}, Count(8)), {0, 3, 1, 2}),
                      {1, 2, 2, 2}, {0, 2, 4, 6, 1, 3, 5, 7});
  ExpectOutput<float>(Transpose(Floats({2, 2, 2}, Count(8)), {-2, 0, 2}),
                      {2, 2, 2}, {0, 1, 4, 5, 2, 3, 6, 7});
  ExpectOutput<float>(Transpose(Floats({}, {3}), {}), {}, {3});
  ExpectOutput<uint8_t>(
      Transpose(MakeTensor<uint8_t>(ElementType::kBool, {1, 2}, {0, 1}),
                {1, 0}),
      {2, 1}, {0, 1});
}

// Between channels last and channels first, and inside attention.
TEST(TransposeTest, LargeTensors_MatchReference) {
  const auto x = RandomFloats(2 * 37 * 41 * 24, 1);
  for (const auto& order : {std::vector<int32_t>{0, 3, 1, 2},
                            {0, 2, 3, 1},
                            {0, 2, 1, 3},
                            {3, 2, 1, 0},
                            {1, 0, 3, 2}}) {
    ExpectTwinsAgree(Transpose(Floats({2, 37, 41, 24}, x), order), 0);
  }
}

TEST(TransposeTest, InvalidNodes_AreRefused) {
  const TestTensor x = Floats({2, 3}, Count(6));
  ExpectRefused(Transpose(x, {0, 0}), Code::kMalformed, "twice");
  ExpectRefused(Transpose(x, {0, 2}), Code::kMalformed, "axis 2");
  ExpectRefused(Transpose(x, {0}), Code::kMalformed, "permutation");
  ExpectRefused({.op = "TRANSPOSE", .inputs = {x, Ints({2}, {1, 0})}},
                Code::kNeedsValues, "permutation is not known before the run");
}

}  // namespace
}  // namespace munja::ops
