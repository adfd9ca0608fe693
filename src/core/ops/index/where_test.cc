#include <limits>

#include <gtest/gtest.h>

#include "ops/expect.h"
#include "ops/testing.h"

namespace munja::ops {
namespace {

TestNode Where(TestTensor condition) {
  return {.op = "WHERE",
          .inputs = {std::move(condition)},
          .outputs = {{ElementType::kInt64}}};
}

TEST(WhereTest, NonzeroElements_GiveTheirIndices) {
  ExpectOutput<int64_t>(Where(MakeTensor<uint8_t>(ElementType::kBool, {2, 3},
                                                  {0, 1, 1, 0, 0, 255})),
                        {3, 2}, {0, 1, 0, 2, 1, 2});
  const float nan = std::numeric_limits<float>::quiet_NaN();
  ExpectOutput<int64_t>(Where(Floats({4}, {0.5f, -0.0f, nan, 0})), {2, 1},
                        {0, 2});
  ExpectOutput<int64_t>(Where(Ints({1, 2, 2}, {0, 0, -1, 3})), {2, 3},
                        {0, 1, 0, 0, 1, 1});
  ExpectOutput<int64_t>(Where(MakeTensor<int64_t>(ElementType::kInt64, {2},
                                                  {int64_t{1} << 40, 0})),
                        {1, 1}, {0});
}

TEST(WhereTest, ZerosOrNoElements_GiveAnEmptyTensor) {
  ExpectOutput<int64_t>(Where(Ints({2, 2}, {0, 0, 0, 0})), {0, 2}, {});
  ExpectOutput<int64_t>(Where(Ints({2, 0}, {})), {0, 2}, {});
}

TEST(WhereTest, InvalidNodes_AreRefused) {
  ExpectRefused(Where(Ints({}, {1})), Code::kMalformed, "is a scalar");
  ExpectRefused(Where(Halves({1}, {1})), Code::kUnsupported,
                "the condition is float16");
  ExpectRefused(Where(Absent()), Code::kMalformed, "absent");
}

}  // namespace
}  // namespace munja::ops
