// Compute type of a node with constant weights.
#ifndef MUNJA_OPS_SUPPORT_LINEAR_PRODUCT_H_
#define MUNJA_OPS_SUPPORT_LINEAR_PRODUCT_H_

#include "kernels/gemm/gemm.h"
#include "ops/op.h"

namespace munja::ops {

// kHalf where the session asks for reduced precision, except for inputs of so
// few channels that they are pixels of an image, of which 8 bits count, and
// for gates (images of one pixel), where it would save nothing. `input` is the
// number of the left operand.
kernels::Product ProductOf(const NodeInfo& info, int input);
// The same for convolutions, which are fast with images, too: a rounded pixel
// is off by less than half a level of 256.
kernels::Product PictureProductOf(const NodeInfo& info, int input);

// This CPU has them.
bool HasReducedPrecision();

}  // namespace munja::ops

#endif  // MUNJA_OPS_SUPPORT_LINEAR_PRODUCT_H_
