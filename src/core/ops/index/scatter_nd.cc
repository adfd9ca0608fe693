// SCATTER_ND: adds slices of the updates into zeros, at tuples of indices.
#include <array>
#include <cstdint>
#include <cstring>
#include <string>

#include "ops/op.h"
#include "ops/support/operands.h"

namespace munja::ops::scatter_nd {
namespace {

struct ScatterState : State {
  int64_t tuples = 1;
  int depth = 0;      // Indices in a tuple.
  int64_t slice = 1;  // Elements that a tuple names.
  std::array<int64_t, kMaxRank> dims{};
};

class ScatterNdKernel final : public Kernel {
 public:
  Status Prepare(PrepareContext& context) const override {
    const TensorView& indices = context.input(0);
    const TensorView& updates = context.input(1);
    MUNJA_RETURN_IF_ERROR(
        CheckType(indices, "the index list", {ElementType::kInt32}));
    MUNJA_RETURN_IF_ERROR(CheckType(
        updates, "the update",
        {ElementType::kFloat32, ElementType::kInt8, ElementType::kUInt8,
         ElementType::kInt32, ElementType::kInt64, ElementType::kBool}));
    MUNJA_RETURN_IF_ERROR(CheckSameType(updates, context.output(0)));
    MUNJA_ASSIGN_OR_RETURN(const std::vector<int64_t> dims,
                           KnownIntegers(context, 2, "output shape"));
    MUNJA_ASSIGN_OR_RETURN(const Shape out, CheckShape(dims));
    const Shape& is = indices.shape;
    if (is.rank() < 1 || is.back() > out.rank())
      return Malformed("indices of " + is.ToString() +
                       " do not fit a tensor of " + out.ToString());
    auto state = std::make_unique<ScatterState>();
    state->depth = is.back();
    Shape want;
    for (int i = 0; i + 1 < is.rank(); ++i) {
      want.Append(is[i]);
      state->tuples *= is[i];
    }
    for (int i = 0; i < state->depth; ++i) state->dims[i] = out[i];
    for (int i = state->depth; i < out.rank(); ++i) {
      if (want.rank() == kMaxRank) return Malformed("has too many dimensions");
      want.Append(out[i]);
    }
    if (updates.shape != want) {
      return Malformed("has updates of " + updates.shape.ToString() +
                       ", wants " + want.ToString());
    }
    state->slice = out.elements(state->depth, out.rank());
    context.SetState(std::move(state));
    return context.SetOutputShape(0, out);
  }

  Status Eval(EvalContext& context) const override {
    switch (context.input(1).type) {
      case ElementType::kFloat32:
        return Run<float>(context);
      case ElementType::kInt32:
        return Run<uint32_t>(context);
      case ElementType::kInt64:
        return Run<uint64_t>(context);
      case ElementType::kBool:
        return Run<uint8_t, true>(context);
      default:
        return Run<uint8_t>(context);
    }
  }

 private:
  // Integers wrap; the sum of truths is true if one of them is.
  template <class T, bool kIsBool = false>
  static Status Run(EvalContext& context) {
    const auto& s = *static_cast<const ScatterState*>(context.state());
    const TensorView& output = context.output(0);
    if (output.bytes > 0) std::memset(output.data, 0, output.bytes);
    const int32_t* index = context.input(0).as<int32_t>();
    const T* update = context.input(1).as<T>();
    T* out = output.mutable_as<T>();
    for (int64_t t = 0; t < s.tuples; ++t, index += s.depth) {
      int64_t at = 0;
      for (int i = 0; i < s.depth; ++i) {
        if (index[i] < 0 || index[i] >= s.dims[i]) {
          return InvalidArgument("index " + std::to_string(index[i]) +
                                 " is outside a dimension of " +
                                 std::to_string(s.dims[i]));
        }
        at = at * s.dims[i] + index[i];
      }
      for (int64_t i = 0; i < s.slice; ++i, ++update) {
        T& to = out[at * s.slice + i];
        if constexpr (kIsBool)
          to = to != 0 || *update != 0;
        else
          to = static_cast<T>(to + *update);
      }
    }
    return Status();
  }
};

}  // namespace

Result<std::unique_ptr<Kernel>> Make(const NodeInfo& info) {
  MUNJA_RETURN_IF_ERROR(info.CheckArity(3, 3, 1));
  return std::unique_ptr<Kernel>(std::make_unique<ScatterNdKernel>());
}

}  // namespace munja::ops::scatter_nd
