// DYNAMIC_UPDATE_SLICE: the operand with a part replaced by the update. Where
// it would reach beyond the operand, the start moves.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include "ops/op.h"
#include "ops/support/operands.h"

namespace munja::ops::dynamic_update_slice {
namespace {

class DynamicUpdateSliceKernel final : public Kernel {
 public:
  Status Prepare(PrepareContext& context) const override {
    const TensorView& operand = context.input(0);
    const TensorView& update = context.input(1);
    const TensorView& start = context.input(2);
    MUNJA_RETURN_IF_ERROR(CheckSameType(operand, update));
    MUNJA_RETURN_IF_ERROR(CheckSameType(operand, context.output(0)));
    MUNJA_RETURN_IF_ERROR(MovableSize(operand).TakeStatus());
    MUNJA_RETURN_IF_ERROR(CheckType(
        start, "the start", {ElementType::kInt32, ElementType::kInt64}));
    const Shape& shape = operand.shape;
    bool fits = update.shape.rank() == shape.rank() &&
                start.shape == Shape{shape.rank()};
    for (int i = 0; fits && i < shape.rank(); ++i)
      fits = update.shape[i] <= shape[i];
    if (!fits)
      return Malformed("an update of shape " + update.shape.ToString() +
                       " with a start of shape " + start.shape.ToString() +
                       " does not fit " + shape.ToString());
    context.AllowInPlace(0, 0);
    return context.SetOutputShape(0, shape);
  }

  Status Eval(EvalContext& context) const override {
    const TensorView& operand = context.input(0);
    const TensorView& update = context.input(1);
    const TensorView& out = context.output(0);
    if (out.data != operand.data && out.bytes > 0)
      std::memcpy(out.data, operand.data, out.bytes);
    if (update.bytes == 0) return Status();
    const int rank = out.shape.rank();
    const size_t size = ElementSize(out.type);
    std::array<int64_t, kMaxRank> start{}, at{};
    for (int d = 0; d < rank; ++d)
      start[d] = std::clamp<int64_t>(StartOf(context.input(2), d), 0,
                                     out.shape[d] - update.shape[d]);
    // Runs of the last dimension.
    const int64_t run = rank == 0 ? 1 : update.shape.back();
    const int64_t runs = update.shape.elements() / run;
    const size_t bytes = static_cast<size_t>(run) * size;
    const auto* from = update.as<uint8_t>();
    for (int64_t r = 0; r < runs; ++r, from += bytes) {
      int64_t to = 0;
      for (int d = 0; d < rank; ++d) to = to * out.shape[d] + start[d] + at[d];
      std::memcpy(out.mutable_as<uint8_t>() + static_cast<size_t>(to) * size,
                  from, bytes);
      for (int d = rank - 2; d >= 0; --d) {
        if (++at[d] < update.shape[d]) break;
        at[d] = 0;
      }
    }
    return Status();
  }

 private:
  static int64_t StartOf(const TensorView& start, int d) {
    return start.type == ElementType::kInt32 ? start.as<int32_t>()[d]
                                             : start.as<int64_t>()[d];
  }
};

}  // namespace

Result<std::unique_ptr<Kernel>> Make(const NodeInfo& info) {
  MUNJA_RETURN_IF_ERROR(info.CheckArity(3, 3, 1));
  return std::unique_ptr<Kernel>(std::make_unique<DynamicUpdateSliceKernel>());
}

}  // namespace munja::ops::dynamic_update_slice
