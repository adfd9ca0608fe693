// Matrix products of 16-bit floats: twice the multiply-accumulates of float32
// in the same time, on processors that have such instructions. Both operands
// are rounded to the format of the CPU; sums, bias, residual and
// activation are float32.
//
//   bfloat16  AVX512_BF16 (x86): 8 bits of precision, the range of float32.
//             Products are exact and added up in float32.
//   float16   FEAT_FP16 (Arm): 11 bits, numbers up to 65504. Up to
//             kFloat16Run products are added up in float16, those sums in
//             float32.
//
// Most users pack a matrix as Product::kHalf and go on with gemm.h.
#ifndef MUNJA_KERNELS_GEMM_HALF_GEMM_H_
#define MUNJA_KERNELS_GEMM_HALF_GEMM_H_

#include <cstddef>
#include <cstdint>

#include "base/buffer.h"
#include "kernels/elementwise/activation.h"
#include "kernels/gemm/gemm.h"

namespace munja::kernels {

// The type that this CPU multiplies with the vector instructions in use:
// kBFloat16, kFloat16, or kFloat32 for neither. Then nothing below but
// `reference` may be called.
ElementType HalfTypeInUse();
// "bf16", "fp16"; "" for kFloat32.
const char* HalfTypeName(ElementType format);

// Products that are added up in float16.
inline constexpr size_t kFloat16Run = 16;

// Rows of a matrix at most.
inline constexpr size_t kMaxHalfDepth = 4096;
// The CPU has the products, and k is in [1, kMaxHalfDepth].
bool TakesHalfProduct(size_t k);

// Numbers in a row of k when each row begins with a pair: k, rounded up to
// even.
inline constexpr size_t HalfDepth(size_t k) { return RoundUp(k, 2); }

// To nearest, ties to even. Bfloat16 takes numbers below 2^-126 for 0.
void RoundToHalf(const float* in, size_t count, uint16_t* out);
void WidenHalf(const uint16_t* in, size_t count, float* out);

namespace reference {
uint16_t RoundToHalf(ElementType format, float x);
float WidenHalf(ElementType format, uint16_t x);
// As reference::Gemm, with both operands rounded to the format.
void HalfGemm(ElementType format, const float* a, size_t lda, size_t m,
              const float* b, size_t k, size_t n, size_t k_stride,
              size_t n_stride, const Epilogue& epilogue, float* c, size_t ldc);
}  // namespace reference

}  // namespace munja::kernels

#endif  // MUNJA_KERNELS_GEMM_HALF_GEMM_H_
