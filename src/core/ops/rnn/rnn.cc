// RNN (one step), UNIDIRECTIONAL_ and BIDIRECTIONAL_SEQUENCE_RNN:
// h = activation(W x + R h + b [+ A aux]); h is a variable. Float or with int8
// weights.
#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "kernels/elementwise/activation.h"
#include "ops/op.h"
#include "ops/support/operands.h"
#include "ops/support/rnn/rnn_matrix.h"
#include "ops/support/window.h"

namespace munja::ops::rnn {
namespace {

// Numbers of the node's inputs.
struct RnnInputs {
  int input = 0, weights = 1, recurrent = 2, bias = 3, state = 4;
  int aux = -1, aux_weights = -1;
};

struct RnnSizes {
  size_t steps = 0, batch = 0, inputs = 0, aux = 0, units = 0;
};

// Where the rows of one direction go, in elements.
struct RnnRun {
  bool is_time_major = true, is_backward = false;
  float* out = nullptr;
  size_t out_row = 0;
};

class RnnLayer {
 public:
  static Result<RnnLayer> Make(const NodeInfo& info, const RnnInputs& inputs);
  Result<RnnSizes> Prepare(const PrepareContext& context, int64_t steps,
                           int64_t batch) const;
  size_t ScratchBytes(const PrepareContext& context,
                      const RnnSizes& sizes) const;
  void Eval(EvalContext& context, const RnnSizes& sizes, const RnnRun& run,
            void* memory) const;
  size_t packed_bytes() const {
    return weights_.packed_bytes() + recurrent_.packed_bytes() +
           aux_.packed_bytes();
  }
  int64_t weight_count(std::span<const TensorView> inputs) const {
    int64_t count = 0;
    for (const RnnMatrix* m : {&weights_, &recurrent_, &aux_})
      if (m->exists())
        count += inputs[static_cast<size_t>(m->input())].shape.elements();
    return count;
  }

 private:
  struct Rows {
    QuantizedRows input, aux, state;
  };
  Rows TakeRows(ScratchPieces& scratch, const RnnSizes& sizes) const {
    return {QuantizedRows::Take(scratch, sizes.batch, sizes.inputs),
            QuantizedRows::Take(scratch, sizes.batch, sizes.aux),
            QuantizedRows::Take(scratch, sizes.batch, sizes.units)};
  }

