// Depthwise two-dimensional convolution in float32, NHWC.
#ifndef MUNJA_KERNELS_DEPTHWISE_DEPTHWISE_CONV_2D_H_
#define MUNJA_KERNELS_DEPTHWISE_DEPTHWISE_CONV_2D_H_

#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/buffer.h"
#include "base/status.h"
#include "base/thread_pool.h"
#include "kernels/conv/conv_2d.h"
#include "kernels/gemm/gemm.h"

namespace munja::kernels {

// Weights with channels padded to whole vectors; the same for all targets.
class PackedDepthwise {
 public:
  // weights[kernel_h * kernel_w][channels]. kOutOfMemory.
  static Result<PackedDepthwise> Pack(const float* weights, size_t taps,
                                      size_t channels);
  // weights()[tap * stride() + channel]
  const float* weights() const { return buffer_.as<float>(); }
  size_t stride() const { return stride_; }
  size_t bytes() const { return buffer_.size(); }

 private:
  PackedDepthwise(Buffer buffer, size_t stride)
      : buffer_(std::move(buffer)), stride_(stride) {}
  Buffer buffer_;
  size_t stride_;
};

// out = epilogue(...), where output channel c reads input channel
// c / (out_c / in_c); out_c is a multiple of in_c. shape.groups is not read.
// Made for out_c == in_c; other multipliers are right, not fast.
void DepthwiseConv2d(const Conv2dShape& shape, const float* in,
                     const PackedDepthwise& weights, const Epilogue& epilogue,
                     float* out, ThreadPool& pool);

namespace reference {
// weights[kernel_h][kernel_w][out_c]. Sums in double precision.
void DepthwiseConv2d(const Conv2dShape& shape, const float* in,
                     const float* weights, const Epilogue& epilogue,
                     float* out);
}  // namespace reference

}  // namespace munja::kernels

#endif  // MUNJA_KERNELS_DEPTHWISE_DEPTHWISE_CONV_2D_H_
