#include "kernels/gemm/gemm_pair.h"

#include <algorithm>
#include <string>
#include <vector>

#include "kernels/gemm/half_gemm.h"

namespace munja::kernels {
namespace {

// Rows whose middle fits half of a first-level cache, in register tiles of 12;
// wide middles spill into the second level rather than cut tiles short.
size_t BlockRows(size_t middle) {
  constexpr size_t kMiddleFloats = size_t{6} << 10;
  const size_t rows = kMiddleFloats / std::max<size_t>(middle, 1) / 12 * 12;
  return std::clamp<size_t>(rows, 24, kGemmBlockRows);
}

// The middle of two matrices of halves is made of halves, too.
void MultiplyHalves(const float* a, size_t lda, size_t rows,
                    const GemmPairShape& pair, const Epilogue& last,
                    uint16_t* between, size_t stride, float* c, size_t ldc) {
  const size_t middle = pair.first.n;
  // The numbers that fill up the last pairs.
  if (middle % 2 != 0)
    for (size_t i = 0; i < rows; ++i) between[i * stride + middle] = 0;
  const Epilogue& first = pair.first_epilogue;
  MultiplyRounded({&a, rows, 1, pair.first.k, true, lda}, pair.first, 0,
                  PanelCount(middle), {first.bias, {}, first.activation},
                  {between, stride, true});
  const uint16_t* const made = between;
  MultiplyHalfBlock({&made, rows, 1, HalfDepth(middle), true, stride},
                    pair.second, 0, PanelCount(pair.second.n),
                    {last.bias, {last.residual, ldc, false}, last.activation},
                    {c, ldc, false});
}

// A row of the middle begins on a cache line.
size_t MiddleStride(size_t middle) { return RoundUp(middle, 16); }

size_t WorkerFloats(size_t middle) {
  return BlockRows(middle) * MiddleStride(middle);
}

}  // namespace

Result<size_t> GemmPairScratchBytes(size_t middle, int threads) {
  size_t bytes = 0;
  if (!CheckedMultiply(middle, kGemmBlockRows * sizeof(float) * 2, &bytes) ||
      !CheckedMultiply(WorkerFloats(middle) * sizeof(float),
                       static_cast<size_t>(threads), &bytes)) {
    return OutOfMemory("a middle of " + std::to_string(middle) +
                       " channels does not fit memory");
  }
  return bytes;
}

void GemmPair(const float* a, size_t lda, size_t m, const GemmPairShape& pair,
              float* c, size_t ldc, void* scratch, ThreadPool& pool) {
  const size_t middle = pair.first.n, stride = MiddleStride(middle);
  const bool is_half =
      pair.first.halves != nullptr && pair.second.halves != nullptr;
  // Halves take half of the memory, whose rows begin on cache lines, too.
  const size_t half_stride = RoundUp(middle, 32);
  const size_t block =
      is_half ? std::max<size_t>(
                    BlockRows(middle) * stride * 2 / half_stride / 12 * 12, 12)
              : BlockRows(middle);
  const size_t rows =
      RoundUp(RowsPerTask(pair.first.k + pair.second.n, middle), block);
  const size_t first_panels = PanelCount(middle);
  const size_t second_panels = PanelCount(pair.second.n);
  pool.ParallelFor(m, rows, [&](size_t begin, size_t end, int worker) {
    float* between = static_cast<float*>(scratch) +
                     WorkerFloats(middle) * static_cast<size_t>(worker);
    for (size_t row = begin; row < end; row += block) {
      const size_t count = std::min(block, end - row);
      const float* in = a + row * lda;
      Epilogue last = pair.second_epilogue;
      if (last.residual != nullptr) last.residual += row * ldc;
      if (is_half) {
        MultiplyHalves(in, lda, count, pair, last,
                       reinterpret_cast<uint16_t*>(between), half_stride,
                       c + row * ldc, ldc);
        continue;
      }
      MultiplyBlock({&in, count, 1, pair.first.k, true, lda}, pair.first, 0,
                    first_panels, pair.first_epilogue, between, stride);
      const float* made = between;
      MultiplyBlock({&made, count, 1, middle, true, stride}, pair.second, 0,
                    second_panels, last, c + row * ldc, ldc);
    }
  });
}

namespace reference {

void GemmPair(const float* a, size_t lda, size_t m, const float* first,
              size_t k, size_t middle, const Epilogue& first_epilogue,
              const float* second, size_t n, const Epilogue& second_epilogue,
              float* c, size_t ldc) {
  std::vector<float> between(middle);
  for (size_t row = 0; row < m; ++row) {
    Gemm(a + row * lda, lda, 1, first, k, middle, middle, 1, first_epilogue,
         between.data(), middle);
    Epilogue last = second_epilogue;
    if (last.residual != nullptr) last.residual += row * ldc;
    Gemm(between.data(), middle, 1, second, middle, n, n, 1, last,
         c + row * ldc, ldc);
  }
}

}  // namespace reference
}  // namespace munja::kernels
