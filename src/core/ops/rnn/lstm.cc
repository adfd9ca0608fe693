// LSTM (one step) and UNIDIRECTIONAL_SEQUENCE_LSTM; the older LSTM of five
// inputs is in basic_lstm.cc.
#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "ops/op.h"
#include "ops/support/operands.h"
#include "ops/support/rnn/basic_lstm.h"
#include "ops/support/rnn/lstm_layer.h"

namespace munja::ops::lstm {
namespace {

struct LstmState final : State {
  LstmPlan plan;
};

class LstmKernel final : public Kernel {
 public:
  LstmKernel(LstmLayer layer, bool is_sequence, bool is_time_major)
      : layer_(std::move(layer)),
        is_sequence_(is_sequence),
        is_time_major_(is_time_major) {}

  Status Prepare(PrepareContext& context) const override {
    const Shape& in = context.input(0).shape;
    if (in.rank() != (is_sequence_ ? 3 : 2)) {
      return Malformed("the input has shape " + in.ToString() + ", want " +
                       (is_sequence_ ? "three" : "two") + " dimensions");
    }
    const int32_t steps = !is_sequence_ ? 1 : in[is_time_major_ ? 0 : 1];
    const int32_t batch = !is_sequence_ ? in[0] : in[is_time_major_ ? 1 : 0];
    auto state = std::make_unique<LstmState>();
    MUNJA_ASSIGN_OR_RETURN(state->plan,
                           layer_.Prepare(context, steps, batch, 0));
    MUNJA_RETURN_IF_ERROR(CheckSameType(context.input(0), context.output(0)));
    Shape out = in;
    out[in.rank() - 1] = static_cast<int32_t>(state->plan.sizes.outputs);
    context.RequestScratch(layer_.ScratchBytes(context, state->plan.sizes));
    context.SetState(std::move(state));
    return context.SetOutputShape(0, out);
  }

  Status Eval(EvalContext& context) const override {
    const auto& state = *static_cast<const LstmState*>(context.state());
    LstmLayer::Run run;
    run.is_time_major = is_time_major_;
    run.output_row = state.plan.sizes.outputs;
    layer_.Eval(context, state.plan, run, context.scratch());
    return Status();
  }

  int64_t MultiplyAccumulates(
      std::span<const TensorView> inputs,
      std::span<const TensorView> outputs) const override {
    (void)outputs;
    return layer_.MultiplyAccumulates(inputs);
  }
  size_t packed_bytes() const override { return layer_.packed_bytes(); }

 private:
  LstmLayer layer_;
  bool is_sequence_, is_time_major_;
};

}  // namespace

Result<std::unique_ptr<Kernel>> Make(const NodeInfo& info) {
  const bool is_sequence = info.node().op == "UNIDIRECTIONAL_SEQUENCE_LSTM";
  if (!is_sequence) {
    MUNJA_ASSIGN_OR_RETURN(const std::string kind,
                           info.attributes().Text("kernel_type", "FULL"));
    if (kind == "BASIC") return MakeBasicLstm(info);
    if (kind != "FULL")
      return Unsupported("kernel_type " + kind + " is not implemented");
  }
  if (info.inputs() < 20 || info.inputs() > 24 || info.outputs() != 1) {
    return Malformed("has " + std::to_string(info.inputs()) + " inputs and " +
                     std::to_string(info.outputs()) +
                     " outputs, wants 20 or 24 and 1");
  }
  MUNJA_ASSIGN_OR_RETURN(const bool is_time_major,
                         info.attributes().Bool("time_major", false));
  MUNJA_ASSIGN_OR_RETURN(LstmLayer layer, LstmLayer::Make(info, LstmInputs()));
  return std::unique_ptr<Kernel>(std::make_unique<LstmKernel>(
      std::move(layer), is_sequence, !is_sequence || is_time_major));
}

}  // namespace munja::ops::lstm
