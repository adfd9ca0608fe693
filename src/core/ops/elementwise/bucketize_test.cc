#include <limits>

#include <gtest/gtest.h>

#include "ops/expect.h"
#include "ops/testing.h"

namespace munja::ops {
namespace {

TestNode Bucketize(TestTensor in, std::vector<double> boundaries) {
  return {.op = "BUCKETIZE",
          .attributes = Options({{"boundaries", std::move(boundaries)}}),
          .inputs = {std::move(in)},
          .outputs = {{ElementType::kInt32}}};
}

TEST(BucketizeTest, Values_CountBoundariesThatAreNotAbove) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  ExpectOutput<int32_t>(
      Bucketize(Floats({2, 3}, {-5, 0, 9.9f, 10, 100, nan}), {0, 10, 100}),
      {2, 3}, {0, 1, 1, 2, 3, 3});
  ExpectOutput<int32_t>(Bucketize(Ints({2}, {16777217, 16777215}), {16777216}),
                        {2}, {1, 0});
  ExpectOutput<int32_t>(Bucketize(Ints({1}, {4}), {}), {1}, {0});
}

TEST(BucketizeTest, InvalidNodes_AreRefused) {
  ExpectRefused(Bucketize(Ints({1}, {1}), {2, 1}), Code::kMalformed,
                "not in order");
  ExpectRefused(
      Bucketize(Ints({1}, {1}), {std::numeric_limits<double>::quiet_NaN()}),
      Code::kMalformed, "not in order");
  ExpectRefused(Bucketize(Halves({1}, {1}), {1}), Code::kUnsupported,
                "is float16");
}

}  // namespace
}  // namespace munja::ops
