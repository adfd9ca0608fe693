// Copies between two strided layouts: transposes, slices, tiles, pads,
// broadcasts and block rearrangements are all one of these.
#ifndef MUNJA_KERNELS_MOVE_STRIDED_COPY_H_
#define MUNJA_KERNELS_MOVE_STRIDED_COPY_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/thread_pool.h"

namespace munja::kernels {

// For every index (i0, ..., in): out[out_offset + sum of ik * out_stride[k]] =
// in[in_offset + sum of ik * in_stride[k]]. Counted in elements. A stride of
// the input may be 0 (repeat) or negative (walk back); no two indices may meet
// the same output element. The caller vouches that all indices lie inside.
struct StridedCopy {
  static constexpr int kMaxRank = 16;
  int rank = 0;
  std::array<int64_t, kMaxRank> dims{}, in_strides{}, out_strides{};
  int64_t in_offset = 0, out_offset = 0;

  // Adds a dimension inside those there are.
  void Append(int64_t dim, int64_t in_stride, int64_t out_stride) {
    dims[rank] = dim;
    in_strides[rank] = in_stride;
    out_strides[rank] = out_stride;
    ++rank;
  }
};

// Merges dimensions that lie behind one another in both layouts and drops
// those of length 1, so that the copy runs in longer pieces.
StridedCopy Simplify(const StridedCopy& copy);

// `copy` should have been simplified. element_size: bytes, any. `in` and `out`
// must not overlap.
void CopyStrided(const StridedCopy& copy, size_t element_size, const void* in,
                 void* out, ThreadPool& pool);

namespace reference {
// Index by index.
void CopyStrided(const StridedCopy& copy, size_t element_size, const void* in,
                 void* out);
}  // namespace reference

}  // namespace munja::kernels

#endif  // MUNJA_KERNELS_MOVE_STRIDED_COPY_H_
