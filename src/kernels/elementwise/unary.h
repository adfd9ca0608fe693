// Elementary functions of a float array.
#ifndef MUNJA_KERNELS_ELEMENTWISE_UNARY_H_
#define MUNJA_KERNELS_ELEMENTWISE_UNARY_H_

#include <cstddef>

namespace munja::kernels {

enum class UnaryKind {
  kAbs,
  kNeg,
  kSquare,
  kSqrt,
  kRsqrt,  // 1 / sqrt(x)
  kExp,
  kLog,
  kSin,
  kCos,
  kFloor,
  kCeil,
  kRound,  // To nearest, ties to even.
  kSign,   // -1, 0 or 1; NaN for NaN.
};

// out[i] = kind(in[i]). `in` and `out` may be the same.
void Unary(UnaryKind kind, const float* in, size_t count, float* out);

namespace reference {
// In double precision, rounded once.
void Unary(UnaryKind kind, const float* in, size_t count, float* out);
}  // namespace reference

}  // namespace munja::kernels

#endif  // MUNJA_KERNELS_ELEMENTWISE_UNARY_H_
