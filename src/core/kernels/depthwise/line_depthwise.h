// Depthwise convolution of quantized values, NHWC, one output channel for each
// input channel. Lines of input are interleaved, so that a word holds the same
// channel of lines below each other and one instruction multiplies them all.
#ifndef MUNJA_KERNELS_DEPTHWISE_LINE_DEPTHWISE_H_
#define MUNJA_KERNELS_DEPTHWISE_LINE_DEPTHWISE_H_

#include <cstddef>
#include <cstdint>

#include "base/thread_pool.h"
#include "kernels/conv/conv_2d.h"
#include "kernels/gemm/int_operand.h"
#include "kernels/quant/int_epilogue.h"

namespace munja::kernels {

// Shapes that this kernel takes; others are for IntDepthwise. Wide epilogues as
// there.
bool IsLineDepthwise(const Conv2dShape& shape);

// Bytes that PackLineDepthwise writes.
size_t LineDepthwiseWeightBytes(const Conv2dShape& shape, IntFormat format);
// weights[kernel_h][kernel_w][channels] for inputs that are read in that
// format, values as in PackIntMatrix. Of the shape the channels, the kernel,
// stride_h and dilation_h are read. `packed` is aligned to 64 bytes.
void PackLineDepthwise(const int16_t* weights, const Conv2dShape& shape,
                       IntFormat format, void* packed);

size_t LineDepthwiseScratchBytes(const Conv2dShape& shape, IntFormat format,
                                 int threads);

// Input and image_scales as in IntConv2d. Equals reference::IntDepthwise.
void LineDepthwise(const Conv2dShape& shape, const IntInput& in,
                   IntFormat format, const void* packed,
                   const float* image_scales, const IntEpilogue& epilogue,
                   void* scratch, ThreadPool& pool);

}  // namespace munja::kernels

#endif  // MUNJA_KERNELS_DEPTHWISE_LINE_DEPTHWISE_H_
