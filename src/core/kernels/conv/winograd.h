// 3x3 convolutions of stride 1 in float32 by Winograd's minimal filtering
// F(4x4, 3x3): squares of 4x4 output pixels are made of 36 products for each
// pair of channels instead of 144 (Lavin and Gray, "Fast Algorithms for
// Convolutional Neural Networks", arXiv:1509.09308). Sums are rounded
// otherwise than kernels::Conv2d rounds them: they differ by some millionths of
// the largest one.
#ifndef MUNJA_KERNELS_CONV_WINOGRAD_H_
#define MUNJA_KERNELS_CONV_WINOGRAD_H_

#include <cstddef>
#include <cstdint>

#include "base/buffer.h"
#include "base/status.h"
#include "base/thread_pool.h"
#include "kernels/conv/conv_2d.h"
#include "kernels/gemm/gemm.h"

namespace munja::kernels {

// Rows and columns of output pixels that are made together. The squares are
// laid from the first row and column on; a map that is made by rows has the
// bits of the whole one where each part begins at a multiple of this many rows.
inline constexpr int32_t kWinogradTile = 4;

// 3x3, no strides, no dilation, no groups. The sizes of maps are not read.
bool TakesWinograd(const Conv2dShape& shape);
// Whether that is also the faster way, by the channels alone (32 and more of
// the input, 16 and more of the output) and, where the sizes of the output are
// known (not 0), by how many squares there are and how full.
bool SuitsWinograd(const Conv2dShape& shape);

// The estimate behind it, for squares of tile x tile pixels and transformed
// weights of so many bytes each.
bool WinogradPays(const Conv2dShape& shape, int32_t tile, size_t weight_bytes);

// Transformed weights, four times as many as there were, in the order in which
// the kernel reads them, for the SIMD target in use.
class PackedWinograd {
 public:
  // weights[out_c][3][3][in_c]; of the shape only the channels are read.
  // kOutOfMemory.
  static Result<PackedWinograd> Pack(const float* weights,
                                     const Conv2dShape& shape);
  // Transformed weights of one panel of output channels at point `point` of the
  // 36.
  MatrixView panel(size_t point, size_t panel) const;
  // As many as there are input channels.
  const float* zeros() const { return zeros_; }
  size_t bytes() const { return memory_.size(); }

 private:
  explicit PackedWinograd(Buffer memory) : memory_(std::move(memory)) {}
  Buffer memory_;
  const float* zeros_ = nullptr;
  size_t in_c_ = 0, out_c_ = 0;
  size_t point_floats_ = 0;  // Point stride.
};

// Bytes of scratch memory (64-byte aligned) that WinogradConv2d wants.
Result<size_t> WinogradScratchBytes(const Conv2dShape& shape, int threads);

// out = epilogue(convolution of in), for shapes that TakesWinograd, whose
// channels are those of the weights. The residual may be `out`. `scratch` is
// that for pool.threads(). The bits depend neither on threads nor on what other
// pixels there are; infinities and NaN spread over the square that reads them.
void WinogradConv2d(const Conv2dShape& shape, const float* in,
                    const PackedWinograd& weights, const Epilogue& epilogue,
                    float* out, void* scratch, ThreadPool& pool);

}  // namespace munja::kernels

#endif  // MUNJA_KERNELS_CONV_WINOGRAD_H_
