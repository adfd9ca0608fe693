// Loops over the rows of an image, with or without threads.
#ifndef MUNJA_IMAGE_ROWS_H_
#define MUNJA_IMAGE_ROWS_H_

#include <cstddef>

#include "base/control.h"
#include "base/thread_pool.h"
#include "image/image.h"

namespace munja::image {

// Calls body(first_row, past_last_row, worker) for blocks of rows that cover
// [0, rows); worker is below WorkerCount(pool). Blocks do not depend on the
// pool; without one they run in order on the calling thread.
inline void ForRows(ThreadPool* pool, int rows, int block,
                    FunctionRef<void(int begin, int end, int worker)> body) {
  if (pool != nullptr) {
    pool->ParallelFor(static_cast<size_t>(rows), static_cast<size_t>(block),
                      [&](size_t begin, size_t end, int worker) {
                        body(static_cast<int>(begin), static_cast<int>(end),
                             worker);
                      });
    return;
  }
  for (int y = 0; y < rows && !IsStopped(); y += block)
    body(y, rows - y < block ? rows : y + block, 0);
}

inline size_t WorkerCount(const ThreadPool* pool) {
  return pool == nullptr ? 1 : static_cast<size_t>(pool->threads());
}

// Whether a view has pixels and rows that do not overlap.
inline bool IsUsable(const ImageView& view) {
  return view.data != nullptr && view.width > 0 && view.height > 0 &&
         view.width <= kMaxImageSide && view.height <= kMaxImageSide &&
         view.stride >= static_cast<size_t>(view.width) * 3;
}

}  // namespace munja::image

#endif  // MUNJA_IMAGE_ROWS_H_
