// Sums of the columns of a matrix of bytes or int16: means over the pixels of
// an image.
#ifndef MUNJA_KERNELS_REDUCE_COLUMN_SUMS_H_
#define MUNJA_KERNELS_REDUCE_COLUMN_SUMS_H_

#include <cstddef>
#include <cstdint>

namespace munja::kernels {

// sums[c] += the sum over r of in[r * columns + c]. T: int8_t,
// uint8_t, int16_t.
template <class T>
void AddColumns(const T* in, size_t rows, size_t columns, int64_t* sums);

namespace reference {
template <class T>
void AddColumns(const T* in, size_t rows, size_t columns, int64_t* sums);
}  // namespace reference

}  // namespace munja::kernels

#endif  // MUNJA_KERNELS_REDUCE_COLUMN_SUMS_H_
