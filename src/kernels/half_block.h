// What half_gemm.cc needs from the processor's own files (half_block_x86.cc,
// half_block_arm.cc), which alone use instructions beyond Highway's targets.
#ifndef MUNJA_KERNELS_HALF_BLOCK_H_
#define MUNJA_KERNELS_HALF_BLOCK_H_

#include <cstddef>
#include <cstdint>

#include "kernels/half_gemm.h"

namespace munja::kernels {

// How a matrix is packed: panels of `panel` columns, those of gemm.h, the last
// one only `narrow` wide where that is enough, each HalfDepth(k) rows long,
// `pair` consecutive rows of a column beside each other.
struct HalfLayout {
  size_t panel, narrow, pair;
};

struct HalfBlockFunctions {
  HalfFormat format;
  HalfLayout layout;
  decltype(&MultiplyHalfBlock) multiply;
  // Rows [first, first + count) one after the other, each rounded to
  // HalfDepth(pieces_per_row * length) numbers.
  void (*round_rows)(const LeftRows& rows, size_t first, size_t count,
                     uint16_t* out);
  decltype(&RoundToHalf) round;
  decltype(&WidenHalf) widen;
};

// Null when this processor, or the operating system, has not got them. To be
// asked only where the best of Highway's targets is in use.
const HalfBlockFunctions* X86HalfBlock();
const HalfBlockFunctions* ArmHalfBlock();

}  // namespace munja::kernels

#endif  // MUNJA_KERNELS_HALF_BLOCK_H_
