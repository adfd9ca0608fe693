// Sizes of convolutions and fully connected layers, whatever their types.
#ifndef MUNJA_OPS_SUPPORT_LINEAR_LINEAR_SHAPE_H_
#define MUNJA_OPS_SUPPORT_LINEAR_LINEAR_SHAPE_H_

#include <cstdint>

#include "base/status.h"
#include "kernels/conv/conv_2d.h"
#include "ops/op.h"
#include "ops/support/window.h"
#include "tensor/shape.h"

namespace munja::ops {

// Weights [out_c, kernel_h, kernel_w, in_c / groups]: kMalformed unless they
// have four dimensions, none of them 0, and divide the channels into groups.
Result<kernels::Conv2dShape> PlaceConv2d(const Window& window, const Shape& in,
                                         const Shape& weights);
// Weights [1, kernel_h, kernel_w, out_c], out_c a multiple of the input's
// channels.
Result<kernels::Conv2dShape> PlaceDepthwise(const Window& window,
                                            const Shape& in,
                                            const Shape& weights);
// A transposed convolution whose output has the four sizes in `output_shape`
// (kUnsupported when they are not known yet), weights [out_c, kernel_h,
// kernel_w, in_c]. The shape reads as that of kernels::TransposeConv.
Result<kernels::Conv2dShape> PlaceTransposeConv(const Window& window,
                                                const TensorView& output_shape,
                                                const Shape& in,
                                                const Shape& weights);
// For constant weights of CONV_2D when the kernel is made: their sizes, and
// what the window specifies, in a shape of which nothing else is set. Input
// `in` says how many groups there are.
Result<kernels::Conv2dShape> Conv2dWeightSizes(const NodeInfo& info, int in,
                                               const Window& window,
                                               const Shape& weights);

// [batch, out_h, out_w, out_c].
Shape OutputShape(const kernels::Conv2dShape& shape);

// Rows of k inputs times weights [units, k]: the output is [rows, units], or
// with keep_dims the input's shape with units as its last dimension.
Result<Shape> FullyConnectedOutput(const Shape& in, const Shape& weights,
                                   bool keep_dims);

// kMalformed unless the bias, if there is one, has `channels` numbers.
Status CheckBiasShape(const PrepareContext& context, int i, int64_t channels);

}  // namespace munja::ops

#endif  // MUNJA_OPS_SUPPORT_LINEAR_LINEAR_SHAPE_H_
