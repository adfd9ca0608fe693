// Depthwise convolutions of 16-bit floats (half_gemm.h), where the CPU
// has a dot product of pairs: two rows of the kernel at once.
#ifndef MUNJA_KERNELS_DEPTHWISE_HALF_DEPTHWISE_H_
#define MUNJA_KERNELS_DEPTHWISE_HALF_DEPTHWISE_H_

#include <cstddef>

#include "base/buffer.h"
#include "base/status.h"
#include "base/thread_pool.h"
#include "kernels/conv/conv_2d.h"
#include "kernels/gemm/half_gemm.h"

namespace munja::kernels {

// The channels whose weights lie together: those that the kernel sums at a
// time.
inline constexpr size_t kHalfDepthwiseChannels = 32;

// For weights of these sizes, strides and dilation (the rest of the shape is
// not read) and this activation, on this CPU.
bool TakesHalfDepthwise(const Conv2dShape& shape, const Activation& activation);

// weights[kernel_h][kernel_w][channels], rounded, in the order in which the
// kernel reads them. kOutOfMemory.
Result<Buffer> PackHalfDepthwise(const Conv2dShape& shape,
                                 const float* weights);

// Bytes of scratch memory. kOutOfMemory.
Result<size_t> HalfDepthwiseScratchBytes(const Conv2dShape& shape, int threads);

// out = activation(convolution + bias), numbers of `in` rounded if they are
// not; epilogue.residual is not read. `scratch` is that for pool.threads().
// Neither the kinds of maps nor threads change a sum.
void HalfDepthwiseConv2d(const Conv2dShape& shape, const RowView& in,
                         const Buffer& weights, const Epilogue& epilogue,
                         const MutableRowView& out, void* scratch,
                         ThreadPool& pool);

}  // namespace munja::kernels

#endif  // MUNJA_KERNELS_DEPTHWISE_HALF_DEPTHWISE_H_
