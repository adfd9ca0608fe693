// ONE_HOT: a new dimension of `depth`, on where the index says.
#include <cstring>

#include "ops/op.h"
#include "ops/support/operands.h"

namespace munja::ops::one_hot {
namespace {

struct OneHotState : State {
  int64_t outer = 1, depth = 1, inner = 1;
  size_t size = 1;
};

class OneHotKernel final : public Kernel {
 public:
  explicit OneHotKernel(int64_t axis) : axis_(axis) {}

  Status Prepare(PrepareContext& context) const override {
    const TensorView& indices = context.input(0);
    const TensorView& on = context.input(2);
    const TensorView& off = context.input(3);
    MUNJA_RETURN_IF_ERROR(CheckType(
        indices, "the index list", {ElementType::kInt32, ElementType::kInt64}));
    MUNJA_RETURN_IF_ERROR(CheckSameType(on, off));
    MUNJA_RETURN_IF_ERROR(CheckSameType(on, context.output(0)));
    if (on.shape.elements() != 1 || off.shape.elements() != 1)
      return Malformed("the values for on and off are not scalars");
    auto state = std::make_unique<OneHotState>();
    MUNJA_ASSIGN_OR_RETURN(state->size, MovableSize(on));
    MUNJA_ASSIGN_OR_RETURN(const std::vector<int64_t> depth,
                           KnownIntegers(context, 1, "depth", 1));
    state->depth = depth[0];
    const int rank = indices.shape.rank();
    MUNJA_ASSIGN_OR_RETURN(const int axis, NormalizeAxis(axis_, rank + 1));
    std::vector<int64_t> dims;
    for (int i = 0; i <= rank; ++i) {
      if (i == axis) dims.push_back(depth[0]);
      if (i == rank) break;
      dims.push_back(indices.shape[i]);
      (i < axis ? state->outer : state->inner) *= indices.shape[i];
    }
    MUNJA_ASSIGN_OR_RETURN(const Shape out, CheckShape(dims));
    context.SetState(std::move(state));
    return context.SetOutputShape(0, out);
  }

  Status Eval(EvalContext& context) const override {
    if (context.input(0).type == ElementType::kInt32) {
      Run<int32_t>(context);
    } else {
      Run<int64_t>(context);
    }
    return Status();
  }

 private:
  template <class T>
  static void Run(EvalContext& context) {
    const auto& s = *static_cast<const OneHotState*>(context.state());
    const T* indices = context.input(0).as<T>();
    const void* on = context.input(2).data;
    const void* off = context.input(3).data;
    auto* out = context.output(0).mutable_as<uint8_t>();
    for (int64_t o = 0; o < s.outer; ++o) {
      for (int64_t d = 0; d < s.depth; ++d) {
        for (int64_t i = 0; i < s.inner; ++i, out += s.size) {
          const bool hit = indices[o * s.inner + i] == d;
          std::memcpy(out, hit ? on : off, s.size);
        }
      }
    }
  }

  int64_t axis_;
};

}  // namespace

Result<std::unique_ptr<Kernel>> Make(const NodeInfo& info) {
  MUNJA_RETURN_IF_ERROR(info.CheckArity(4, 4, 1));
  MUNJA_ASSIGN_OR_RETURN(const int64_t axis, info.attributes().Int("axis", -1));
  return std::unique_ptr<Kernel>(std::make_unique<OneHotKernel>(axis));
}

}  // namespace munja::ops::one_hot
