// Sums of the columns of a matrix of bytes or int16: means over the pixels of
// an image.
#ifndef MUNJA_KERNELS_REDUCE_COLUMN_SUMS_H_
#define MUNJA_KERNELS_REDUCE_COLUMN_SUMS_H_

#include <cstddef>
#include <cstdint>

#include "kernels/quant/fixed_point.h"

namespace munja::kernels {

// sums[c] += the sum over r of in[r * columns + c]. T: int8_t,
// uint8_t, int16_t.
template <class T>
void AddColumns(const T* in, size_t rows, size_t columns, int64_t* sums);

// Scaling of a sum of bytes: Rescale (fixed_point.h) of the sum less `offset`
// into the range of T. The offset lies within 2^30.
struct SumScale {
  int32_t offset = 0;
  Multiplier multiplier;
  int32_t zero = 0;
};
inline constexpr size_t kMostScaledRows = 255;

// out[c] = what becomes of the sum over r of in[r * columns + c], of at most
// kMostScaledRows rows. T: int8_t, uint8_t.
template <class T>
void ScaleColumnSums(const T* in, size_t rows, size_t columns,
                     const SumScale& scale, T* out);

namespace reference {
template <class T>
void ScaleColumnSums(const T* in, size_t rows, size_t columns,
                     const SumScale& scale, T* out);
template <class T>
void AddColumns(const T* in, size_t rows, size_t columns, int64_t* sums);
}  // namespace reference

}  // namespace munja::kernels

#endif  // MUNJA_KERNELS_REDUCE_COLUMN_SUMS_H_
