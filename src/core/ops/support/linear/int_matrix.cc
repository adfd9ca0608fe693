// Integer products by im2col: CONV_2D, and FULLY_CONNECTED as a convolution of
// images of one pixel.
#include "base/buffer.h"
#include "kernels/conv/int_conv_2d.h"
#include "kernels/conv/int_narrow_conv.h"
#include "ops/support/linear/int_linear.h"

namespace munja::ops {
namespace {

using kernels::Conv2dShape;
using kernels::IntFormat;

// With few channels the weights are packed both ways: the input decides which
// packing is used.
size_t PlainBytes(const Conv2dShape& s, IntFormat format) {
  return RoundUp(kernels::IntConv2dWeightBytes(s, format), kBufferAlignment);
}

size_t MatrixBytes(const Conv2dShape& s, IntFormat format) {
  return PlainBytes(s, format) + kernels::IntNarrowConvWeightBytes(s, format);
}

void PackBoth(const int16_t* weights, const Conv2dShape& s, IntFormat format,
              void* packed) {
  kernels::PackIntConv2d(weights, s, format, packed);
  if (kernels::IntNarrowConvWeightBytes(s, format) == 0) return;
  kernels::PackIntNarrowConv(
      weights, s, format,
      static_cast<uint8_t*>(packed) + PlainBytes(s, format));
}

size_t MatrixScratchBytes(const Conv2dShape& s, IntFormat format, int threads) {
  return kernels::IsIntNarrowConv(s)
             ? kernels::IntNarrowConvScratchBytes(s, format, threads)
             : kernels::IntConv2dScratchBytes(s, format, threads);
}

void RunMatrix(const IntRun& run) {
  const Conv2dShape& s = run.shape;
  if (kernels::IsIntNarrowConv(s)) {
    kernels::IntNarrowConv(
        s, run.in, run.format,
        static_cast<const uint8_t*>(run.weights) + PlainBytes(s, run.format),
        run.image_scales, run.epilogue, run.scratch, run.pool);
    return;
  }
  kernels::IntConv2d(s, run.in,
                     kernels::IntConv2dWeightsAt(s, run.format, run.weights),
                     run.image_scales, kernels::DenseStrides(s), run.epilogue,
                     run.scratch, run.pool);
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
