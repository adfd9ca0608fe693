#include "ops/support/linear/product.h"

#include "kernels/gemm/half_gemm.h"

namespace munja::ops {

namespace {

kernels::Product ProductOf(const NodeInfo& info, int input,
                           int32_t least_channels) {
  const graph::Value* value = info.input(input);
  if (!info.options().reduced_precision || info.options().reference_kernels ||
      value == nullptr)
    return kernels::Product::kFloat32;
  if (value->has_shape && value->shape.rank() == 4) {
    const Shape& shape = value->shape;
    if (shape[3] != kDynamic && shape[3] < least_channels)
      return kernels::Product::kFloat32;
    if (shape[1] == 1 && shape[2] == 1) return kernels::Product::kFloat32;
  }
  return kernels::Product::kHalf;
}

}  // namespace

kernels::Product ProductOf(const NodeInfo& info, int input) {
  constexpr int32_t kPictureChannels = 4;
  return ProductOf(info, input, kPictureChannels + 1);
}

kernels::Product PictureProductOf(const NodeInfo& info, int input) {
  return ProductOf(info, input, 1);
}

bool HasReducedPrecision() {
  return kernels::HalfTypeInUse() != ElementType::kFloat32;
}

}  // namespace munja::ops
