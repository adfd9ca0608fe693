// GATHER: slices along an axis, by index.
#include <algorithm>
#include <cstring>
#include <string>

#include "ops/op.h"
#include "ops/support/by_type.h"
#include "ops/support/half_adapter.h"
#include "ops/support/operands.h"

namespace munja::ops::gather {
namespace {

// params [batch, outer, axis, inner], indices [batch, count],
// out [batch, outer, count, inner]; inner in bytes.
struct GatherState : State {
  size_t batch = 1, outer = 1, axis = 1, inner = 1, count = 1;
};

class GatherKernel final : public Kernel {
 public:
  GatherKernel(int64_t axis, int64_t batch_dims)
      : axis_(axis), batch_dims_(batch_dims) {}

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
    MUNJA_ASSIGN_OR_RETURN(const int axis, NormalizeAxis(axis_, ps.rank()));
    const int64_t batch =
        batch_dims_ < 0 ? batch_dims_ + is.rank() : batch_dims_;
    if (batch < 0 || batch > is.rank() || batch > axis)
      return Malformed("batch_dims is " + std::to_string(batch_dims_));
    auto state = std::make_unique<GatherState>();
    std::vector<int64_t> out;
    for (int i = 0; i < axis; ++i) {
      if (i < batch) {
        if (ps[i] != is[i]) {
          return Malformed("the batches of " + ps.ToString() + " and " +
                           is.ToString() + " differ");
        }
        state->batch *= static_cast<size_t>(ps[i]);
      } else {
        state->outer *= static_cast<size_t>(ps[i]);
      }
      out.push_back(ps[i]);
    }
    state->axis = static_cast<size_t>(ps[axis]);
    for (int i = static_cast<int>(batch); i < is.rank(); ++i) {
      state->count *= static_cast<size_t>(is[i]);
      out.push_back(is[i]);
    }
    state->inner = size;
    for (int i = axis + 1; i < ps.rank(); ++i) {
      state->inner *= static_cast<size_t>(ps[i]);
      out.push_back(ps[i]);
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
    const auto& s = *static_cast<const GatherState*>(context.state());
    const T* indices = context.input(1).as<T>();
    const size_t total = s.batch * s.count;
    for (size_t i = 0; i < total; ++i) {
      if (indices[i] < 0 || static_cast<size_t>(indices[i]) >= s.axis) {
        return InvalidArgument("index " + std::to_string(indices[i]) +
                               " is outside a dimension of " +
                               std::to_string(s.axis));
      }
    }
    const auto* params = context.input(0).as<uint8_t>();
    auto* out = context.output(0).mutable_as<uint8_t>();
    if (context.output(0).shape.elements() == 0) return Status();
    const size_t grain = std::max<size_t>(1, (size_t{1} << 16) / s.inner);
    context.pool().ParallelFor(
        s.batch * s.outer * s.count, grain, [&](size_t begin, size_t end, int) {
          for (size_t i = begin; i < end; ++i) {
            const size_t slab = i / s.count;
            const auto index = static_cast<size_t>(
                indices[slab / s.outer * s.count + i % s.count]);
            std::memcpy(out + i * s.inner,
                        params + (slab * s.axis + index) * s.inner, s.inner);
          }
        });
    return Status();
  }

  int64_t axis_, batch_dims_;
};

}  // namespace

Result<std::unique_ptr<Kernel>> Make(const NodeInfo& info) {
  MUNJA_RETURN_IF_ERROR(info.CheckArity(2, 2, 1));
  MUNJA_ASSIGN_OR_RETURN(const int64_t axis, info.attributes().Int("axis", 0));
  MUNJA_ASSIGN_OR_RETURN(const int64_t batch,
                         info.attributes().Int("batch_dims", 0));
  return OnNibbles(info, std::make_unique<GatherKernel>(axis, batch));
}

}  // namespace munja::ops::gather
