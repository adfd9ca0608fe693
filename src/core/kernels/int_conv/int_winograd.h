// 3x3 convolutions of stride 1 of quantized values by Winograd's minimal
// filtering F(2x2, 3x3): squares of 2x2 output pixels are made of 16 products
// for each pair of channels instead of 36 (Lavin and Gray, "Fast Algorithms for
// Convolutional Neural Networks", arXiv:1509.09308). The weights are scaled by
// 4, so that all numbers are whole, and the sums are exact: results equal those
// of kernels::IntConv2d. For processors that multiply pairs of int16, not
// bytes.
#ifndef MUNJA_KERNELS_INT_CONV_INT_WINOGRAD_H_
#define MUNJA_KERNELS_INT_CONV_INT_WINOGRAD_H_

#include <cstddef>
#include <cstdint>

#include "base/thread_pool.h"
#include "kernels/conv/conv_2d.h"
#include "kernels/gemm/int_operand.h"
#include "kernels/quant/int_epilogue.h"

namespace munja::kernels {

// Bytes that PackIntWinograd writes; 0 where the convolution is none of these
// or too small to gain. Both read only the weight sizes, the groups, strides
// and dilations of the shape.
size_t IntWinogradWeightBytes(const Conv2dShape& shape, IntFormat format);
// As PackIntConv2d; `packed` is aligned to 64 bytes.
void PackIntWinograd(const int16_t* weights, const Conv2dShape& shape,
                     void* packed);

// There are packed weights, and the input has 8 bits.
bool IsIntWinograd(const Conv2dShape& shape, IntFormat format,
                   ElementType input);
// The others are for such shapes.
size_t IntWinogradScratchBytes(const Conv2dShape& shape, int threads);
// As IntConv2d with dense output, of an epilogue that is not wide.
void IntWinogradConv2d(const Conv2dShape& shape, const IntInput& in,
                       const void* packed, const float* image_scales,
                       const IntEpilogue& epilogue, void* scratch,
                       ThreadPool& pool);

}  // namespace munja::kernels

#endif  // MUNJA_KERNELS_INT_CONV_INT_WINOGRAD_H_
