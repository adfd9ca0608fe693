// Transposed two-dimensional convolution in float32, NHWC.
#ifndef MUNJA_KERNELS_CONV_TRANSPOSE_CONV_H_
#define MUNJA_KERNELS_CONV_TRANSPOSE_CONV_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/buffer.h"
#include "base/status.h"
#include "base/thread_pool.h"
#include "kernels/conv/conv_2d.h"
#include "kernels/gemm/gemm.h"
#include "kernels/gemm/half_gemm.h"

namespace munja::kernels {

// In the shape of a transposed convolution, input pixel (y, x) adds
// in * weights[.][i][j] to output pixel (y * stride_h + i - pad_top,
// x * stride_w + j - pad_left) if that exists. No groups, no dilation.

// One packed matrix for each row of the kernel, in_c x (kernel_w * out_c), and
// for small kernels one of all, in_c x (kernel_h * kernel_w * out_c), for the
// SIMD target in use.
class PackedTransposeConv {
 public:
  // weights[out_c][kernel_h][kernel_w][in_c], bias[out_c] or null; of the
  // shape only the sizes of the weights are read. kOutOfMemory.
  static Result<PackedTransposeConv> Pack(const float* weights,
                                          const float* bias,
                                          const Conv2dShape& shape,
                                          Product product = Product::kFloat32);
  MatrixView row(int32_t i) const {
    return rows_[static_cast<size_t>(i)].view();
  }
  // Null unless the kernel is small.
  const PackedMatrix* all() const { return all_.get(); }
  // The bias repeated kernel_h * kernel_w times; zeros without one.
  const float* bias() const { return bias_.as<float>(); }
  size_t bytes() const;

 private:
  PackedTransposeConv() = default;
  std::vector<PackedMatrix> rows_;
  std::unique_ptr<PackedMatrix> all_;
  Buffer bias_;
};

// Bytes of scratch memory that TransposeConv wants. kOutOfMemory.
Result<size_t> TransposeConvScratchBytes(const Conv2dShape& shape, int threads);

// out = activation(transposed convolution + bias). Each output line is made by
// one task, from at most ceil(kernel_h / stride_h) input lines; with small
// kernels that do not overlap, all output lines of an input line.
void TransposeConv(const Conv2dShape& shape, const float* in,
                   const PackedTransposeConv& weights,
                   const Activation& activation, float* out, void* scratch,
                   ThreadPool& pool);

// Whether the same may read a map of 16-bit floats, or make one: with weights
// packed as halves. To make one neither rows nor columns may overlap.
bool TakesHalfMap(const Conv2dShape& shape, const PackedTransposeConv& weights);
bool MakesHalfMap(const Conv2dShape& shape, const PackedTransposeConv& weights);
// The same, from and to maps of either kind; strides are not read.
void TransposeConv(const Conv2dShape& shape, const RowView& in,
                   const PackedTransposeConv& weights,
                   const Activation& activation, const MutableRowView& out,
                   void* scratch, ThreadPool& pool);

namespace reference {
// Weights as given to Pack. Sums in double precision.
void TransposeConv(const Conv2dShape& shape, const float* in,
                   const float* weights, const float* bias,
                   const Activation& activation, float* out);
}  // namespace reference

}  // namespace munja::kernels

#endif  // MUNJA_KERNELS_CONV_TRANSPOSE_CONV_H_
