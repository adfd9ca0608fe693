// Weights-only ("hybrid") quantization: rows of floats become int8 while the
// model runs, each with a scale of its own, and meet int8 weights.
#ifndef MUNJA_KERNELS_ROW_QUANTIZATION_H_
#define MUNJA_KERNELS_ROW_QUANTIZATION_H_

#include <cstddef>
#include <cstdint>

namespace munja::kernels {

// real = scale * (stored - zero)
struct RowScale {
  float scale = 1.0f;
  int32_t zero = 0;
};

// Into [-127, 127] with scale max|x| / 127 and zero 0; a row of zeros has
// scale 1. Rounds half away from zero.
RowScale QuantizeRow(const float* x, size_t count, int8_t* out);
// Into [-128, 127], from the least to the greatest number and 0; scale
// NaN where there is none.
RowScale QuantizeRowAsymmetric(const float* x, size_t count, int8_t* out);

// Sum of the products; wraps past 2^31.
int32_t Dot(const int8_t* a, const int8_t* b, size_t count);
int32_t Sum(const int8_t* a, size_t count);

}  // namespace munja::kernels

#endif  // MUNJA_KERNELS_ROW_QUANTIZATION_H_
