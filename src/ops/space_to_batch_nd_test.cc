#include <gtest/gtest.h>

#include "ops/expect.h"

namespace munja::ops {
namespace {

TestNode Blocks(const char* op, TestTensor x, std::vector<int32_t> block,
                std::vector<int32_t> edges) {
  const auto n = static_cast<int32_t>(block.size());
  return {.op = op,
          .inputs = {std::move(x), Ints({n}, block).Constant(),
                     Ints({n, 2}, edges).Constant()}};
}

TEST(SpaceToBatchNdTest, BothWays) {
  const TestTensor space = Floats({1, 2, 4, 1}, Count(8));
  const std::vector<float> images{0, 2, 1, 3, 4, 6, 5, 7};
  ExpectOutput<float>(Blocks("SPACE_TO_BATCH_ND", space, {2, 2}, {0, 0, 0, 0}),
                      {4, 1, 2, 1}, images);
  ExpectOutput<float>(Blocks("BATCH_TO_SPACE_ND", Floats({4, 1, 2, 1}, images),
                             {2, 2}, {0, 0, 0, 0}),
                      {1, 2, 4, 1}, Count(8));
}

TEST(SpaceToBatchNdTest, BordersAreZeroAndCropped) {
  // Padded to 1 x 6 with two zeros before: 0 0 5 6 7 8.
  const std::vector<float> images{0, 5, 7, 0, 6, 8};
  ExpectOutput<float>(
      Blocks("SPACE_TO_BATCH_ND", Floats({1, 4, 1}, {5, 6, 7, 8}), {2}, {2, 0}),
      {2, 3, 1}, images);
  ExpectOutput<float>(
      Blocks("BATCH_TO_SPACE_ND", Floats({2, 3, 1}, images), {2}, {2, 1}),
      {1, 3, 1}, {5, 6, 7});
  // Odd borders move the first pixel into another image of the batch.
  ExpectOutput<float>(
      Blocks("SPACE_TO_BATCH_ND", Floats({2, 2, 1}, {1, 2, 3, 4}), {2}, {1, 1}),
      {4, 2, 1}, {0, 2, 0, 4, 1, 0, 3, 0});
}

TEST(SpaceToBatchNdTest, Refuses) {
  const TestTensor x = Floats({1, 3, 1}, Count(3));
  ExpectRefused(Blocks("SPACE_TO_BATCH_ND", x, {2}, {0, 0}), Code::kMalformed,
                "padded dimension of 3");
  ExpectRefused(Blocks("BATCH_TO_SPACE_ND", x, {2}, {0, 0}), Code::kMalformed,
                "batch");
  ExpectRefused(Blocks("SPACE_TO_BATCH_ND", x, {2}, {-1, 0}), Code::kMalformed,
                "border of -1");
}

}  // namespace
}  // namespace munja::ops
