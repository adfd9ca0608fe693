#include <gtest/gtest.h>

#include "ops/expect.h"
#include "ops/testing.h"

namespace munja::ops {
namespace {

TestNode Sparse(TestTensor indices, const std::vector<int32_t>& shape,
                TestTensor values, TestTensor otherwise) {
  const ElementType type = values.type;
  return {
      .op = "SPARSE_TO_DENSE",
      .inputs = {std::move(indices),
                 Ints({static_cast<int32_t>(shape.size())}, shape).Constant(),
                 std::move(values), std::move(otherwise)},
      .outputs = {{type}}};
}

TEST(SparseToDenseTest, Values_ArePutAtTheirIndices) {
  ExpectOutput<float>(
      Sparse(Ints({}, {3}), {5}, Floats({}, {7}), Floats({}, {0})), {5},
      {0, 0, 0, 7, 0});
  ExpectOutput<float>(
      Sparse(Ints({3}, {1, 3, 4}), {5}, Floats({}, {7}), Floats({}, {-1})), {5},
      {-1, 7, -1, 7, 7});
  ExpectOutput<int32_t>(
      Sparse(MakeTensor<int64_t>(ElementType::kInt64, {2, 2}, {0, 1, 2, 0}),
             {3, 2}, Ints({2}, {5, 6}), Ints({}, {1})),
      {3, 2}, {1, 5, 1, 1, 6, 1});
  ExpectOutput<int8_t>(Sparse(Ints({0, 1}, {}), {2},
                              MakeTensor<int8_t>(ElementType::kInt8, {0}, {}),
                              MakeTensor<int8_t>(ElementType::kInt8, {1}, {4})),
                       {2}, {4, 4});
}

TEST(SparseToDenseTest, InvalidNodes_AreRefused) {
  const auto one = [] { return Floats({}, {1}); };
  ExpectRefused(Sparse(Ints({}, {5}), {5}, one(), one()),
                Code::kInvalidArgument, "index 5 is outside");
  ExpectRefused(Sparse(Ints({}, {-1}), {5}, one(), one()),
                Code::kInvalidArgument, "index -1 is outside");
  ExpectRefused(Sparse(Ints({}, {0}), {5, 5}, one(), one()), Code::kMalformed,
                "do not fit a tensor of 5x5");
  ExpectRefused(Sparse(Ints({1, 1, 1}, {0}), {5}, one(), one()),
                Code::kMalformed, "do not fit");
  ExpectRefused(Sparse(Ints({2}, {0, 1}), {5}, Floats({3}, {1, 2, 3}), one()),
                Code::kMalformed, "2 indices for values of shape 3");
  ExpectRefused(Sparse(Ints({}, {0}), {5}, one(), Floats({2}, {1, 2})),
                Code::kMalformed, "default is no scalar");
  ExpectRefused(Sparse(Ints({}, {0}), {5}, one(), Ints({}, {1})),
                Code::kMalformed, "mixes");
}

}  // namespace
}  // namespace munja::ops
