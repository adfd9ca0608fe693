// Depthwise convolution of centered 16-bit integers, NHWC.
#ifndef MUNJA_KERNELS_DEPTHWISE_INT_DEPTHWISE_H_
#define MUNJA_KERNELS_DEPTHWISE_INT_DEPTHWISE_H_

#include <cstdint>

#include "base/thread_pool.h"
#include "kernels/conv/conv_2d.h"
#include "kernels/quant/int_epilogue.h"

namespace munja::kernels {

// weights[kernel_h][kernel_w][out_c], out_c a multiple of in_c: output channel
// c reads input channel c / (out_c / in_c). image_scales as in IntConv2d. Wide
// epilogues: sums of fewer than 128 taps are exact, which a window of more taps
// does not promise (use the reference).
void IntDepthwise(const Conv2dShape& shape, const int16_t* in,
                  const int16_t* weights, const float* image_scales,
                  const IntEpilogue& epilogue, ThreadPool& pool);

namespace reference {
void IntDepthwise(const Conv2dShape& shape, const int16_t* in,
                  const int16_t* weights, const float* image_scales,
                  const IntEpilogue& epilogue);
}  // namespace reference

}  // namespace munja::kernels

#endif  // MUNJA_KERNELS_DEPTHWISE_INT_DEPTHWISE_H_
