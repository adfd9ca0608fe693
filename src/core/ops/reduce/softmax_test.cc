#include <gtest/gtest.h>

#include "ops/expect.h"

namespace munja::ops {
namespace {

TEST(SoftmaxTest, KnownInputs_GiveKnownValues) {
  const TestTensor x = Floats({2, 3}, {0, 1, 2, 1000, 1000, 1000});
  const float third = 1.0f / 3;
  ExpectOutput<float>(
      {.op = "SOFTMAX", .attributes = Options({{"beta", 1.0}}), .inputs = {x}},
      {2, 3}, {0.09003057f, 0.24472847f, 0.66524096f, third, third, third},
      1e-7);
  ExpectOutput<float>(
      {.op = "SOFTMAX", .attributes = Options({{"beta", 0.0}}), .inputs = {x}},
      {2, 3}, {third, third, third, third, third, third}, 1e-7);
  ExpectOutput<float>({.op = "LOG_SOFTMAX", .inputs = {x}}, {2, 3},
                      {-2.40760596f, -1.40760596f, -0.40760596f, -1.09861229f,
                       -1.09861229f, -1.09861229f},
                      1e-7);
  ExpectOutput<float>({.op = "SOFTMAX", .inputs = {Floats({2, 0}, {})}}, {2, 0},
                      {});
}

// The characters of a recognizer: 40 steps of 6,906 classes.
TEST(SoftmaxTest, LongRows_MatchReference) {
  const Shape shape{1, 40, 6906};
  auto x = RandomFloats(static_cast<size_t>(shape.elements()), 5);
  for (float& v : x) v *= 20.0f;
  for (const char* op : {"SOFTMAX", "LOG_SOFTMAX"}) {
    // 1e-6: a sum of 6,906 terms, rounded each.
    ExpectTwinsAgree({.op = op, .inputs = {Floats(shape, x)}}, 1e-6);
  }
}

TEST(SoftmaxTest, InvalidNodes_AreRefused) {
  ExpectRefused({.op = "SOFTMAX", .inputs = {Floats({}, {1})}},
                Code::kMalformed, "scalar");
  ExpectRefused({.op = "SOFTMAX",
                 .attributes = Options({{"beta", -1.0}}),
                 .inputs = {Floats({1}, {1})}},
                Code::kMalformed, "beta");
  ExpectRefused({.op = "SOFTMAX",
                 .inputs = {MakeTensor<int8_t>(ElementType::kInt8, {1}, {1})},
                 .outputs = {{ElementType::kInt8}}},
                Code::kMalformed, "no scale");
}

}  // namespace
}  // namespace munja::ops
