// Transposed convolution of quantized values, NHWC.
#ifndef MUNJA_KERNELS_INT_CONV_INT_TRANSPOSE_CONV_H_
#define MUNJA_KERNELS_INT_CONV_INT_TRANSPOSE_CONV_H_

#include <cstddef>
#include <cstdint>

#include "base/thread_pool.h"
#include "kernels/conv/conv_2d.h"
#include "kernels/gemm/int_operand.h"
#include "kernels/quant/int_epilogue.h"

namespace munja::kernels {

// The shape reads as that of TransposeConv.

// Bytes that PackIntTransposeConv writes.
size_t IntTransposeConvWeightBytes(const Conv2dShape& shape, IntFormat format);
// weights[out_c][kernel_h][kernel_w][in_c] for inputs that are read in that
// format; of the shape the sizes of the weights and the strides are read.
// `packed` is aligned to 64 bytes.
void PackIntTransposeConv(const int16_t* weights, const Conv2dShape& shape,
                          IntFormat format, void* packed);

size_t IntTransposeConvScratchBytes(const Conv2dShape& shape, IntFormat format,
                                    int threads);

// Input and image_scales as in IntConv2d.
void IntTransposeConv(const Conv2dShape& shape, const IntInput& in,
                      IntFormat format, const void* packed,
                      const float* image_scales, const IntEpilogue& epilogue,
                      void* scratch, ThreadPool& pool);

namespace reference {
// Input without its zero point; weights as given to PackIntTransposeConv.
void IntTransposeConv(const Conv2dShape& shape, const int16_t* in,
                      const int16_t* weights, const float* image_scales,
                      const IntEpilogue& epilogue);
}  // namespace reference

}  // namespace munja::kernels

#endif  // MUNJA_KERNELS_INT_CONV_INT_TRANSPOSE_CONV_H_
