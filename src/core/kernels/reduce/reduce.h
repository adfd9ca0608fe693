// Sums, products and extremes of float arrays along one dimension.
#ifndef MUNJA_KERNELS_REDUCE_REDUCE_H_
#define MUNJA_KERNELS_REDUCE_REDUCE_H_

#include <cstddef>

namespace munja::kernels {

enum class ReduceKind { kSum, kProduct, kMaximum, kMinimum };

// The result of an empty reduction: 0, 1, -inf, +inf.
float ReduceIdentity(ReduceKind kind);

// The reduction of a dense row. Sums are kept in as many partial sums as the
// vector has lanes, so their rounding differs between SIMD targets; it never
// depends on anything else.
float ReduceRow(ReduceKind kind, const float* in, size_t count);

// out[c] = out[c] kind in[0][c] kind in[1][c] ..., for rows of `cols` floats
// that are `stride` apart, in this order.
void ReduceRows(ReduceKind kind, const float* in, size_t rows, size_t stride,
                size_t cols, float* out);

namespace reference {
float ReduceRow(ReduceKind kind, const float* in, size_t count);
void ReduceRows(ReduceKind kind, const float* in, size_t rows, size_t stride,
                size_t cols, float* out);
}  // namespace reference

}  // namespace munja::kernels

#endif  // MUNJA_KERNELS_REDUCE_REDUCE_H_
