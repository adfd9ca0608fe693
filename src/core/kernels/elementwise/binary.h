// Arithmetic of two float arrays, one of which may repeat.
#ifndef MUNJA_KERNELS_ELEMENTWISE_BINARY_H_
#define MUNJA_KERNELS_ELEMENTWISE_BINARY_H_

#include <cstddef>

#include "kernels/elementwise/activation.h"

namespace munja::kernels {

enum class BinaryKind {
  kAdd,
  kSub,
  kMul,
  kDiv,
  kMinimum,  // When an operand is NaN the result is either operand.
  kMaximum,
  kSquaredDifference,
  kPrelu,  // a < 0 ? a * b : a
};

// rows x cols results, dense. Operand a of row r and column c is
// a[r * a_row_stride + (a_repeats ? 0 : c)]; b likewise. A row stride of 0
// uses the same row again (a bias); `repeats` is one number for the row.
struct BinaryBlock {
  const float* a = nullptr;
  const float* b = nullptr;
  float* out = nullptr;  // May be a or b when that one does not repeat.
  size_t rows = 1, cols = 0;
  size_t a_row_stride = 0, b_row_stride = 0;
  bool a_repeats = false, b_repeats = false;
};

// out = activation(a kind b).
void Binary(BinaryKind kind, const Activation& activation,
            const BinaryBlock& block);

namespace reference {
void Binary(BinaryKind kind, const Activation& activation,
            const BinaryBlock& block);
}  // namespace reference

}  // namespace munja::kernels

#endif  // MUNJA_KERNELS_ELEMENTWISE_BINARY_H_
