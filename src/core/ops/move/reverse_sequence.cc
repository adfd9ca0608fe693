// REVERSE_SEQUENCE: reverses the first lengths[b] elements along one axis, for
// each index b of another.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>

#include "ops/op.h"
#include "ops/support/operands.h"

namespace munja::ops::reverse_sequence {
namespace {

// The two axes in the order they lie: data [outer, first, middle, second,
// inner]; inner in bytes.
struct ReverseState : State {
  int64_t outer = 1, first = 1, middle = 1, second = 1, inner = 1;
  bool batch_is_first = true;
};

class ReverseSequenceKernel final : public Kernel {
 public:
  ReverseSequenceKernel(int64_t axis, int64_t batch_axis)
      : axis_(axis), batch_axis_(batch_axis) {}

  Status Prepare(PrepareContext& context) const override {
    const TensorView& in = context.input(0);
    const TensorView& lengths = context.input(1);
    MUNJA_RETURN_IF_ERROR(CheckSameType(in, context.output(0)));
    MUNJA_ASSIGN_OR_RETURN(const size_t size, MovableSize(in));
    MUNJA_RETURN_IF_ERROR(
        CheckType(lengths, "the list of lengths",
                  {ElementType::kInt32, ElementType::kInt64}));
    const Shape& shape = in.shape;
    MUNJA_ASSIGN_OR_RETURN(const int axis, NormalizeAxis(axis_, shape.rank()));
    MUNJA_ASSIGN_OR_RETURN(const int batch,
                           NormalizeAxis(batch_axis_, shape.rank()));
    if (axis == batch) return Malformed("reverses along the batch");
    if (lengths.shape != Shape{shape[batch]})
      return Malformed("has lengths of shape " + lengths.shape.ToString() +
                       " for a batch of " + std::to_string(shape[batch]));
    const int first = std::min(axis, batch), second = std::max(axis, batch);
    auto state = std::make_unique<ReverseState>();
    state->outer = shape.elements(0, first);
    state->first = shape[first];
    state->middle = shape.elements(first + 1, second);
    state->second = shape[second];
    state->inner =
        shape.elements(second + 1, shape.rank()) * static_cast<int64_t>(size);
    state->batch_is_first = batch < axis;
    context.SetState(std::move(state));
    return context.SetOutputShape(0, shape);
  }

  Status Eval(EvalContext& context) const override {
    return context.input(1).type == ElementType::kInt32 ? Run<int32_t>(context)
                                                        : Run<int64_t>(context);
  }

 private:
  template <class T>
  static Status Run(EvalContext& context) {
    const auto& s = *static_cast<const ReverseState*>(context.state());
    const T* lengths = context.input(1).as<T>();
    const int64_t batch = s.batch_is_first ? s.first : s.second;
    const int64_t sequence = s.batch_is_first ? s.second : s.first;
    for (int64_t b = 0; b < batch; ++b) {
      if (lengths[b] < 0 || lengths[b] > sequence)
        return InvalidArgument("length " + std::to_string(lengths[b]) +
                               " is outside a dimension of " +
                               std::to_string(sequence));
    }
    if (context.output(0).bytes == 0) return Status();
    const auto* in = context.input(0).as<uint8_t>();
    auto* out = context.output(0).mutable_as<uint8_t>();
    const auto mirror = [](int64_t i, int64_t length) {
      return i < length ? length - 1 - i : i;
    };
    for (int64_t o = 0; o < s.outer; ++o) {
      for (int64_t i = 0; i < s.first; ++i) {
        for (int64_t m = 0; m < s.middle; ++m) {
          for (int64_t j = 0; j < s.second; ++j) {
            const int64_t from_i = s.batch_is_first ? i : mirror(i, lengths[j]);
            const int64_t from_j = s.batch_is_first ? mirror(j, lengths[i]) : j;
            const int64_t from =
                ((o * s.first + from_i) * s.middle + m) * s.second + from_j;
            std::memcpy(out, in + from * s.inner, static_cast<size_t>(s.inner));
            out += s.inner;
          }
        }
      }
    }
    return Status();
  }

  int64_t axis_, batch_axis_;
};

}  // namespace

Result<std::unique_ptr<Kernel>> Make(const NodeInfo& info) {
  MUNJA_RETURN_IF_ERROR(info.CheckArity(2, 2, 1));
  MUNJA_ASSIGN_OR_RETURN(const int64_t axis,
                         info.attributes().Int("seq_dim", 0));
  MUNJA_ASSIGN_OR_RETURN(const int64_t batch,
                         info.attributes().Int("batch_dim", 0));
  return std::unique_ptr<Kernel>(
      std::make_unique<ReverseSequenceKernel>(axis, batch));
}

}  // namespace munja::ops::reverse_sequence
