// Checks and readings of operands that many operators share.
#ifndef MUNJA_OPS_SUPPORT_OPERANDS_H_
#define MUNJA_OPS_SUPPORT_OPERANDS_H_

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "ops/op.h"
#include "tensor/shape.h"
#include "tensor/view.h"

namespace munja::ops {

// kUnsupported "the input is int8, which ..." unless the type is listed.
Status CheckType(const TensorView& view, std::string_view what,
                 std::initializer_list<ElementType> types);
// kMalformed unless both have the same type.
Status CheckSameType(const TensorView& a, const TensorView& b);
// Bytes of an element of something that is only moved; kUnsupported for types
// without a fixed size.
Result<size_t> MovableSize(const TensorView& view);
// Both not quantized, or alike.
bool SameQuantization(const TensorView& a, const TensorView& b);

// The integers (any width) of input i, which must be known before the run.
// kNeedsValues "the output size is not known before the run", with `what` in
// place of "output size"; kMalformed for other types.
Result<std::vector<int64_t>> KnownIntegers(const PrepareContext& context, int i,
                                           std::string_view what);
// The same, when there must be `count` of them.
Result<std::vector<int64_t>> KnownIntegers(const PrepareContext& context, int i,
                                           std::string_view what, size_t count);

// axis, or axis + rank if it is negative; kMalformed unless in [-rank, rank).
Result<int> NormalizeAxis(int64_t axis, int rank);

// A dimension of an output: kMalformed unless in [0, 2^31).
Result<int32_t> CheckDim(int64_t dim);
// All of them, at most kMaxRank (kUnsupported).
Result<Shape> CheckShape(const std::vector<int64_t>& dims);

// Row-major strides in elements.
std::vector<int64_t> Strides(const Shape& shape);

}  // namespace munja::ops

#endif  // MUNJA_OPS_SUPPORT_OPERANDS_H_
