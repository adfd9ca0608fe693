#include "ops/support/operands.h"

#include <algorithm>
#include <limits>
#include <string>

namespace munja::ops {
namespace {

template <class T>
std::vector<int64_t> Widen(const TensorView& view, size_t count) {
  const T* data = view.as<T>();
  return count == 0 ? std::vector<int64_t>()
                    : std::vector<int64_t>(data, data + count);
}

}  // namespace

Status CheckType(const TensorView& view, std::string_view what,
                 std::initializer_list<ElementType> types) {
  if (std::find(types.begin(), types.end(), view.type) != types.end())
    return Status();
  std::string message(what);
  message += std::string(" is ") + ElementTypeName(view.type) + ", supported ";
  message += types.size() == 1 ? "is only" : "are";
  const char* separator = " ";
  for (const ElementType type : types) {
    message += separator;
    message += ElementTypeName(type);
    separator = ", ";
  }
  return Unsupported(message);
}

Status CheckSameType(const TensorView& a, const TensorView& b) {
  if (a.type == b.type) return Status();
  return Malformed(std::string("mixes ") + ElementTypeName(a.type) + " and " +
                   ElementTypeName(b.type));
}

Result<size_t> MovableSize(const TensorView& view) {
  const size_t size = ElementSize(view.type);
  if (size == 0)
    return Unsupported(std::string("does not move elements of type ") +
                       ElementTypeName(view.type));
  return size;
}

bool SameQuantization(const TensorView& a, const TensorView& b) {
  const bool a_has = a.quantization && a.quantization->is_quantized();
  const bool b_has = b.quantization && b.quantization->is_quantized();
  if (!a_has || !b_has) return a_has == b_has;
  return a.quantization->scales == b.quantization->scales &&
         a.zero_point() == b.zero_point();
}

Result<std::vector<int64_t>> KnownIntegers(const PrepareContext& context, int i,
                                           std::string_view what) {
  const TensorView& view = context.input(i);
  const auto count =
      static_cast<size_t>(std::max<int64_t>(0, view.shape.elements()));
  if (view.data == nullptr && count != 0) {
    return NeedsValues("the " + std::string(what) +
                       " is not known before the run");
  }
  switch (view.type) {
    case ElementType::kInt8:
      return Widen<int8_t>(view, count);
    case ElementType::kInt16:
      return Widen<int16_t>(view, count);
    case ElementType::kInt32:
      return Widen<int32_t>(view, count);
    case ElementType::kInt64:
      return Widen<int64_t>(view, count);
    default:
      return Malformed("the " + std::string(what) + " is " +
                       ElementTypeName(view.type) + ", not an integer");
  }
}

Result<std::vector<int64_t>> KnownIntegers(const PrepareContext& context, int i,
                                           std::string_view what,
                                           size_t count) {
  MUNJA_ASSIGN_OR_RETURN(std::vector<int64_t> values,
                         KnownIntegers(context, i, what));
  if (values.size() != count) {
    return Malformed("the " + std::string(what) + " has " +
                     std::to_string(values.size()) + " numbers, wants " +
                     std::to_string(count));
  }
  return values;
}

Result<int> NormalizeAxis(int64_t axis, int rank) {
  if (axis < -rank || axis >= rank) {
    return Malformed("axis " + std::to_string(axis) +
                     " does not exist in a tensor of rank " +
                     std::to_string(rank));
  }
  return static_cast<int>(axis < 0 ? axis + rank : axis);
}

Result<int32_t> CheckDim(int64_t dim) {
  if (dim < 0 || dim > std::numeric_limits<int32_t>::max()) {
    return Malformed("a dimension of the output would be " +
                     std::to_string(dim));
  }
  return static_cast<int32_t>(dim);
}

Result<Shape> CheckShape(const std::vector<int64_t>& dims) {
  if (dims.size() > kMaxRank) {
    return Unsupported("the output would have " + std::to_string(dims.size()) +
                       " dimensions, supported are " +
                       std::to_string(kMaxRank));
  }
  Shape shape;
  for (const int64_t dim : dims) {
    MUNJA_ASSIGN_OR_RETURN(const int32_t checked, CheckDim(dim));
    shape.Append(checked);
  }
  return shape;
}

std::vector<int64_t> Strides(const Shape& shape) {
  std::vector<int64_t> strides(static_cast<size_t>(shape.rank()), 1);
  for (int i = shape.rank() - 2; i >= 0; --i) {
    // Only in a tensor without elements, where no stride is ever used.
    if (__builtin_mul_overflow(strides[i + 1], int64_t{shape[i + 1]},
                               &strides[i]))
      strides[i] = strides[i + 1];
  }
  return strides;
}

}  // namespace munja::ops
