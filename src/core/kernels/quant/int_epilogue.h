// Epilogues of the integer sums of quantized matrix products: quantized values
// of 8 or 16 bits, floats, or the sums themselves.
#ifndef MUNJA_KERNELS_QUANT_INT_EPILOGUE_H_
#define MUNJA_KERNELS_QUANT_INT_EPILOGUE_H_

#include <cstddef>
#include <cstdint>

#include "kernels/elementwise/activation.h"
#include "tensor/element_type.h"

namespace munja::kernels {

// Arrays have one entry for each column (output channel).
struct IntEpilogue {
  // int8, uint8, int16: clamp((sum + bias) * multiplier + zero, low, high);
  // float32: activation(sum * (row scale * scale) + float_bias + residual),
  // rounded after every step; int32: sum.
  ElementType type = ElementType::kInt8;
  // Sums have 64 bits (int16 activations); otherwise they wrap at 32, and the
  // two roundings differ (see fixed_point.h).
  bool is_wide = false;
  const int32_t* mantissas = nullptr;
  const int32_t* exponents = nullptr;
  // At most one of the two; the second is for wide sums only.
  const int32_t* bias = nullptr;
  const int64_t* wide_bias = nullptr;
  int32_t zero = 0, low = 0, high = 0;
  const float* scales = nullptr;
  const float* float_bias = nullptr;  // Or null.
  const float* residual = nullptr;    // Or null; lies like the output.
  Activation activation;
  void* out = nullptr;
};

// The bias of a column of a wide epilogue.
inline int64_t WideBias(const IntEpilogue& epilogue, size_t column) {
  if (epilogue.wide_bias != nullptr) return epilogue.wide_bias[column];
  return epilogue.bias != nullptr ? epilogue.bias[column] : 0;
}

// Where a row of sums goes.
struct RowTarget {
  size_t offset = 0;   // Offset of column 0, in elements of `out`.
  float scale = 1.0f;  // Row scale of float32 outputs.
  int32_t zero = 0;    // See IntLeftRows::has_zeros.
};

// Columns [column, column + columns) of `rows` rows;
// sums[r * stride + c] belongs to targets[r] and column + c. Sums of 32 bits
// may be given to a wide epilogue when they did not wrap.
void StoreSums(const IntEpilogue& epilogue, const int32_t* sums, size_t stride,
               const RowTarget* targets, size_t rows, size_t column,
               size_t columns);
void StoreSums(const IntEpilogue& epilogue, const int64_t* sums, size_t stride,
               const RowTarget* targets, size_t rows, size_t column,
               size_t columns);

namespace reference {
// One exact sum.
void StoreSum(const IntEpilogue& epilogue, int64_t sum, const RowTarget& target,
              size_t column);
}  // namespace reference

}  // namespace munja::kernels

#endif  // MUNJA_KERNELS_QUANT_INT_EPILOGUE_H_
