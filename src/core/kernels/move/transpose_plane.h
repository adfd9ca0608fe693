// Planes whose rows become columns.
#ifndef MUNJA_KERNELS_MOVE_TRANSPOSE_PLANE_H_
#define MUNJA_KERNELS_MOVE_TRANSPOSE_PLANE_H_

#include <cstddef>
#include <cstdint>

namespace munja::kernels {

// Element (i, j) of n x m lies at in + i * size + j * in_stride and goes to out
// + i * out_stride + j * size; strides in bytes, of any alignment.
struct PlaneTranspose {
  const char* in;
  int64_t in_stride;
  char* out;
  int64_t out_stride;
  int64_t n, m;
};

// Elements of 1, 2 or 4 bytes: false for others, and where n or m has less than
// 16 bytes of them; then nothing is done.
bool TransposePlane(size_t size, const PlaneTranspose& plane);

}  // namespace munja::kernels

#endif  // MUNJA_KERNELS_MOVE_TRANSPOSE_PLANE_H_
