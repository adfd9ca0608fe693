// Transposed convolution of centered 16-bit integers, NHWC.
#ifndef MUNJA_KERNELS_INT_TRANSPOSE_CONV_H_
#define MUNJA_KERNELS_INT_TRANSPOSE_CONV_H_

#include <cstddef>
#include <cstdint>

#include "base/thread_pool.h"
#include "kernels/conv_2d.h"
#include "kernels/output_stage.h"

namespace munja::kernels {

// The shape reads as that of TransposeConv: input pixel (y, x) adds
// in * weights[.][i][j] to output pixel (y * stride_h + i - pad_top,
// x * stride_w + j - pad_left) if that exists. No groups, no dilation.

// Elements (int16) that PackIntTransposeConv writes.
size_t IntTransposeConvWeightElements(const Conv2dShape& shape);
// weights[out_c][kernel_h][kernel_w][in_c]; of the shape the sizes of the
// weights and the strides are read. `packed` is aligned to 64 bytes.
void PackIntTransposeConv(const int16_t* weights, const Conv2dShape& shape,
                          int16_t* packed);

size_t IntTransposeConvScratchBytes(const Conv2dShape& shape, int threads);

// image_scales as in IntConv2d.
void IntTransposeConv(const Conv2dShape& shape, const int16_t* in,
                      const int16_t* packed, const float* image_scales,
                      const OutputStage& stage, void* scratch,
                      ThreadPool& pool);

namespace reference {
// Weights as given to PackIntTransposeConv.
void IntTransposeConv(const Conv2dShape& shape, const int16_t* in,
                      const int16_t* weights, const float* image_scales,
                      const OutputStage& stage);
}  // namespace reference

}  // namespace munja::kernels

#endif  // MUNJA_KERNELS_INT_TRANSPOSE_CONV_H_
