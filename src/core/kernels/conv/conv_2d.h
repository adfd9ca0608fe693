// Two-dimensional convolution in float32, NHWC.
#ifndef MUNJA_KERNELS_CONV_CONV_2D_H_
#define MUNJA_KERNELS_CONV_CONV_2D_H_

#include <cstddef>
#include <cstdint>

#include "base/buffer.h"
#include "base/status.h"
#include "base/thread_pool.h"
#include "kernels/gemm/gemm.h"
#include "kernels/gemm/half_gemm.h"

namespace munja::kernels {

// Sizes of one convolution. Output pixel (y, x) reads input rows
// y * stride_h - pad_top + i * dilation_h for i < kernel_h, columns likewise;
// what lies outside is 0. Padding below and to the right follows from out_h
// and out_w.
struct Conv2dShape {
  int32_t batch = 1, in_h = 1, in_w = 1, in_c = 1;
  int32_t out_h = 1, out_w = 1, out_c = 1;
  int32_t kernel_h = 1, kernel_w = 1;
  int32_t stride_h = 1, stride_w = 1;
  int32_t dilation_h = 1, dilation_w = 1;
  int32_t pad_top = 0, pad_left = 0;
  int32_t groups = 1;  // Divides in_c and out_c.
};

// Whether the input is the left matrix as it is.
bool IsMatrixProduct(const Conv2dShape& shape);
// Whether a row of the kernel covers contiguous numbers of an input line. With
// dilation or groups it does not: every tap is a piece of its own.
bool HasRowPieces(const Conv2dShape& shape);

// Weights in the order in which the kernel reads them, for the SIMD target in
// use.
class PackedConv2d {
 public:
  // weights[out_c][kernel_h][kernel_w][in_c / groups]; of the shape only the
  // sizes of the weights and the dilation are read. kOutOfMemory.
  // As PackedMatrix for the product.
  static Result<PackedConv2d> Pack(const float* weights,
                                   const Conv2dShape& shape,
                                   Product product = Product::kFloat32);
  // For weights that are known only when the model runs: the same in the
  // caller's memory, aligned to 64 bytes and as long as Bytes says.
  static Result<size_t> Bytes(const Conv2dShape& shape);
  static PackedConv2d PackInto(const float* weights, const Conv2dShape& shape,
                               void* memory);
  MatrixView group(int32_t g) const {
    MatrixView matrix = matrix_;
    matrix.packed = static_cast<const uint8_t*>(matrix_.packed) +
                    static_cast<size_t>(g) * group_bytes_;
    return matrix;
  }
  // As many as a row of the kernel reads.
  const float* zeros() const { return zeros_; }
  size_t bytes() const { return memory_.size(); }
  bool is_half() const { return matrix_.is_half(); }
  bool has_lines() const { return has_lines_; }  // See half_line_conv.h.

 private:
  PackedConv2d(const float* weights, const Conv2dShape& shape,
               const MatrixView& sizes, void* memory);
  Buffer memory_;           // Empty when it is the caller's.
  MatrixView matrix_;       // Matrix of group 0.
  size_t group_bytes_ = 0;  // Group stride.
  const float* zeros_ = nullptr;
  bool has_lines_ = false;
};

// Bytes of scratch memory (64-byte aligned) that Conv2d wants. kOutOfMemory
// when that does not fit memory.
Result<size_t> Conv2dScratchBytes(const Conv2dShape& shape, int threads);

// out = epilogue(convolution of in). Never holds more than a block of the
// unfolded input. `scratch` is that for pool.threads().
void Conv2d(const Conv2dShape& shape, const float* in,
            const PackedConv2d& weights, const Epilogue& epilogue, float* out,
            void* scratch, ThreadPool& pool);

// Whether the same may read a map of 16-bit floats, each number rounded as
// Conv2d rounds it: with weights packed as halves, where the windows are whole
// runs of kFloat16Run numbers.
bool TakesHalfMap(const Conv2dShape& shape, const PackedConv2d& weights);
// The same, from and to maps of either kind (strides are not read). One that is
// half needs weights packed as halves, as input also TakesHalfMap.
void Conv2d(const Conv2dShape& shape, const RowView& in,
            const PackedConv2d& weights, const Epilogue& epilogue,
            const MutableRowView& out, void* scratch, ThreadPool& pool);

namespace reference {
// Weights as given to Pack. Sums in double precision.
void Conv2d(const Conv2dShape& shape, const float* in, const float* weights,
            const Epilogue& epilogue, float* out);
}  // namespace reference

}  // namespace munja::kernels

#endif  // MUNJA_KERNELS_CONV_CONV_2D_H_
