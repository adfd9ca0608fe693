// DILATE: puts copies of a value between the elements of a tensor.
#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ops/op.h"
#include "ops/support/operands.h"

namespace munja::ops::dilate {
namespace {

struct DilateState final : State {
  size_t size = 0;             // Bytes of an element.
  std::vector<int64_t> steps;  // In the output, by dimension: elements.
  std::vector<int64_t> input_steps;
};

class DilateKernel final : public Kernel {
 public:
  Status Prepare(PrepareContext& context) const override {
    const TensorView& input = context.input(0);
    const TensorView& filler = context.input(2);
    MUNJA_RETURN_IF_ERROR(CheckSameType(input, context.output(0)));
    MUNJA_RETURN_IF_ERROR(CheckSameType(input, filler));
    if (filler.shape.elements() != 1) {
      return Malformed("the padding value has shape " +
                       filler.shape.ToString());
    }
    auto state = std::make_unique<DilateState>();
    MUNJA_ASSIGN_OR_RETURN(state->size, MovableSize(input));
    const int rank = input.shape.rank();
    MUNJA_ASSIGN_OR_RETURN(
        const std::vector<int64_t> dilations,
        KnownIntegers(context, 1, "output size", static_cast<size_t>(rank)));
    std::vector<int64_t> dims;
    for (int d = 0; d < rank; ++d) {
      const int64_t dilation = dilations[static_cast<size_t>(d)];
      if (dilation < 1 || dilation > INT32_MAX)
        return Malformed("a dilation is " + std::to_string(dilation));
      const int64_t n = input.shape[d];
      dims.push_back(n == 0 ? 0 : (n - 1) * dilation + 1);
    }
    MUNJA_ASSIGN_OR_RETURN(const Shape out, CheckShape(dims));
    MUNJA_RETURN_IF_ERROR(context.SetOutputShape(0, out));
    state->input_steps = Strides(input.shape);
    state->steps = Strides(out);
    // Along a dimension of one element there is no step.
    for (int d = 0; d < rank; ++d) {
      if (input.shape[d] > 1)
        state->steps[static_cast<size_t>(d)] *=
            dilations[static_cast<size_t>(d)];
    }
    context.SetState(std::move(state));
    return Status();
  }

  Status Eval(EvalContext& context) const override {
    const auto& s = *static_cast<const DilateState*>(context.state());
    const TensorView& input = context.input(0);
    const TensorView& output = context.output(0);
    auto* out = output.mutable_as<uint8_t>();
    for (size_t at = 0; at < output.bytes; at += s.size)
      std::memcpy(out + at, context.input(2).data, s.size);
    const int64_t count = input.shape.elements();
    for (int64_t i = 0; i < count; ++i) {
      int64_t rest = i, to = 0;
      for (size_t d = 0; d < s.steps.size(); ++d) {
        to += rest / s.input_steps[d] * s.steps[d];
        rest %= s.input_steps[d];
      }
      std::memcpy(out + static_cast<size_t>(to) * s.size,
                  input.as<uint8_t>() + static_cast<size_t>(i) * s.size,
                  s.size);
    }
    return Status();
  }
};

}  // namespace

Result<std::unique_ptr<Kernel>> Make(const NodeInfo& info) {
  MUNJA_RETURN_IF_ERROR(info.CheckArity(3, 3, 1));
  return std::unique_ptr<Kernel>(std::make_unique<DilateKernel>());
}

}  // namespace munja::ops::dilate