  RnnInputs inputs_;
  Arithmetic arithmetic_ = Arithmetic::kFloat;
  RnnMatrix weights_, recurrent_, aux_;
  kernels::Activation activation_;
  bool is_asymmetric_ = false, use_reference_ = false;
};

Result<RnnLayer> RnnLayer::Make(const NodeInfo& info, const RnnInputs& inputs) {
  RnnLayer layer;
  layer.inputs_ = inputs;
  MUNJA_ASSIGN_OR_RETURN(layer.activation_, ParseActivation(info.attributes()));
  MUNJA_ASSIGN_OR_RETURN(
      layer.is_asymmetric_,
      info.attributes().Bool("asymmetric_quantize_inputs", false));
  layer.use_reference_ = info.options().reference_kernels;
  MUNJA_ASSIGN_OR_RETURN(layer.arithmetic_,
                         ArithmeticOf(info, inputs.input, inputs.weights));
  if (layer.arithmetic_ == Arithmetic::kInteger)
    return Unsupported("an int8 input is not implemented, only float32");
  const auto make = [&](int i, std::string_view what) {
    return RnnMatrix::Make(info, i, layer.arithmetic_, what);
  };
  MUNJA_ASSIGN_OR_RETURN(layer.weights_, make(inputs.weights, "weights"));
  MUNJA_ASSIGN_OR_RETURN(layer.recurrent_,
                         make(inputs.recurrent, "recurrent weights"));
  MUNJA_ASSIGN_OR_RETURN(layer.aux_,
                         make(inputs.aux_weights, "auxiliary weights"));
  if (!layer.recurrent_.exists()) return Malformed("has no recurrent weights");
  MUNJA_RETURN_IF_ERROR(CheckFloatInput(info, inputs.bias, "a bias"));
  MUNJA_RETURN_IF_ERROR(CheckFloatInput(info, inputs.state, "a hidden state"));
  if (!info.input(inputs.state)->is_variable)
    return Malformed("the hidden state is not a variable");
  if (layer.aux_.exists())
    MUNJA_RETURN_IF_ERROR(
        CheckFloatInput(info, inputs.aux, "an auxiliary input"));
  return layer;
}

Result<RnnSizes> RnnLayer::Prepare(const PrepareContext& context, int64_t steps,
                                   int64_t batch) const {
  const Shape& w = context.input(inputs_.weights).shape;
  if (w.rank() != 2 || w[0] < 1) {
    return Malformed("weights have shape " + w.ToString() +
                     ", want units x inputs");
  }
  const int64_t units = w[0],
                inputs = context.input(inputs_.input).shape.back();
  MUNJA_RETURN_IF_ERROR(weights_.Check(context, units, inputs));
  MUNJA_RETURN_IF_ERROR(recurrent_.Check(context, units, units));
  int64_t aux = 0;
  if (aux_.exists()) {
    aux = context.input(inputs_.aux).shape.back();
    MUNJA_RETURN_IF_ERROR(aux_.Check(context, units, aux));
  }
  const auto check = [&](int i, std::string_view what, int64_t count) {
    const Shape& shape = context.input(i).shape;
    if (shape.elements() == count) return Status();
    return Malformed(std::string(what) + " has shape " + shape.ToString() +
                     ", want " + std::to_string(count) + " numbers");
  };
  MUNJA_RETURN_IF_ERROR(check(inputs_.bias, "the bias", units));
  MUNJA_RETURN_IF_ERROR(
      check(inputs_.state, "the hidden state", batch * units));
  return RnnSizes{static_cast<size_t>(steps), static_cast<size_t>(batch),
                  static_cast<size_t>(inputs), static_cast<size_t>(aux),
                  static_cast<size_t>(units)};
}

size_t RnnLayer::ScratchBytes(const PrepareContext& context,
                              const RnnSizes& sizes) const {
  ScratchPieces scratch;
  for (const RnnMatrix* m : {&weights_, &recurrent_, &aux_})
    m->CountScratch(context, scratch);
  if (arithmetic_ == Arithmetic::kHybrid) TakeRows(scratch, sizes);
  return scratch.bytes();
}

// The sums are made where the output goes: all of the sequence's part first,
// then step by step the recurrent one.
void RnnLayer::Eval(EvalContext& context, const RnnSizes& sizes,
                    const RnnRun& run, void* memory) const {
  ScratchPieces scratch(memory);
  const BoundMatrix weights = weights_.Bind(context, scratch);
  const BoundMatrix recurrent = recurrent_.Bind(context, scratch);
  const BoundMatrix aux = aux_.Bind(context, scratch);
  const size_t units = sizes.units, batch = sizes.batch;
  const size_t rows = sizes.steps * batch;
  const size_t step_rows = run.is_time_major ? batch : 1;
  const size_t batch_rows = run.is_time_major ? 1 : sizes.steps;
  const auto* x = context.input(inputs_.input).as<float>();
  const auto* ax = aux.exists() ? context.input(inputs_.aux).as<float>() : x;
  const auto* bias = context.input(inputs_.bias).as<float>();
  auto* state = context.input(inputs_.state).mutable_as<float>();
  const bool is_hybrid = arithmetic_ == Arithmetic::kHybrid;
  Rows quantized;
  if (is_hybrid) {
    quantized = TakeRows(scratch, sizes);
  } else {
    weights.Multiply(x, sizes.inputs, rows, bias, nullptr, run.out, run.out_row,
                     context.pool());
    if (aux.exists())
      aux.Multiply(ax, sizes.aux, rows, nullptr, run.out, run.out, run.out_row,
                   context.pool());
  }
  for (size_t k = 0; k < sizes.steps; ++k) {
    const size_t step = run.is_backward ? sizes.steps - 1 - k : k;
    float* out = run.out + step * step_rows * run.out_row;
    const size_t ld = batch_rows * run.out_row;
    if (is_hybrid) {
      for (size_t b = 0; b < batch; ++b)
        std::memcpy(out + b * ld, bias, units * sizeof(float));
      quantized.input.Fill(x + step * step_rows * sizes.inputs,
                           batch_rows * sizes.inputs, batch, is_asymmetric_);
      weights.AddHybrid(quantized.input, batch, out, ld, context.pool());
      if (aux.exists()) {
        quantized.aux.Fill(ax + step * step_rows * sizes.aux,
                           batch_rows * sizes.aux, batch, is_asymmetric_);
        aux.AddHybrid(quantized.aux, batch, out, ld, context.pool());
      }
      quantized.state.Fill(state, units, batch, is_asymmetric_);
      recurrent.AddHybrid(quantized.state, batch, out, ld, context.pool());
    } else {
      recurrent.Multiply(state, units, batch, nullptr, out, out, ld,
                         context.pool());
    }
    for (size_t b = 0; b < batch; ++b) {
      float* row = out + b * ld;
      if (use_reference_) {
        kernels::reference::Activate(activation_, row, units, row);
      } else {
        kernels::Activate(activation_, row, units, row);
      }
      std::memcpy(state + b * units, row, units * sizeof(float));
    }
  }
}

struct RnnState final : State {
  RnnSizes sizes[2];
};

// One or two layers.
class RnnKernel final : public Kernel {
 public:
  Status Prepare(PrepareContext& context) const override {
    const Shape& in = context.input(0).shape;
    if (in.rank() != (is_sequence_ ? 3 : 2)) {
      return Malformed("the input has shape " + in.ToString() + ", want " +
                       (is_sequence_ ? "three" : "two") + " dimensions");
    }
    for (const int i : other_inputs_) {
      if (!context.has_input(i)) continue;
      const Shape& other = context.input(i).shape;
      if (other.rank() != 3 || other[0] != in[0] || other[1] != in[1]) {
        return Malformed("the auxiliary input has shape " + other.ToString() +
                         ", the input " + in.ToString());
      }
    }
    const int32_t steps = !is_sequence_ ? 1 : in[is_time_major_ ? 0 : 1];
    const int32_t batch = !is_sequence_ ? in[0] : in[is_time_major_ ? 1 : 0];
    auto state = std::make_unique<RnnState>();
    size_t scratch = 0;
    int64_t units[2] = {};
    for (size_t k = 0; k < layers_.size(); ++k) {
      MUNJA_ASSIGN_OR_RETURN(state->sizes[k],
                             layers_[k].Prepare(context, steps, batch));
      scratch =
          std::max(scratch, layers_[k].ScratchBytes(context, state->sizes[k]));
      units[k] = static_cast<int64_t>(state->sizes[k].units);
    }
    context.RequestScratch(scratch);
    context.SetState(std::move(state));
    Shape out = in;
    MUNJA_ASSIGN_OR_RETURN(out[in.rank() - 1],
                           CheckDim(merges_ ? units[0] + units[1] : units[0]));
    MUNJA_RETURN_IF_ERROR(context.SetOutputShape(0, out));
    if (layers_.size() == 1 || merges_) return Status();
    out[in.rank() - 1] = static_cast<int32_t>(units[1]);
    return context.SetOutputShape(1, out);
  }

