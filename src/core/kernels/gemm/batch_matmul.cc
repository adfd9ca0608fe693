#include "kernels/gemm/batch_matmul.h"

#include <algorithm>

#include "base/buffer.h"
#include "base/control.h"
#include "kernels/gemm/gemm.h"

namespace munja::kernels {
namespace {

constexpr size_t kAlignedFloats = kBufferAlignment / sizeof(float);

size_t YFloats(const BatchMatMulShape& s) {
  return RoundUp(PackedMatrixBytes({nullptr, s.k, s.n}) / sizeof(float),
                 kAlignedFloats);
}
size_t XFloats(const BatchMatMulShape& s) {
  return s.adj_x ? RoundUp(s.m * s.k, kAlignedFloats) : 0;
}

}  // namespace

Result<size_t> BatchMatMulScratchBytes(const BatchMatMulShape& s,
                                       size_t batches, int threads) {
  const size_t workers =
      std::min(std::max<size_t>(batches, 1), static_cast<size_t>(threads));
  size_t x = 0, y = 0, bytes = 0;
  if (!CheckedMultiply(s.m, s.k + kAlignedFloats, &x) ||
      !CheckedMultiply(s.k, s.n + kAlignedFloats, &y) ||
      !CheckedAdd(x, y, &bytes) ||
      !CheckedMultiply(bytes, 4 * sizeof(float), &bytes) ||
      !CheckedMultiply(YFloats(s) + XFloats(s), sizeof(float) * workers,
                       &bytes)) {
    return OutOfMemory("the matrices of a product do not fit memory");
  }
  return bytes;
}

void BatchMatMul(const BatchMatMulShape& s, const float* x, const float* y,
                 std::span<const size_t> x_of, std::span<const size_t> y_of,
                 float* out, void* scratch, ThreadPool& pool) {
  // A loop over one matrix is made by the calling thread; the product inside
  // then shares its rows among all threads.
  pool.ParallelFor(x_of.size(), 1, [&](size_t begin, size_t end, int worker) {
    float* packed = static_cast<float*>(scratch) +
                    (YFloats(s) + XFloats(s)) * static_cast<size_t>(worker);
    float* turned = packed + YFloats(s);
    for (size_t b = begin; b < end; ++b) {
      const MatrixView right{packed, s.k, s.n};
      PackMatrix(y + y_of[b] * s.k * s.n, right, s.adj_y ? 1 : s.n,
                 s.adj_y ? s.k : 1, packed);
      const float* left = x + x_of[b] * s.m * s.k;
      if (s.adj_x) {
        for (size_t row = 0; row < s.m; ++row)
          for (size_t i = 0; i < s.k; ++i)
            turned[row * s.k + i] = left[i * s.m + row];
        left = turned;
      }
      Gemm(left, s.k, s.m, right, {}, out + b * s.m * s.n, s.n, pool);
    }
  });
}

namespace reference {

void BatchMatMul(const BatchMatMulShape& s, const float* x, const float* y,
                 std::span<const size_t> x_of, std::span<const size_t> y_of,
                 float* out) {
  for (size_t b = 0; b < x_of.size(); ++b) {
    const float* left = x + x_of[b] * s.m * s.k;
    const float* right = y + y_of[b] * s.k * s.n;
    for (size_t row = 0; row < s.m && !IsStopped(); ++row) {
      for (size_t column = 0; column < s.n; ++column) {
        double sum = 0.0;
        for (size_t i = 0; i < s.k; ++i) {
          sum += static_cast<double>(
                     left[s.adj_x ? i * s.m + row : row * s.k + i]) *
                 right[s.adj_y ? column * s.k + i : i * s.n + column];
        }
        out[(b * s.m + row) * s.n + column] = static_cast<float>(sum);
      }
    }
  }
}

}  // namespace reference
}  // namespace munja::kernels
