#include <gtest/gtest.h>

#include "ops/expect.h"

namespace munja::ops {
namespace {

TestNode Blocks(const char* op, TestTensor x, int64_t block) {
  return {.op = op,
          .attributes = Options({{"block_size", block}}),
          .inputs = {std::move(x)}};
}

TEST(SpaceToDepthTest, BothWays_AreInverse) {
  // Two pixels of two channels by two: each block of 2 x 2 becomes a pixel.
  const std::vector<float> pixels{0, 1, 2,  3,  4,  5,  6,  7,
                                  8, 9, 10, 11, 12, 13, 14, 15};
  const std::vector<float> blocks{0, 1, 2, 3, 8,  9,  10, 11,
                                  4, 5, 6, 7, 12, 13, 14, 15};
  ExpectOutput<float>(Blocks("SPACE_TO_DEPTH", Floats({1, 2, 4, 2}, pixels), 2),
                      {1, 1, 2, 8}, blocks);
  ExpectOutput<float>(Blocks("DEPTH_TO_SPACE", Floats({1, 1, 2, 8}, blocks), 2),
                      {1, 2, 4, 2}, pixels);
}

TEST(SpaceToDepthTest, InvalidNodes_AreRefused) {
  ExpectRefused(Blocks("SPACE_TO_DEPTH", Floats({1, 3, 4, 1}, Count(12)), 2),
                Code::kMalformed, "blocks of 2");
  ExpectRefused(Blocks("DEPTH_TO_SPACE", Floats({1, 1, 1, 6}, Count(6)), 2),
                Code::kMalformed, "blocks of 2");
  ExpectRefused(Blocks("DEPTH_TO_SPACE", Floats({1, 1, 1, 4}, Count(4)), 0),
                Code::kMalformed, "block size");
}

}  // namespace
}  // namespace munja::ops