  Status Eval(EvalContext& context) const override {
    const auto& state = *static_cast<const RnnState*>(context.state());
    const size_t first = state.sizes[0].units, second = state.sizes[1].units;
    for (size_t k = 0; k < layers_.size(); ++k) {
      RnnRun run;
      run.is_time_major = is_time_major_;
      run.is_backward = k == 1;
      const int output = k == 1 && !merges_ ? 1 : 0;
      run.out = context.output(output).mutable_as<float>() +
                (k == 1 && merges_ ? first : 0);
      run.out_row = merges_ ? first + second : state.sizes[k].units;
      layers_[k].Eval(context, state.sizes[k], run, context.scratch());
    }
    return Status();
  }

  int64_t MultiplyAccumulates(
      std::span<const TensorView> inputs,
      std::span<const TensorView> outputs) const override {
    (void)outputs;
    const Shape& in = inputs[0].shape;
    int64_t weights = 0;
    for (const RnnLayer& layer : layers_) weights += layer.weight_count(inputs);
    return in.elements(0, in.rank() - 1) * weights;
  }
  size_t packed_bytes() const override {
    size_t bytes = 0;
    for (const RnnLayer& layer : layers_) bytes += layer.packed_bytes();
    return bytes;
  }

  std::vector<RnnLayer> layers_;
  std::vector<int> other_inputs_;  // Must be as long as the first.
  bool is_sequence_ = false, is_time_major_ = true, merges_ = false;
};

Result<std::unique_ptr<Kernel>> MakeBidirectional(
    const NodeInfo& info, std::unique_ptr<RnnKernel> kernel) {
  constexpr int kAux = 9;
  MUNJA_ASSIGN_OR_RETURN(kernel->merges_,
                         info.attributes().Bool("merge_outputs", false));
  const int outputs = kernel->merges_ ? 1 : 2;
  MUNJA_RETURN_IF_ERROR(info.CheckArity(9, 12, outputs));
  RnnInputs forward{0, 1, 2, 3, 4, kAux, 10};
  RnnInputs backward{0, 5, 6, 7, 8, kAux, 11};
  const bool has_aux = info.input(kAux) != nullptr;
  const bool has_weights = info.input(10) != nullptr;
  if (has_weights != (info.input(11) != nullptr))
    return Malformed("has auxiliary weights in one direction only");
  if (has_weights && !has_aux)
    return Malformed("has auxiliary weights, but no auxiliary input");
  // Without weights of its own it is the input of the backward layer.
  if (has_aux && !has_weights) backward.input = kAux;
  if (has_aux) kernel->other_inputs_.push_back(kAux);
  for (const RnnInputs& inputs : {forward, backward}) {
    MUNJA_ASSIGN_OR_RETURN(RnnLayer layer, RnnLayer::Make(info, inputs));
    kernel->layers_.push_back(std::move(layer));
  }
  return std::unique_ptr<Kernel>(std::move(kernel));
}

}  // namespace

Result<std::unique_ptr<Kernel>> Make(const NodeInfo& info) {
  auto kernel = std::make_unique<RnnKernel>();
  kernel->is_sequence_ = info.node().op != "RNN";
  if (kernel->is_sequence_) {
    MUNJA_ASSIGN_OR_RETURN(kernel->is_time_major_,
                           info.attributes().Bool("time_major", false));
  }
  for (int k = 0; k < info.outputs(); ++k)
    if (info.output(k).type != ElementType::kFloat32)
      return Unsupported("an output other than float32 is not implemented");
  if (info.node().op == "BIDIRECTIONAL_SEQUENCE_RNN")
    return MakeBidirectional(info, std::move(kernel));
  MUNJA_RETURN_IF_ERROR(info.CheckArity(5, 5, 1));
  MUNJA_ASSIGN_OR_RETURN(RnnLayer layer, RnnLayer::Make(info, RnnInputs()));
  kernel->layers_.push_back(std::move(layer));
  return std::unique_ptr<Kernel>(std::move(kernel));
}

}  // namespace munja::ops::rnn
