// GATHER_ND: slices by tuples of indices.
#include <algorithm>
#include <array>
#include <cstring>
#include <string>

#include "ops/op.h"
#include "ops/support/by_type.h"
#include "ops/support/operands.h"

namespace munja::ops::gather_nd {
namespace {

struct GatherNdState : State {
  size_t tuples = 1;
  int depth = 0;                                    // Indices in a tuple.
  size_t slice = 1;                                 // Bytes that a tuple names.
  std::array<int64_t, kMaxRank> dims{}, strides{};  // Strides in slices.
};

class GatherNdKernel final : public Kernel {
 public:
  Status Prepare(PrepareContext& context) const override {
    const TensorView& params = context.input(0);
    const TensorView& indices = context.input(1);
    MUNJA_RETURN_IF_ERROR(CheckSameType(params, context.output(0)));
    MUNJA_ASSIGN_OR_RETURN(const size_t size, MovableSize(params));
    MUNJA_RETURN_IF_ERROR(CheckType(
        indices, "the index list",
        {ElementType::kInt16, ElementType::kInt32, ElementType::kInt64}));
    const Shape& ps = params.shape;
    const Shape& is = indices.shape;
    if (is.rank() < 1 || is.back() > ps.rank()) {
      return Malformed("indices of " + is.ToString() +
                       " do not fit a tensor of " + ps.ToString());
    }
    auto state = std::make_unique<GatherNdState>();
    state->depth = is.back();
    std::vector<int64_t> out;
    for (int i = 0; i + 1 < is.rank(); ++i) {
      state->tuples *= static_cast<size_t>(is[i]);
      out.push_back(is[i]);
    }
    state->slice = size;
    for (int i = state->depth; i < ps.rank(); ++i) {
      state->slice *= static_cast<size_t>(ps[i]);
      out.push_back(ps[i]);
    }
    int64_t stride = 1;
    for (int i = state->depth - 1; i >= 0; --i) {
      state->dims[i] = ps[i];
      state->strides[i] = stride;
      stride *= ps[i];
    }
    context.SetState(std::move(state));
    MUNJA_ASSIGN_OR_RETURN(const Shape shape, CheckShape(out));
    return context.SetOutputShape(0, shape);
  }

  Status Eval(EvalContext& context) const override {
    return ByType<int16_t, int32_t, int64_t>(
        context.input(1).type, [&]<class T>() { return Run<T>(context); });
  }

 private:
  template <class T>
  static Status Run(EvalContext& context) {
    const auto& s = *static_cast<const GatherNdState*>(context.state());
    const T* index = context.input(1).as<T>();
    const auto* params = context.input(0).as<uint8_t>();
    auto* out = context.output(0).mutable_as<uint8_t>();
    for (size_t t = 0; t < s.tuples; ++t, index += s.depth) {
      int64_t at = 0;
      for (int i = 0; i < s.depth; ++i) {
        if (index[i] < 0 || index[i] >= s.dims[i]) {
          return InvalidArgument("index " + std::to_string(index[i]) +
                                 " is outside a dimension of " +
                                 std::to_string(s.dims[i]));
        }
        at += index[i] * s.strides[i];
      }
      if (s.slice == 0) continue;
      std::memcpy(out + t * s.slice, params + static_cast<size_t>(at) * s.slice,
                  s.slice);
    }
    return Status();
  }
};

}  // namespace

Result<std::unique_ptr<Kernel>> Make(const NodeInfo& info) {
  MUNJA_RETURN_IF_ERROR(info.CheckArity(2, 2, 1));
  return std::unique_ptr<Kernel>(std::make_unique<GatherNdKernel>());
}

}  // namespace munja::ops::gather_nd
