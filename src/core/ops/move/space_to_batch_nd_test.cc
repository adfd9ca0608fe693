#include <gtest/gtest.h>

#include <array>
#include <vector>

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

TEST(SpaceToBatchNdTest, BothWays_AreInverse) {
  const TestTensor space = Floats({1, 2, 4, 1}, Count(8));
  const std::vector<float> images{0, 2, 1, 3, 4, 6, 5, 7};
  ExpectOutput<float>(Blocks("SPACE_TO_BATCH_ND", space, {2, 2}, {0, 0, 0, 0}),
                      {4, 1, 2, 1}, images);
  ExpectOutput<float>(Blocks("BATCH_TO_SPACE_ND", Floats({4, 1, 2, 1}, images),
                             {2, 2}, {0, 0, 0, 0}),
                      {1, 2, 4, 1}, Count(8));
}

TEST(SpaceToBatchNdTest, Borders_AreZeroAndCropped) {
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

// Pixel by pixel as the definition says, with blocks larger than the image and
// borders that are no multiple of a block, there and back.
TEST(SpaceToBatchNdTest, EveryPixel_LiesWhereTheDefinitionPutsIt) {
  for (const auto& [h, w, bh, bw, top, bottom, left, right] :
       std::vector<std::array<int32_t, 8>>{{3, 4, 2, 3, 1, 0, 2, 3},
                                           {5, 2, 4, 5, 2, 1, 7, 1},
                                           {1, 1, 7, 6, 4, 2, 0, 5},
                                           {2, 3, 3, 2, 0, 4, 1, 2},
                                           {4, 6, 4, 3, 0, 0, 0, 0},
                                           {2, 9, 1, 8, 3, 0, 11, 4}}) {
    constexpr int32_t kImages = 2, kChannels = 3;
    const int32_t rows = (h + top + bottom) / bh,
                  cols = (w + left + right) / bw;
    const std::vector<float> pixels = Count(kImages * h * w * kChannels);
    std::vector<float> blocks;
    for (int32_t i = 0; i < bh * bw * kImages; ++i) {
      for (int32_t k = 0; k < rows * cols * kChannels; ++k) {
        const int32_t n = i % kImages, cell = i / kImages, c = k % kChannels;
        const int32_t y = k / kChannels / cols * bh + cell / bw - top;
        const int32_t x = k / kChannels % cols * bw + cell % bw - left;
        blocks.push_back(y < 0 || y >= h || x < 0 || x >= w
                             ? 0.0f
                             : pixels[((n * h + y) * w + x) * kChannels + c]);
      }
    }
    const Shape space{kImages, h, w, kChannels};
    const Shape batch{bh * bw * kImages, rows, cols, kChannels};
    const std::vector<int32_t> edges{top, bottom, left, right};
    ExpectOutput<float>(
        Blocks("SPACE_TO_BATCH_ND", Floats(space, pixels), {bh, bw}, edges),
        batch, blocks);
    ExpectOutput<float>(
        Blocks("BATCH_TO_SPACE_ND", Floats(batch, blocks), {bh, bw}, edges),
        space, pixels);
  }
}

// The plan of a copy is no larger than what it copies: not one step for each
// of 2^30 pixels of a block.
TEST(SpaceToBatchNdTest, LargestBlocksOfEmptyTensors_CopyNothing) {
  constexpr int32_t kBlock = 1 << 15;
  ExpectOutput<float>(Blocks("SPACE_TO_BATCH_ND", Floats({1, 0, 0, 1}, {}),
                             {kBlock, kBlock}, {0, 0, 0, 0}),
                      {1 << 30, 0, 0, 1}, {});
  ExpectOutput<float>(
      Blocks("BATCH_TO_SPACE_ND", Floats({1 << 30, 0, 0, 1}, {}),
             {kBlock, kBlock}, {0, 0, 0, 0}),
      {1, 0, 0, 1}, {});
}

TEST(SpaceToBatchNdTest, InvalidNodes_AreRefused) {
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
