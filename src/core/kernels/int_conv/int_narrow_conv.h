// Convolutions of quantized values whose output channels fill a part of a
// vector, or one vector from a small window: neighboring pixels are computed as
// one, by a window that spans both, with zeros among the weights. That reads
// less and fills vectors.
#ifndef MUNJA_KERNELS_INT_CONV_INT_NARROW_CONV_H_
#define MUNJA_KERNELS_INT_CONV_INT_NARROW_CONV_H_

#include <cstddef>
#include <cstdint>

#include "base/thread_pool.h"
#include "kernels/conv/conv_2d.h"
#include "kernels/gemm/int_operand.h"
#include "kernels/quant/int_epilogue.h"

namespace munja::kernels {

// Bytes that PackIntNarrowConv writes; 0 where the convolution is not narrow.
// Both read only the weight sizes, the groups, stride_w and dilation_w of the
// shape.
size_t IntNarrowConvWeightBytes(const Conv2dShape& shape, IntFormat format);
// As PackIntConv2d.
void PackIntNarrowConv(const int16_t* weights, const Conv2dShape& shape,
                       IntFormat format, void* packed);

// There are packed weights, and the width of output rows is a multiple of the
// pixels that are computed at a time.
bool IsIntNarrowConv(const Conv2dShape& shape);
// The others are for such shapes.
size_t IntNarrowConvScratchBytes(const Conv2dShape& shape, IntFormat format,
                                 int threads);
// As IntConv2d with dense output.
void IntNarrowConv(const Conv2dShape& shape, const IntInput& in,
                   IntFormat format, const void* packed,
                   const float* image_scales, const IntEpilogue& epilogue,
                   void* scratch, ThreadPool& pool);

}  // namespace munja::kernels

#endif  // MUNJA_KERNELS_INT_CONV_INT_NARROW_CONV_H_
