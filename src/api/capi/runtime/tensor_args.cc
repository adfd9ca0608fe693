#include "capi/runtime/tensor_args.h"

#include <string>

namespace munja::capi {

static_assert(MUNJA_MAX_RANK == kMaxRank);

Result<std::vector<TensorView>> ViewsOf(std::span<const munja_tensor> tensors) {
  std::vector<TensorView> views;
  for (size_t i = 0; i < tensors.size(); ++i) {
    const munja_tensor& t = tensors[i];
    const std::string where = "tensor " + std::to_string(i);
    if (t.rank < 0 || t.rank > MUNJA_MAX_RANK)
      return InvalidArgument(where + ": its rank must be 0 to 8");
    if (!IsKnownElementType(t.type))
      return InvalidArgument(where + ": its type is unknown");
    TensorView view;
    view.type = static_cast<ElementType>(t.type);
    for (int32_t d = 0; d < t.rank; ++d) {
      if (t.dims[d] < 0)
        return InvalidArgument(where + ": dimension " + std::to_string(d) +
                               " is negative");
      view.shape.Append(t.dims[d]);
    }
    const int64_t elements = view.shape.elements();
    if (elements < 0) return InvalidArgument(where + ": it is too large");
    // Strings have no fixed size; their readers check them.
    if (t.data != nullptr && view.type != ElementType::kString &&
        t.bytes != static_cast<size_t>(elements) * ElementSize(view.type))
      return InvalidArgument(where + ": its shape needs " +
                             std::to_string(static_cast<size_t>(elements) *
                                            ElementSize(view.type)) +
                             " bytes, not " + std::to_string(t.bytes));
    view.data = t.data;
    view.bytes = t.bytes;
    views.push_back(view);
  }
  return views;
}

munja_tensor TensorOf(const TensorView& view) {
  munja_tensor t = {};
  t.type = static_cast<munja_element_type>(view.type);
  CopyShape(view.shape, &t.rank, t.dims);
  t.data = view.data;
  t.bytes = view.bytes;
  return t;
}

void CopyShape(const Shape& shape, int32_t* rank, int32_t* dims) {
  *rank = shape.rank();
  for (int i = 0; i < shape.rank(); ++i) dims[i] = shape[i];
}

}  // namespace munja::capi
