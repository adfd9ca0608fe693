// How products of all number formats are split among threads.
#ifndef MUNJA_KERNELS_GEMM_PARTITION_H_
#define MUNJA_KERNELS_GEMM_PARTITION_H_

#include <algorithm>
#include <cstddef>

#include "base/thread_pool.h"
#include "kernels/cpu/cache.h"

namespace munja::kernels {

// A product in tasks of some rows of one image (or of all there is) and some
// panels.
struct Partition {
  size_t images = 1;
  size_t rows = 0, rows_per_task = 1;  // Rows of one image.
  size_t panels = 0, panels_per_task = 1;
};
struct PartitionTask {
  size_t image, row, end_row, panel, end_panel;
};

// Runs body(task, worker) for all of them. Panels change last: those of a task
// stay in the cache while the rows pass by.
template <class Body>
void ForEachTask(const Partition& p, ThreadPool& pool, Body&& body) {
  const size_t of_image = (p.rows + p.rows_per_task - 1) / p.rows_per_task;
  const size_t of_panels = p.images * of_image;
  const size_t groups = (p.panels + p.panels_per_task - 1) / p.panels_per_task;
  pool.ParallelFor(
      groups * of_panels, 1, [&](size_t begin, size_t end, int worker) {
        for (size_t i = begin; i < end; ++i) {
          const size_t row = i % of_image * p.rows_per_task;
          const size_t panel = i / of_panels * p.panels_per_task;
          body(PartitionTask{i % of_panels / of_image, row,
                             std::min(p.rows, row + p.rows_per_task), panel,
                             std::min(p.panels, panel + p.panels_per_task)},
               worker);
        }
      });
}

// Panels that together stay in half of the second-level cache.
inline size_t PanelsInCache(size_t panels, size_t matrix_bytes) {
  if (panels == 0) return 1;
  const size_t panel_bytes = std::max<size_t>(1, matrix_bytes / panels);
  return std::clamp<size_t>(kSecondLevelCache / 2 / panel_bytes, 1, panels);
}

}  // namespace munja::kernels

#endif  // MUNJA_KERNELS_GEMM_PARTITION_H_
