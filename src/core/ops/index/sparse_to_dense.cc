// SPARSE_TO_DENSE: values at indices, the default everywhere else.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>

#include "ops/op.h"
#include "ops/support/operands.h"

namespace munja::ops::sparse_to_dense {
namespace {

struct SparseState : State {
  int64_t count = 1;  // Number of indices.
  int depth = 1;      // Numbers in an index: the rank of the output.
};

class SparseToDenseKernel final : public Kernel {
 public:
  Status Prepare(PrepareContext& context) const override {
    const TensorView& indices = context.input(0);
    const TensorView& values = context.input(2);
    const TensorView& otherwise = context.input(3);
    MUNJA_RETURN_IF_ERROR(CheckType(
        indices, "the index list", {ElementType::kInt32, ElementType::kInt64}));
    MUNJA_RETURN_IF_ERROR(CheckSameType(values, otherwise));
    MUNJA_RETURN_IF_ERROR(CheckSameType(values, context.output(0)));
    MUNJA_RETURN_IF_ERROR(MovableSize(values).TakeStatus());
    MUNJA_ASSIGN_OR_RETURN(const std::vector<int64_t> dims,
                           KnownIntegers(context, 1, "output shape"));
    MUNJA_ASSIGN_OR_RETURN(const Shape out, CheckShape(dims));
    const Shape& is = indices.shape;
    auto state = std::make_unique<SparseState>();
    if (is.rank() > 0) state->count = is[0];
    if (is.rank() == 2) state->depth = is[1];
    if (is.rank() > 2 || state->depth != out.rank())
      return Malformed("indices of shape " + is.ToString() +
                       " do not fit a tensor of " + out.ToString());
    if (otherwise.shape.elements() != 1)
      return Malformed("the default is no scalar");
    if (values.shape.rank() > 1 ||
        (values.shape.rank() == 1 && values.shape[0] != state->count))
      return Malformed("has " + std::to_string(state->count) +
                       " indices for values of shape " +
                       values.shape.ToString());
    context.SetState(std::move(state));
    return context.SetOutputShape(0, out);
  }

  Status Eval(EvalContext& context) const override {
    return context.input(0).type == ElementType::kInt32 ? Run<int32_t>(context)
                                                        : Run<int64_t>(context);
  }

 private:
  template <class Index>
  static Status Run(EvalContext& context) {
    const auto& s = *static_cast<const SparseState*>(context.state());
    const TensorView& values = context.input(2);
    const Shape& shape = context.output(0).shape;
    const size_t size = ElementSize(values.type);
    auto* const out = context.output(0).mutable_as<uint8_t>();
    for (int64_t i = 0; i < shape.elements(); ++i)
      std::memcpy(out + static_cast<size_t>(i) * size, context.input(3).data,
                  size);
    const Index* index = context.input(0).as<Index>();
    for (int64_t i = 0; i < s.count; ++i, index += s.depth) {
      int64_t at = 0;
      for (int d = 0; d < s.depth; ++d) {
        if (index[d] < 0 || index[d] >= shape[d]) {
          return InvalidArgument("index " + std::to_string(index[d]) +
                                 " is outside a dimension of " +
                                 std::to_string(shape[d]));
        }
        at = at * shape[d] + index[d];
      }
      const int64_t from = values.shape.rank() == 0 ? 0 : i;
      std::memcpy(out + static_cast<size_t>(at) * size,
                  values.as<uint8_t>() + static_cast<size_t>(from) * size,
                  size);
    }
    return Status();
  }
};

}  // namespace

Result<std::unique_ptr<Kernel>> Make(const NodeInfo& info) {
  MUNJA_RETURN_IF_ERROR(info.CheckArity(4, 4, 1));
  return std::unique_ptr<Kernel>(std::make_unique<SparseToDenseKernel>());
}

}  // namespace munja::ops::sparse_to_dense
