// Interface between half_gemm.cc and the files of single CPU families
// (half_block_x86.cc, half_block_arm.cc), which alone use instructions beyond
// Highway's targets.
#ifndef MUNJA_KERNELS_GEMM_HALF_BLOCK_H_
#define MUNJA_KERNELS_GEMM_HALF_BLOCK_H_

#include <cstddef>
#include <cstdint>

#include "hwy/detect_targets.h"
#include "kernels/elementwise/activation.h"
#include "kernels/gemm/half_gemm.h"

namespace munja::kernels {

// How a matrix is packed: panels of `panel` columns, those of gemm.h, the last
// one only `narrow` wide where that is enough, each HalfDepth(k) rows long,
// `pair` consecutive rows of a column beside each other.
struct HalfLayout {
  size_t panel, narrow, pair;
  // The last panel may have several pairs of a column beside each other.
  bool has_groups;
};

struct HalfPanel {
  size_t width, group;  // Columns with the padding; pairs.
};

// The panel of a matrix with k rows that begins `left` columns before the end.
// Groups do not reach past the last row.
inline HalfPanel PanelOf(const HalfLayout& layout, size_t k, size_t left) {
  if (left > layout.narrow) return {layout.panel, 1};
  if (layout.has_groups && 2 * left <= layout.narrow &&
      HalfDepth(k) % (4 * layout.pair) == 0)
    return {layout.narrow / 2, 4};
  if (layout.has_groups && HalfDepth(k) % (2 * layout.pair) == 0)
    return {layout.narrow, 2};
  return {layout.narrow, 1};
}

// Some lines of a depthwise convolution of stride 1, one below the other.
struct HalfDepthwiseLines {
  // lines + kernel_h - 1 image rows; null: zeros.
  const uint16_t* const* rows;
  int32_t lines;
  const uint16_t* weights;  // As PackHalfDepthwise has them.
  int32_t kernel_h, kernel_w, pad_left, in_w, out_w;
  size_t channels;
  const float* bias;  // Null: none.
  ClampBounds clamp;
  MutableRowView out;  // Pixels without gaps.
};

struct HalfBlockFunctions {
  ElementType format;
  HalfLayout layout;
  // See MultiplyBlock; the residual has a stride.
  void (*multiply)(const HalfLeftRows& a, const MatrixView& b,
                   size_t first_panel, size_t end_panel,
                   const Epilogue& epilogue, const MutableRowView& c);
  decltype(&RoundToHalf) round;
  decltype(&WidenHalf) widen;
  void (*depthwise)(const HalfDepthwiseLines& lines);  // Null: there is none.
};

// Defined in half_depthwise_x86.cc.
void X86HalfDepthwise(const HalfDepthwiseLines& lines);

// Null if the CPU or the operating system lacks support. Call only where the
// best of Highway's targets is in use.
const HalfBlockFunctions* X86HalfBlock();
const HalfBlockFunctions* ArmHalfBlock();

// The table of these instructions, best first: a row has Highway's target that
// they extend, and the function of their file.
struct HalfKernel {
  int64_t target;
  const HalfBlockFunctions* (*find)();
};
inline constexpr HalfKernel kHalfKernels[] = {
    {HWY_AVX3, X86HalfBlock},
    {HWY_NEON, ArmHalfBlock},
};

// PackedMatrixBytes, in numbers, and PackMatrix of halves: panels as in gemm.h;
// rows past k and columns past n are 0.
size_t PackedHalfNumbers(size_t k, size_t n);
void PackHalfMatrix(const float* b, size_t k, size_t n, size_t k_stride,
                    size_t n_stride, uint16_t* packed);

// MultiplyBlock by a matrix of halves: the rows are rounded first.
void MultiplyRounded(const LeftRows& a, const MatrixView& b, size_t first_panel,
                     size_t end_panel, const Epilogue& epilogue,
                     const MutableRowView& c);

// Functions for the vector instructions in use, or null.
const HalfBlockFunctions* HalfBlockInUse();

}  // namespace munja::kernels

#endif  // MUNJA_KERNELS_GEMM_HALF_BLOCK_H_
