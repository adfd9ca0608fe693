// Weights-only ("hybrid") quantization: rows of floats become int8 while the
// model runs, each with a scale of its own, and meet int8 weights.
#ifndef MUNJA_KERNELS_QUANT_ROW_QUANTIZATION_H_
#define MUNJA_KERNELS_QUANT_ROW_QUANTIZATION_H_

#include <cstddef>
#include <cstdint>

#include "base/thread_pool.h"

namespace munja::kernels {

// real = scale * (stored - zero)
struct RowScale {
  float scale = 1.0f;
  int32_t zero = 0;
};

// Into [-127, 127] with scale max|x| / 127 and zero 0; a row of zeros has
// scale 1. Rounds half away from zero. NaN takes the lowest value.
RowScale QuantizeRow(const float* x, size_t count, int8_t* out);
// Into [-128, 127], from the least to the greatest number and 0; scale
// NaN where there is none.
RowScale QuantizeRowAsymmetric(const float* x, size_t count, int8_t* out);

// Where the rows of a matrix go. Quantized values are those of the functions
// above or, as uint8, 128 more, and so are zero points.
struct QuantizedRows {
  void* data = nullptr;
  bool is_unsigned = false;
  float* scales = nullptr;  // One for each row.
  int32_t* zeros = nullptr;
};

// `rows` rows of `depth` numbers each.
void QuantizeRows(const float* x, size_t rows, size_t depth, bool is_asymmetric,
                  const QuantizedRows& out, ThreadPool& pool);

// Sum of the products; wraps past 2^31.
int32_t Dot(const int8_t* a, const int8_t* b, size_t count);
int32_t Sum(const int8_t* a, size_t count);

namespace reference {
RowScale QuantizeRow(const float* x, size_t count, int8_t* out);
RowScale QuantizeRowAsymmetric(const float* x, size_t count, int8_t* out);
}  // namespace reference

}  // namespace munja::kernels

#endif  // MUNJA_KERNELS_QUANT_ROW_QUANTIZATION_H_
