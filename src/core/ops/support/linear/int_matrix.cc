// Integer products by im2col: CONV_2D, and FULLY_CONNECTED as a convolution of
// images of one pixel.
#include <algorithm>

#include "base/buffer.h"
#include "kernels/int_conv/int_conv_2d.h"
#include "kernels/int_conv/int_narrow_conv.h"
#include "kernels/int_conv/int_winograd.h"
#include "ops/support/linear/int_linear.h"

namespace munja::ops {
namespace {

using kernels::Conv2dShape;
using kernels::IntFormat;

// With few channels, or a 3x3 window, the weights are packed both ways: the
// input decides which packing is used.
size_t PlainBytes(const Conv2dShape& s, IntFormat format) {
  return RoundUp(kernels::IntConv2dWeightBytes(s, format), kBufferAlignment);
}

size_t MatrixBytes(const Conv2dShape& s, IntFormat format) {
  return PlainBytes(s, format) +
         std::max(kernels::IntNarrowConvWeightBytes(s, format),
                  kernels::IntWinogradWeightBytes(s, format));
}

void PackBoth(const int16_t* weights, const Conv2dShape& s, IntFormat format,
              void* packed) {
  kernels::PackIntConv2d(weights, s, format, packed);
  void* const other = static_cast<uint8_t*>(packed) + PlainBytes(s, format);
  if (kernels::IntWinogradWeightBytes(s, format) != 0)
    kernels::PackIntWinograd(weights, s, other);
  else if (kernels::IntNarrowConvWeightBytes(s, format) != 0)
    kernels::PackIntNarrowConv(weights, s, format, other);
}

bool IsNarrow(const Conv2dShape& s, IntFormat format) {
  return kernels::IsIntNarrowConv(s) &&
         kernels::IntWinogradWeightBytes(s, format) == 0;
}

// Whatever the input.
size_t MatrixScratchBytes(const Conv2dShape& s, IntFormat format, int threads) {
  if (IsNarrow(s, format))
    return kernels::IntNarrowConvScratchBytes(s, format, threads);
  const size_t plain = kernels::IntConv2dScratchBytes(s, format, threads);
  return kernels::IsIntWinograd(s, format, ElementType::kInt8)
             ? std::max(plain, kernels::IntWinogradScratchBytes(s, threads))
             : plain;
}

void RunMatrix(const IntRun& run) {
  const Conv2dShape& s = run.shape;
  const void* const other =
      static_cast<const uint8_t*>(run.weights) + PlainBytes(s, run.format);
  if (kernels::IsIntWinograd(s, run.format, run.in.type)) {
    kernels::IntWinogradConv2d(s, run.in, other, run.image_scales, run.epilogue,
                               run.scratch, run.pool);
  } else if (IsNarrow(s, run.format)) {
    kernels::IntNarrowConv(s, run.in, run.format, other, run.image_scales,
                           run.epilogue, run.scratch, run.pool);
  } else {
    kernels::IntConv2d(s, run.in,
                       kernels::IntConv2dWeightsAt(s, run.format, run.weights),
                       run.image_scales, kernels::DenseStrides(s), run.epilogue,
                       run.scratch, run.pool);
  }
}

void RunReferenceMatrix(const IntRun& run) {
  kernels::reference::IntConv2d(run.shape, run.centered,
                                static_cast<const int16_t*>(run.weights),
                                run.image_scales, run.epilogue);
}

}  // namespace

const IntEngine kIntMatrixEngine = {MatrixBytes, PackBoth, MatrixScratchBytes,
                                    RunMatrix, RunReferenceMatrix};

}  // namespace munja::ops
