#include "kernels/gemm/block_walk.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <vector>

#include "kernels/gemm/partition.h"

namespace munja::kernels {
namespace {

struct Tiles {
  std::vector<size_t> heights;
  size_t end = 0;
};

// Tiles that follow each other without gaps.
Tiles TilesBetween(size_t first, size_t end, size_t tallest, size_t step) {
  Tiles tiles;
  tiles.end = first;
  ForEachTile(first, end, tallest, step, [&](size_t row, size_t rows) {
    EXPECT_EQ(row, tiles.end);
    tiles.end += rows;
    tiles.heights.push_back(rows);
  });
  return tiles;
}

TEST(BlockWalkTest, Tiles_CoverAllRowsAboutEqually) {
  for (const size_t tallest : {1u, 4u, 6u, 8u, 12u}) {
    for (size_t rows = 1; rows < 100; ++rows) {
      const Tiles tiles = TilesBetween(7, 7 + rows, tallest, 1);
      EXPECT_EQ(tiles.end, 7 + rows);
      const auto [low, high] =
          std::minmax_element(tiles.heights.begin(), tiles.heights.end());
      EXPECT_LE(*high, tallest);
      EXPECT_LE(*high - *low, 1u);
      EXPECT_EQ(tiles.heights.size(), (rows + tallest - 1) / tallest);
    }
  }
  EXPECT_TRUE(TilesBetween(3, 3, 12, 1).heights.empty());
}

TEST(BlockWalkTest, TileHeights_AreMultiplesOfTheStepExceptTheLast) {
  for (const size_t step : {2u, 4u}) {
    for (size_t rows = 1; rows < 100; ++rows) {
      const Tiles tiles = TilesBetween(0, rows, 12, step);
      EXPECT_EQ(tiles.end, rows);
      for (size_t i = 0; i < tiles.heights.size(); ++i) {
        EXPECT_GE(tiles.heights[i], 1u);
        EXPECT_LE(tiles.heights[i], 12u);
        if (i + 1 < tiles.heights.size()) {
          EXPECT_EQ(tiles.heights[i] % step, 0u);
        }
      }
    }
  }
}

TEST(BlockWalkTest, Tasks_CoverTheProductOnce) {
  for (const int threads : {1, 3}) {
    ThreadPool pool(threads);
    for (const size_t rows_per_task : {1u, 5u, 40u}) {
      for (const size_t panels_per_task : {1u, 2u, 9u}) {
        const Partition p{3, 17, rows_per_task, 5, panels_per_task};
        std::vector<std::atomic<int>> visits(p.images * p.rows * p.panels);
        ForEachTask(p, pool, [&](const PartitionTask& task, int worker) {
          EXPECT_GE(worker, 0);
          EXPECT_LT(worker, threads);
          EXPECT_LE(task.end_row - task.row, rows_per_task);
          EXPECT_LE(task.end_panel - task.panel, panels_per_task);
          for (size_t row = task.row; row < task.end_row; ++row)
            for (size_t i = task.panel; i < task.end_panel; ++i)
              ++visits[(task.image * p.rows + row) * p.panels + i];
        });
        for (const std::atomic<int>& n : visits) EXPECT_EQ(n, 1);
      }
    }
  }
}

TEST(BlockWalkTest, PanelsOfATask_FitHalfOfTheCache) {
  EXPECT_EQ(PanelsInCache(10, 1000), 10u);
  EXPECT_EQ(PanelsInCache(10, 10 * kSecondLevelCache / 4), 2u);
  EXPECT_EQ(PanelsInCache(10, 10 * kSecondLevelCache), 1u);
  EXPECT_EQ(PanelsInCache(0, 0), 1u);
}

}  // namespace
}  // namespace munja::kernels
