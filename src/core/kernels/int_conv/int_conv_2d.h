// Two-dimensional convolution of quantized values, NHWC. A fully connected
// layer is one of 1x1 images.
#ifndef MUNJA_KERNELS_INT_CONV_INT_CONV_2D_H_
#define MUNJA_KERNELS_INT_CONV_INT_CONV_2D_H_

#include <cstddef>
#include <cstdint>

#include "base/thread_pool.h"
#include "kernels/conv/conv_2d.h"
#include "kernels/gemm/int_gemm.h"
#include "kernels/gemm/int_operand.h"
#include "kernels/quant/int_epilogue.h"

namespace munja::kernels {

// Weights in the order in which the kernel reads them: a matrix for each
// group. The memory belongs to who packed them.
struct IntConv2dWeights {
  IntMatrixView matrix;  // Matrix of group 0.
  size_t group_words = 0;
  IntMatrixView group(int32_t g) const {
    IntMatrixView view = matrix;
    view.packed += static_cast<size_t>(g) * group_words;
    return view;
  }
};

// These three read only the weight sizes, the groups and dilation_w of the
// shape. Bytes that PackIntConv2d writes:
size_t IntConv2dWeightBytes(const Conv2dShape& shape, IntFormat format);
// weights[out_c][kernel_h][kernel_w][in_c / groups] for inputs that are read in
// that format (values as in PackIntMatrix); `packed` is aligned to 64 bytes.
void PackIntConv2d(const int16_t* weights, const Conv2dShape& shape,
                   IntFormat format, void* packed);
// Weights that were packed for this shape and format.
IntConv2dWeights IntConv2dWeightsAt(const Conv2dShape& shape, IntFormat format,
                                    const void* packed);

// Where output pixel (y, x) of image n goes: first + n * image + y * line +
// x * pixel, in elements.
struct OutputStrides {
  size_t first = 0, pixel = 0, line = 0, image = 0;
};
// One pixel after another.
OutputStrides DenseStrides(const Conv2dShape& shape);

// Bytes of scratch memory (64-byte aligned) for a pool of that many threads.
size_t IntConv2dScratchBytes(const Conv2dShape& shape, IntFormat format,
                             int threads);

// Elements outside the image count as 0. The pads of the shape may be
// negative. image_scales: for each image the row scale of its pixels, or null
// for 1, where in.zeros is null, too. Input of int16 takes weights in pairs.
void IntConv2d(const Conv2dShape& shape, const IntInput& in,
               const IntConv2dWeights& weights, const float* image_scales,
               const OutputStrides& strides, const IntEpilogue& epilogue,
               void* scratch, ThreadPool& pool);

namespace reference {
// Input without its zero point; weights as given to PackIntConv2d; dense
// output.
void IntConv2d(const Conv2dShape& shape, const int16_t* in,
               const int16_t* weights, const float* image_scales,
               const IntEpilogue& epilogue);
}  // namespace reference

}  // namespace munja::kernels

#endif  // MUNJA_KERNELS_INT_CONV_INT_CONV_2D_H_
