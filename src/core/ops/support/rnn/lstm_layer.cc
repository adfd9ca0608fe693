#include "ops/support/rnn/lstm_layer.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "ops/support/operands.h"
#include "ops/support/quantized/quantized.h"
#include "ops/support/window.h"

namespace munja::ops {
namespace {

using kernels::kCellGate;
using kernels::kForgetGate;
using kernels::kInputGate;
using kernels::kLstmGates;
using kernels::kOutputGate;

constexpr std::string_view kGateNames[kLstmGates] = {"input", "forget", "cell",
                                                     "output"};

std::string Of(std::string_view what, int gate) {
  return std::string(what) + " of the " + std::string(kGateNames[gate]) +
         " gate";
}

// How many of them are there.
int CountPresent(const NodeInfo& info, const GateInputs& inputs) {
  return static_cast<int>(
      std::count_if(inputs.begin(), inputs.end(),
                    [&](int i) { return info.input(i) != nullptr; }));
}

// All gates, or all but the input gate, or none where that is fine.
Status CheckGroup(const NodeInfo& info, const GateInputs& inputs,
                  bool is_coupled, bool is_optional, std::string_view what) {
  const int present = CountPresent(info, inputs);
  if (is_optional && present == 0) return Status();
  for (int g = is_coupled ? 1 : 0; g < kLstmGates; ++g) {
    if (inputs[g] >= 0 && info.input(inputs[g]) == nullptr)
      return Malformed("has no " + Of(what, g));
  }
  if (is_coupled && info.input(inputs[kInputGate]) != nullptr)
    return Malformed("has " + Of(what, kInputGate) + ", but no such gate");
  return Status();
}

Result<float> ReadClip(const NodeInfo& info, std::string_view name) {
  MUNJA_ASSIGN_OR_RETURN(const double clip, info.attributes().Float(name, 0.0));
  if (!(clip >= 0.0) || !std::isfinite(clip))
    return Malformed(std::string(name) + " is " + std::to_string(clip));
  return static_cast<float>(clip);
}

}  // namespace

Status LstmLayer::ReadOptions(const NodeInfo& info) {
  const graph::Attributes& attributes = info.attributes();
  MUNJA_ASSIGN_OR_RETURN(activation_, ParseActivation(attributes));
  MUNJA_ASSIGN_OR_RETURN(cell_clip_, ReadClip(info, "cell_clip"));
  MUNJA_ASSIGN_OR_RETURN(projection_clip_, ReadClip(info, "proj_clip"));
  MUNJA_ASSIGN_OR_RETURN(is_asymmetric_,
                         attributes.Bool("asymmetric_quantize_inputs", false));
  MUNJA_ASSIGN_OR_RETURN(is_diagonal_,
                         attributes.Bool("diagonal_recurrent_tensors", false));
  use_reference_ = info.options().reference_kernels;
  return Status();
}

Status LstmLayer::CheckGroups(const NodeInfo& info) {
  is_coupled_ = info.input(inputs_.weights[kInputGate]) == nullptr;
  has_peephole_ = CountPresent(info, inputs_.peephole) > 0;
  has_norm_ = CountPresent(info, inputs_.norm) > 0;
  const auto check = [&](const GateInputs& group, bool is_optional,
                         std::string_view what) {
    return CheckGroup(info, group, is_coupled_, is_optional, what);
  };
  MUNJA_RETURN_IF_ERROR(check(inputs_.weights, false, "weights"));
  MUNJA_RETURN_IF_ERROR(check(inputs_.recurrent, false, "recurrent weights"));
  MUNJA_RETURN_IF_ERROR(check(inputs_.peephole, true, "peephole weights"));
  MUNJA_RETURN_IF_ERROR(check(inputs_.bias, false, "bias"));
  MUNJA_RETURN_IF_ERROR(check(inputs_.norm, true, "normalization"));
  MUNJA_RETURN_IF_ERROR(check(inputs_.aux_weights, true, "auxiliary weights"));
  if (info.input(inputs_.projection) == nullptr &&
      info.input(inputs_.projection_bias) != nullptr)
    return Malformed("has a bias of a projection, but no projection");
  const std::pair<int, std::string_view> states[] = {
      {inputs_.output_state, "output state"},
      {inputs_.cell_state, "cell state"}};
  for (const auto& [i, what] : states) {
    const graph::Value* state = info.input(i);
    if (state == nullptr) return Malformed("has no " + std::string(what));
    if (!state->is_variable)
      return Malformed("the " + std::string(what) + " is not a variable");
  }
  return Status();
}

Status LstmLayer::CheckTypes(const NodeInfo& info) const {
  const bool is_integer = arithmetic_ == Arithmetic::kInteger;
  const bool is_hybrid = arithmetic_ == Arithmetic::kHybrid;
  const auto check = [&](int i, std::string_view what, ElementType type) {
    const graph::Value* value = info.input(i);
    if (value == nullptr || value->type == type) return Status();
    return Unsupported(std::string(what) + " of type " +
                       ElementTypeName(value->type) +
                       " is not implemented, only " + ElementTypeName(type));
  };
  const ElementType real = ElementType::kFloat32;
  const ElementType bias = is_integer ? ElementType::kInt32 : real;
  const ElementType norm = is_integer ? ElementType::kInt16 : real;
  const ElementType activations = is_integer ? ElementType::kInt8 : real;
  for (int g = 0; g < kLstmGates; ++g) {
    MUNJA_RETURN_IF_ERROR(check(inputs_.bias[g], Of("bias", g), bias));
    MUNJA_RETURN_IF_ERROR(check(inputs_.norm[g], Of("normalization", g), norm));
    if (is_diagonal_)
      MUNJA_RETURN_IF_ERROR(
          check(inputs_.recurrent[g], Of("recurrent weights", g), real));
    // Hybrid ones may be float or int8.
    const graph::Value* peephole = info.input(inputs_.peephole[g]);
    if (peephole == nullptr ||
        (is_hybrid && peephole->type == ElementType::kInt8))
      continue;
    MUNJA_RETURN_IF_ERROR(
        check(inputs_.peephole[g], Of("peephole weights", g), norm));
  }
  MUNJA_RETURN_IF_ERROR(
      check(inputs_.projection_bias, "the bias of the projection", bias));
  MUNJA_RETURN_IF_ERROR(check(inputs_.aux, "the auxiliary input", activations));
  MUNJA_RETURN_IF_ERROR(
      check(inputs_.output_state, "the output state", activations));
  return check(inputs_.cell_state, "the cell state", norm);
}

// Without normalization the gates are in Q3.12 whatever the tensors say.
Status LstmLayer::ReadIntermediates(const NodeInfo& info) {
  const int count = static_cast<int>(info.node().intermediates.size());
  if (count != kLstmGates + 1) {
    return Unsupported("an integer LSTM with " + std::to_string(count) +
                       " intermediates is not implemented, only one with 5");
  }
  for (int k = first_gate(); k <= kLstmGates; ++k) {
    const bool is_gate = k < kLstmGates;
    if (is_gate && !has_norm_) {
      intermediate_scales_[k] = 0x1p-12f;
      continue;
    }
    const graph::Value* value = info.intermediate(k);
    const std::string what =
        is_gate ? Of("intermediate", k) : "the intermediate of the output";
    if (value == nullptr) return Malformed(what + " is absent");
    TensorView view;
    view.type = is_gate ? ElementType::kInt16 : ElementType::kInt8;
    view.quantization = &value->quantization;
    MUNJA_ASSIGN_OR_RETURN(const Affine affine, PerTensor(view, what));
    intermediate_scales_[k] = affine.scale;
    if (!is_gate) hidden_zero_ = affine.zero;
  }
  return Status();
}

Result<LstmLayer> LstmLayer::Make(const NodeInfo& info,
                                  const LstmInputs& inputs) {
  LstmLayer layer;
  layer.inputs_ = inputs;
  MUNJA_RETURN_IF_ERROR(layer.ReadOptions(info));
  MUNJA_ASSIGN_OR_RETURN(
      layer.arithmetic_,
      ArithmeticOf(info, inputs.input, inputs.weights[kOutputGate]));
  if (layer.is_diagonal_ && layer.arithmetic_ != Arithmetic::kFloat)
    return Unsupported(
        "diagonal recurrent weights are implemented for float32 "
        "only");
  MUNJA_RETURN_IF_ERROR(layer.CheckGroups(info));
  MUNJA_RETURN_IF_ERROR(layer.CheckTypes(info));
  const std::pair<Matrices*, const GateInputs*> groups[] = {
      {&layer.weights_, &inputs.weights},
      {&layer.recurrent_, &inputs.recurrent},
      {&layer.aux_, &inputs.aux_weights}};
  for (const auto& [matrices, group] : groups) {
    if (layer.is_diagonal_ && group == &inputs.recurrent) continue;
    for (int g = 0; g < kLstmGates; ++g) {
      MUNJA_ASSIGN_OR_RETURN(
          (*matrices)[g],
          RnnMatrix::Make(info, (*group)[g], layer.arithmetic_, "weights"));
    }
  }
  MUNJA_ASSIGN_OR_RETURN(
      layer.projection_,
      RnnMatrix::Make(info, inputs.projection, layer.arithmetic_,
                      "the weights of the projection"));
  if (layer.arithmetic_ == Arithmetic::kInteger) {
    if (layer.aux_[kOutputGate].exists())
      return Unsupported(
          "an integer LSTM with an auxiliary input is not "
          "implemented");
    MUNJA_RETURN_IF_ERROR(layer.ReadIntermediates(info));
  }
  return layer;
}

Status LstmLayer::CheckVector(const PrepareContext& context, int i,
                              std::string_view what, int64_t count) const {
  if (i < 0 || !context.has_input(i)) return Status();
  const Shape& shape = context.input(i).shape;
  if (shape.elements() == count) return Status();
  return Malformed(std::string(what) + " has shape " + shape.ToString() +
                   ", want " + std::to_string(count) + " numbers");
}

Status LstmLayer::CheckVectors(const PrepareContext& context,
                               const LstmSizes& sizes) const {
  const auto units = static_cast<int64_t>(sizes.units);
  const auto outputs = static_cast<int64_t>(sizes.outputs);
  const auto batch = static_cast<int64_t>(sizes.batch);
  for (int g = first_gate(); g < kLstmGates; ++g) {
    MUNJA_RETURN_IF_ERROR(
        CheckVector(context, inputs_.bias[g], Of("the bias", g), units));
    MUNJA_RETURN_IF_ERROR(CheckVector(context, inputs_.norm[g],
                                      Of("the normalization", g), units));
    MUNJA_RETURN_IF_ERROR(CheckVector(context, inputs_.peephole[g],
                                      Of("the peephole", g), units));
  }
  MUNJA_RETURN_IF_ERROR(CheckVector(context, inputs_.projection_bias,
                                    "the bias of the projection", outputs));
  MUNJA_RETURN_IF_ERROR(CheckVector(context, inputs_.output_state,
                                    "the output state", batch * outputs));
  return CheckVector(context, inputs_.cell_state, "the cell state",
                     batch * units);
}

Result<LstmPlan> LstmLayer::Prepare(const PrepareContext& context,
                                    int64_t steps, int64_t batch,
                                    int output) const {
  const Shape& w = context.input(inputs_.weights[kOutputGate]).shape;
  const Shape& r = context.input(inputs_.recurrent[kOutputGate]).shape;
  const int recurrent_rank = is_diagonal_ ? 1 : 2;
  if (w.rank() != 2 || w[0] < 1 || r.rank() != recurrent_rank || r.back() < 1) {
    return Malformed("weights have shapes " + w.ToString() + " and " +
                     r.ToString() + ", want units x inputs, " +
                     (is_diagonal_ ? "units" : "units x outputs"));
  }
  const int64_t units = w[0], inputs = w[1], outputs = r.back();
  const Shape& in = context.input(inputs_.input).shape;
  if (in.back() != inputs) {
    return Malformed("the input has shape " + in.ToString() +
                     ", the weights want rows of " + std::to_string(inputs));
  }
  int64_t aux = 0;
  if (aux_[kOutputGate].exists()) aux = context.input(inputs_.aux).shape.back();
  for (int g = first_gate(); g < kLstmGates; ++g) {
    MUNJA_RETURN_IF_ERROR(weights_[g].Check(context, units, inputs));
    MUNJA_RETURN_IF_ERROR(
        is_diagonal_ ? CheckVector(context, inputs_.recurrent[g],
                                   Of("the recurrent weights", g), units)
                     : recurrent_[g].Check(context, units, outputs));
    if (aux > 0) MUNJA_RETURN_IF_ERROR(aux_[g].Check(context, units, aux));
  }
  if (projection_.exists()) {
    MUNJA_RETURN_IF_ERROR(projection_.Check(context, outputs, units));
  }
  if (units != outputs && (is_diagonal_ || !projection_.exists())) {
    return Malformed("recurrent weights take " + std::to_string(outputs) +
                     " numbers, but there are " + std::to_string(units) +
                     " units and no projection");
  }
  LstmPlan plan;
  plan.sizes = {static_cast<size_t>(steps),  static_cast<size_t>(batch),
                static_cast<size_t>(inputs), static_cast<size_t>(aux),
                static_cast<size_t>(units),  static_cast<size_t>(outputs)};
  MUNJA_RETURN_IF_ERROR(CheckVectors(context, plan.sizes));
  if (arithmetic_ == Arithmetic::kInteger) {
    MUNJA_ASSIGN_OR_RETURN(plan.scales, ComputeScales(context, output));
  }
  return plan;
}

// In float where TensorFlow Lite has float: the last bit of a multiplier can
// depend on it.
Result<LstmScales> LstmLayer::ComputeScales(const PrepareContext& context,
                                            int output) const {
  MUNJA_ASSIGN_OR_RETURN(const Affine in,
                         PerTensor(context.input(inputs_.input), "the input"));
  MUNJA_ASSIGN_OR_RETURN(
      const Affine state,
      PerTensor(context.input(inputs_.output_state), "the output state"));
  MUNJA_ASSIGN_OR_RETURN(
      const Affine cell,
      PerTensor(context.input(inputs_.cell_state), "the cell state"));
  MUNJA_ASSIGN_OR_RETURN(const Affine out,
                         PerTensor(context.output(output), "the output"));
  const float log2 = std::log2(cell.scale);
  const auto cell_exponent = static_cast<int>(std::round(log2));
  if (std::abs(log2 - std::round(log2)) > 1e-3f || cell_exponent < -15 ||
      cell_exponent > -9) {
    return Unsupported("the cell state has scale " +
                       std::to_string(cell.scale) +
                       ", want a power of two in [2^-15, 2^-9]");
  }
  LstmScales s;
  s.input_zero = in.zero;
  s.state_zero = state.zero;
  s.cell.is_coupled = is_coupled_;
  s.cell.cell_exponent = cell_exponent;
  s.cell.cell_clip =
      static_cast<int16_t>(std::min(cell_clip_ / cell.scale, 32767.0f));
  for (int g = first_gate(); g < kLstmGates; ++g) {
    const float gate = intermediate_scales_[g];
    const auto scale = [&](int i) { return context.input(i).scale(); };
    s.input[g] = MultiplierOf(scale(inputs_.weights[g]) * in.scale / gate);
    s.recurrent[g] =
        MultiplierOf(scale(inputs_.recurrent[g]) * state.scale / gate);
    if (has_peephole_ && inputs_.peephole[g] >= 0) {
      MUNJA_ASSIGN_OR_RETURN(
          const Affine peephole,
          PerTensor(context.input(inputs_.peephole[g]), Of("the peephole", g)));
      s.cell.peephole_scale[g] =
          MultiplierOf(std::ldexp(1.0f, cell_exponent) * peephole.scale / gate);
    }
    if (has_norm_) {
      MUNJA_ASSIGN_OR_RETURN(const Affine norm,
                             PerTensor(context.input(inputs_.norm[g]),
                                       Of("the normalization", g)));
      s.cell.norm_scale[g] = MultiplierOf(norm.scale);
      s.cell.least_variance[g] = std::max(
          1, static_cast<int32_t>(std::min(10000.0f * norm.scale, 1e9f)));
    }
  }
  const float hidden = intermediate_scales_[kLstmGates];
  s.cell.hidden_scale = MultiplierOf(0x1p-15f / hidden * 0x1p-15f);
  if (projection_.exists()) {
    s.projection = MultiplierOf(context.input(inputs_.projection).scale() *
                                hidden / state.scale);
    // The hidden vector is kept with the opposite zero point.
    s.hidden_zero = s.cell.hidden_zero = -hidden_zero_;
  } else {
    s.cell.hidden_zero = hidden_zero_;
  }
  s.projection_clip =
      static_cast<int8_t>(std::min(projection_clip_ / out.scale, 127.0f));
  return s;
}

int64_t LstmLayer::MultiplyAccumulates(
    std::span<const TensorView> inputs) const {
  const Shape& in = inputs[static_cast<size_t>(inputs_.input)].shape;
  int64_t weights = 0;
  const auto add = [&](const RnnMatrix& matrix) {
    if (matrix.exists())
      weights += inputs[static_cast<size_t>(matrix.input())].shape.elements();
  };
  for (const Matrices* matrices : {&weights_, &recurrent_, &aux_})
    for (const RnnMatrix& matrix : *matrices) add(matrix);
  add(projection_);
  return in.elements(0, in.rank() - 1) * weights;
}

size_t LstmLayer::packed_bytes() const {
  size_t bytes = projection_.packed_bytes();
  for (const Matrices* matrices : {&weights_, &recurrent_, &aux_})
    for (const RnnMatrix& matrix : *matrices) bytes += matrix.packed_bytes();
  return bytes;
}

}  // namespace munja::ops
