// BIDIRECTIONAL_SEQUENCE_LSTM: two layers over the same sequence, one from its
// end; their outputs apart or side by side.
#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "ops/op.h"
#include "ops/support/operands.h"
#include "ops/support/rnn/lstm_layer.h"

namespace munja::ops::bidirectional_lstm {
namespace {

constexpr int kAuxInput = 39;

struct BidirectionalState final : State {
  LstmPlan forward, backward;
};

class BidirectionalKernel final : public Kernel {
 public:
  BidirectionalKernel(LstmLayer forward, LstmLayer backward, bool is_time_major,
                      bool merges, int backward_input)
      : forward_(std::move(forward)),
        backward_(std::move(backward)),
        is_time_major_(is_time_major),
        merges_(merges),
        backward_input_(backward_input) {}

  Status Prepare(PrepareContext& context) const override {
    const Shape& in = context.input(0).shape;
    if (in.rank() != 3) {
      return Malformed("the input has shape " + in.ToString() +
                       ", want three dimensions");
    }
    for (const int i : {backward_input_, kAuxInput}) {
      if (!context.has_input(i)) continue;
      const Shape& other = context.input(i).shape;
      if (other.rank() != 3 || other[0] != in[0] || other[1] != in[1]) {
        return Malformed("the auxiliary input has shape " + other.ToString() +
                         ", the input " + in.ToString());
      }
    }
    const int32_t steps = in[is_time_major_ ? 0 : 1];
    const int32_t batch = in[is_time_major_ ? 1 : 0];
    auto state = std::make_unique<BidirectionalState>();
    MUNJA_ASSIGN_OR_RETURN(state->forward,
                           forward_.Prepare(context, steps, batch, 0));
    MUNJA_ASSIGN_OR_RETURN(
        state->backward,
        backward_.Prepare(context, steps, batch, merges_ ? 0 : 1));
    const size_t outputs[] = {state->forward.sizes.outputs,
                              state->backward.sizes.outputs};
    context.RequestScratch(
        std::max(forward_.ScratchBytes(context, state->forward.sizes),
                 backward_.ScratchBytes(context, state->backward.sizes)));
    context.SetState(std::move(state));
    const auto shape = [&](size_t last) {
      return CheckShape({in[0], in[1], static_cast<int64_t>(last)});
    };
    MUNJA_ASSIGN_OR_RETURN(
        const Shape first,
        shape(merges_ ? outputs[0] + outputs[1] : outputs[0]));
    MUNJA_RETURN_IF_ERROR(context.SetOutputShape(0, first));
    if (merges_) return Status();
    MUNJA_ASSIGN_OR_RETURN(const Shape second, shape(outputs[1]));
    return context.SetOutputShape(1, second);
  }

  Status Eval(EvalContext& context) const override {
    const auto& state =
        *static_cast<const BidirectionalState*>(context.state());
    const size_t forward = state.forward.sizes.outputs;
    const size_t backward = state.backward.sizes.outputs;
    LstmLayer::Run run;
    run.is_time_major = is_time_major_;
    run.output_row = merges_ ? forward + backward : forward;
    forward_.Eval(context, state.forward, run, context.scratch());
    run.is_backward = true;
    if (merges_) {
      run.output_offset = forward;
    } else {
      run.output = 1;
      run.output_row = backward;
    }
    backward_.Eval(context, state.backward, run, context.scratch());
    return Status();
  }

  int64_t MultiplyAccumulates(
      std::span<const TensorView> inputs,
      std::span<const TensorView> outputs) const override {
    (void)outputs;
    return forward_.MultiplyAccumulates(inputs) +
           backward_.MultiplyAccumulates(inputs);
  }
  size_t packed_bytes() const override {
    return forward_.packed_bytes() + backward_.packed_bytes();
  }

 private:
  LstmLayer forward_, backward_;
  bool is_time_major_, merges_;
  int backward_input_;
};

// Inputs of one direction from the first of its seventeen on.
LstmInputs InputsFrom(int first, int output_state, int first_aux_weights) {
  LstmInputs inputs;
  for (int g = 0; g < kernels::kLstmGates; ++g) {
    inputs.weights[g] = first + g;
    inputs.recurrent[g] = first + 4 + g;
    inputs.bias[g] = first + 11 + g;
    inputs.norm[g] = -1;
    inputs.aux_weights[g] = first_aux_weights + g;
  }
  inputs.peephole = {first + 8, first + 9, -1, first + 10};
  inputs.projection = first + 15;
  inputs.projection_bias = first + 16;
  inputs.output_state = output_state;
  inputs.cell_state = output_state + 1;
  inputs.aux = kAuxInput;
  return inputs;
}

}  // namespace

Result<std::unique_ptr<Kernel>> Make(const NodeInfo& info) {
  MUNJA_ASSIGN_OR_RETURN(const bool merges,
                         info.attributes().Bool("merge_outputs", false));
  MUNJA_ASSIGN_OR_RETURN(const bool is_time_major,
                         info.attributes().Bool("time_major", true));
  const int outputs = merges ? 1 : 2;
  if (info.inputs() < 39 || info.inputs() > 48 || info.outputs() != outputs) {
    return Malformed("has " + std::to_string(info.inputs()) + " inputs and " +
                     std::to_string(info.outputs()) +
                     " outputs, wants 48 and " + std::to_string(outputs));
  }
  for (int k = 0; k < outputs; ++k) {
    if (info.output(k).type != ElementType::kFloat32)
      return Unsupported("an output other than float32 is not implemented");
  }
  LstmInputs forward = InputsFrom(1, 35, 40);
  LstmInputs backward = InputsFrom(18, 37, 44);
  const bool has_aux = info.input(kAuxInput) != nullptr;
  const auto has_aux_weights = [&](const LstmInputs& inputs) {
    return info.input(inputs.aux_weights[kernels::kOutputGate]) != nullptr;
  };
  if (has_aux_weights(forward) != has_aux_weights(backward))
    return Malformed("has auxiliary weights in one direction only");
  if (has_aux_weights(forward) && !has_aux)
    return Malformed("has auxiliary weights, but no auxiliary input");
  // Without weights of its own the auxiliary input is what the layer before
  // made of the sequence backwards: the backward layer goes on from there.
  if (has_aux && !has_aux_weights(forward)) backward.input = kAuxInput;
  MUNJA_ASSIGN_OR_RETURN(LstmLayer first, LstmLayer::Make(info, forward));
  MUNJA_ASSIGN_OR_RETURN(LstmLayer second, LstmLayer::Make(info, backward));
  for (const LstmLayer* layer : {&first, &second}) {
    if (layer->arithmetic() == Arithmetic::kInteger)
      return Unsupported("an int8 input is not implemented, only float32");
  }
  return std::unique_ptr<Kernel>(std::make_unique<BidirectionalKernel>(
      std::move(first), std::move(second), is_time_major, merges,
      backward.input));
}

}  // namespace munja::ops::bidirectional_lstm
