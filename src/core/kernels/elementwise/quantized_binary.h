// Arithmetic of two quantized arrays, one of which may repeat.
#ifndef MUNJA_KERNELS_ELEMENTWISE_QUANTIZED_BINARY_H_
#define MUNJA_KERNELS_ELEMENTWISE_QUANTIZED_BINARY_H_

#include <cstddef>
#include <cstdint>

#include "kernels/quant/fixed_point.h"

namespace munja::kernels {

enum class QuantizedBinaryKind {
  kAdd,
  kSub,
  kMul,
  kSquaredDifference,
  kDiv,         // No stored b may be b_zero.
  kPrelu,       // b holds the slopes.
  kShiftedAdd,  // Scales of powers of two: a / 2^k + b / 2^l.
  kShiftedSub,
};

// The operator in numbers. With x = a - a_zero and y = b - b_zero:
//   kAdd, kSub           ((x << shift) * a_scale +- (y << shift) * b_scale)
//                        * out_scale
//   kSquaredDifference   the square of that difference * out_scale
//   kMul                 x * y * out_scale
//   kDiv                 x / y * out_scale
//   kPrelu               x >= 0 ? x * a_scale : x * y * out_scale
//   kShifted...          x / 2^a_shift +- y / 2^b_shift, rounded
// then + out_zero, clamped to [low, high].
struct QuantizedBinaryParams {
  QuantizedBinaryKind kind = QuantizedBinaryKind::kAdd;
  int32_t a_zero = 0, b_zero = 0, out_zero = 0;
  int shift = 0;
  int a_shift = 0, b_shift = 0;
  Multiplier a_scale, b_scale, out_scale;
  int32_t low = 0, high = 0;
};

// Rows, columns and strides as in BinaryBlock (kernels/elementwise/binary.h). T
// is int8_t, uint8_t or int16_t.
template <class T>
struct QuantizedBinaryBlock {
  const T* a = nullptr;
  const T* b = nullptr;
  T* out = nullptr;  // May be a or b when that one does not repeat.
  size_t rows = 1, cols = 0;
  size_t a_row_stride = 0, b_row_stride = 0;
  bool a_repeats = false, b_repeats = false;
};

template <class T>
void QuantizedBinary(const QuantizedBinaryParams& params,
                     const QuantizedBinaryBlock<T>& block);
template <>
void QuantizedBinary(const QuantizedBinaryParams& params,
                     const QuantizedBinaryBlock<int8_t>& block);
template <>
void QuantizedBinary(const QuantizedBinaryParams& params,
                     const QuantizedBinaryBlock<uint8_t>& block);
template <>
void QuantizedBinary(const QuantizedBinaryParams& params,
                     const QuantizedBinaryBlock<int16_t>& block);

namespace reference {
template <class T>
void QuantizedBinary(const QuantizedBinaryParams& params,
                     const QuantizedBinaryBlock<T>& block);
template <>
void QuantizedBinary(const QuantizedBinaryParams& params,
                     const QuantizedBinaryBlock<int8_t>& block);
template <>
void QuantizedBinary(const QuantizedBinaryParams& params,
                     const QuantizedBinaryBlock<uint8_t>& block);
template <>
void QuantizedBinary(const QuantizedBinaryParams& params,
                     const QuantizedBinaryBlock<int16_t>& block);
}  // namespace reference

}  // namespace munja::kernels

#endif  // MUNJA_KERNELS_ELEMENTWISE_QUANTIZED_BINARY_H_
