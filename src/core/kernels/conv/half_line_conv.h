// Convolutions of images in 16-bit floats: their pixels have so few channels
// that a row of the kernel covers neither whole pairs nor groups of numbers.
// Lines are rounded once, with zeros left and right of them, and the rows of
// the kernel are filled up with weights of 0.
#ifndef MUNJA_KERNELS_CONV_HALF_LINE_CONV_H_
#define MUNJA_KERNELS_CONV_HALF_LINE_CONV_H_

#include <cstddef>
#include <vector>

#include "base/status.h"
#include "base/thread_pool.h"
#include "kernels/conv/conv_2d.h"
#include "kernels/gemm/half_gemm.h"

namespace munja::kernels {

// Whether this is the way to convolve with half weights of these sizes and
// dilation; the rest of the shape is not read.
bool TakesHalfLines(const Conv2dShape& shape);

// Whether weights that are packed as they are suit HalfLineConv, too, which
// makes the same of them.
bool SuitsHalfLines(const Conv2dShape& shape);

// Numbers of a row of the kernel with those that fill it up: the matrix has
// kernel_h times as many rows.
size_t HalfLineRun(const Conv2dShape& shape);
// weights[out_c][kernel_h][kernel_w][in_c] as [out_c][kernel_h][HalfLineRun].
std::vector<float> FillHalfLines(const Conv2dShape& shape,
                                 const float* weights);

// Bytes of scratch memory of one thread, a multiple of kBufferAlignment.
// kOutOfMemory.
Result<size_t> HalfLineScratchBytes(const Conv2dShape& shape);

// As Conv2d, `in` of float32, `weights` packed as halves from FillHalfLines, or
// as they are. Behind a window numbers are multiplied by the 0 of the former,
// which matters if they are none or infinite. `scratch` is that for
// pool.threads().
void HalfLineConv(const Conv2dShape& shape, const float* in,
                  const MatrixView& weights, const Epilogue& epilogue,
                  const MutableRowView& out, void* scratch, ThreadPool& pool);

}  // namespace munja::kernels

#endif  // MUNJA_KERNELS_CONV_HALF_LINE_CONV_H_
