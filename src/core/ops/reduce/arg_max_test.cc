#include <gtest/gtest.h>

#include <cmath>

#include "ops/expect.h"

namespace munja::ops {
namespace {

TestNode Arg(const char* op, TestTensor x, int32_t axis,
             ElementType type = ElementType::kInt32) {
  return {.op = op,
          .inputs = {std::move(x), Ints({}, {axis}).Constant()},
          .outputs = {{type}}};
}

TEST(ArgMaxOpTest, EqualValues_FirstWins) {
  const TestTensor x = Floats({2, 3}, {1, 5, 5, -1, -2, -2});
  ExpectOutput<int32_t>(Arg("ARG_MAX", x, 1), {2}, {1, 0});
  ExpectOutput<int32_t>(Arg("ARG_MAX", x, -2), {3}, {0, 0, 0});
  ExpectOutput<int64_t>(Arg("ARG_MIN", x, 1, ElementType::kInt64), {2}, {0, 1});
  ExpectOutput<int32_t>(
      Arg("ARG_MAX", MakeTensor<uint8_t>(ElementType::kUInt8, {3}, {1, 200, 3}),
          0),
      {}, {1});
}

// Whatever is a number beats what is none, wherever it stands.
TEST(ArgMaxOpTest, Numbers_BeatNan) {
  const float nan = std::nanf("");
  const TestTensor x = Floats({3, 3}, {nan, 4, 2, 4, nan, 2, 4, 2, nan});
  ExpectOutput<int32_t>(Arg("ARG_MAX", x, 1), {3}, {1, 0, 0});
  ExpectOutput<int32_t>(Arg("ARG_MIN", x, 1), {3}, {2, 2, 1});
  ExpectOutput<int32_t>(Arg("ARG_MAX", x, 0), {3}, {1, 0, 0});
  ExpectOutput<int32_t>(Arg("ARG_MIN", x, 0), {3}, {1, 2, 0});
}

TEST(ArgMaxOpTest, LongRows_AgreeInAllVariants) {
  const TestTensor x = Floats({40, 6906}, RandomFloats(40 * 6906, 1));
  const auto fast = RunNode(Arg("ARG_MAX", x, 1));
  ASSERT_TRUE(fast.ok());
  ExpectOutput<int32_t>(Arg("ARG_MAX", x, 1), {40},
                        (*fast)[0].values<int32_t>());
}

TEST(ArgMaxOpTest, InvalidNodes_AreRefused) {
  ExpectRefused(Arg("ARG_MAX", Floats({2, 0}, {}), 1), Code::kMalformed,
                "nothing");
  ExpectRefused(Arg("ARG_MAX", Floats({2}, {1, 2}), 1), Code::kMalformed,
                "axis 1");
}

}  // namespace
}  // namespace munja::ops
