// Checks and parameters of quantized operands.
#ifndef MUNJA_OPS_SUPPORT_QUANTIZED_QUANTIZED_H_
#define MUNJA_OPS_SUPPORT_QUANTIZED_QUANTIZED_H_

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/status.h"
#include "kernels/elementwise/activation.h"
#include "ops/op.h"
#include "tensor/element_type.h"
#include "tensor/view.h"

namespace munja::ops {

// real = scale * (stored - zero) for a whole tensor.
struct Affine {
  float scale = 1.0f;
  int32_t zero = 0;
};

// Quantized values, both ends included.
struct StoredRange {
  int32_t low = 0, high = 0;
};

// int8, uint8 and int16: the types of quantized activations.
bool IsQuantizedType(ElementType type);
// Whether input 0 holds quantized values: int8 and uint8 always, int16 when it
// has a scale (without one it holds plain integers).
bool TakesQuantized(const NodeInfo& info);
StoredRange RangeOf(ElementType type);

// The scale of a tensor of such a type. kMalformed "the input has no scale"
// without one, for scales that are not positive and finite, zero points
// outside of the type or, for int16, other than 0; kUnsupported with a scale
// for each index of an axis.
Result<Affine> PerTensor(const TensorView& view, std::string_view what);
// The same where an int16 may have any zero point: what SOFTMAX makes of 8 bits
// has the least.
Result<Affine> PerTensorWithAnyZero(const TensorView& view,
                                    std::string_view what);

// The exponent when the scale is a power of two, or within a thousandth of the
// logarithm of one: some forms on int16 exist for such scales only.
std::optional<int> PowerOfTwo(float scale);

// The quantized values that a fused activation lets through, within the type.
// Only NONE and the members of the RELU family; kUnsupported for others.
Result<StoredRange> ActivationRange(kernels::ActivationKind kind,
                                    const Affine& output, ElementType type);

}  // namespace munja::ops

#endif  // MUNJA_OPS_SUPPORT_QUANTIZED_QUANTIZED_H_
