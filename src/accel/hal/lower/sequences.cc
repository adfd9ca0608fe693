// HAL operations of recurrent networks: their states are inputs and outputs,
// where the schema has variables. A state that is an input of the model becomes
// a variable that is an input, too; the state that comes out is a copy of the
// variable after its node.
#include <algorithm>
#include <utility>
#include <vector>

#include "hal/lower/lowering.h"
#include "hal/operations.h"

namespace munja::hal {
namespace {

using graph::Attributes;
using graph::kNoValue;
using graph::ValueId;

// Inputs [first, last) of the operation.
void Append(const Lowering& l, int first, int last,
            std::vector<ValueId>* inputs) {
  for (int i = first; i < last; ++i) inputs->push_back(l.in(i));
}

Result<ValueId> State(Lowering& l, int i) {
  const ValueId v = l.BeforeHelper(l.in(i));
  if (v == kNoValue) return Unsupported("an omitted state cannot be lowered");
  if (!l.IsFedToOne(v))
    return Unsupported("a state with other readers cannot be lowered");
  l.value(v).is_variable = true;
  return v;
}

// Output o, where there is one, is what the variable holds now.
Status CopyState(Lowering& l, ValueId state, int o) {
  if (o >= l.outputs()) return Status();
  const std::vector<int32_t> dims = l.DimsOf(state);
  if (dims.empty() || std::ranges::count(dims, 0) != 0)
    return Unsupported("a state of unknown dimensions cannot be lowered");
  const ValueId shape = l.Ints32(dims, false);
  l.Emit("RESHAPE", {}, {state, shape}, {l.out(o)});
  return Status();
}

Result<Attributes> LstmAttributes(const Lowering& l, int first) {
  Attributes attributes;
  MUNJA_ASSIGN_OR_RETURN(const std::string activation,
                         ActivationOf(l.Int(first)));
  attributes.Set("fused_activation_function", activation);
  attributes.Set("cell_clip", double{l.Float(first + 1)});
  attributes.Set("proj_clip", double{l.Float(first + 2)});
  return attributes;
}

Status Lstm(Lowering& l) {
  MUNJA_ASSIGN_OR_RETURN(const Attributes attributes, LstmAttributes(l, 20));
  MUNJA_ASSIGN_OR_RETURN(const ValueId h, State(l, 18));
  MUNJA_ASSIGN_OR_RETURN(const ValueId c, State(l, 19));
  std::vector<ValueId> inputs;
  Append(l, 0, 18, &inputs);
  inputs.insert(inputs.end(), {h, c});
  Append(l, 23, 27, &inputs);
  l.Emit("LSTM", attributes, inputs, {l.out(3)});
  MUNJA_RETURN_IF_ERROR(CopyState(l, h, 1));
  MUNJA_RETURN_IF_ERROR(CopyState(l, c, 2));
  // Scratch memory of the HAL, whose content is not compared: any tensor of its
  // size.
  Attributes along_units;
  along_units.Set("axis", int64_t{1});
  l.Emit("CONCATENATION", along_units,
         std::vector<ValueId>(l.has(1) ? 4 : 3, c), {l.out(0)});
  return Status();
}

Status SequenceLstm(Lowering& l) {
  MUNJA_ASSIGN_OR_RETURN(Attributes attributes, LstmAttributes(l, 20));
  attributes.Set("time_major", l.Int(23) != 0);
  MUNJA_ASSIGN_OR_RETURN(const ValueId h, State(l, 18));
  MUNJA_ASSIGN_OR_RETURN(const ValueId c, State(l, 19));
  std::vector<ValueId> inputs;
  Append(l, 0, 18, &inputs);
  inputs.insert(inputs.end(), {h, c});
  Append(l, 24, 28, &inputs);
  l.Emit("UNIDIRECTIONAL_SEQUENCE_LSTM", attributes, inputs, {l.out(0)});
  MUNJA_RETURN_IF_ERROR(CopyState(l, h, 1));
  MUNJA_RETURN_IF_ERROR(CopyState(l, c, 2));
  return Status();
}

// An auxiliary input acts as more columns of the input, with its weights as
// more columns of the weights.
void JoinAuxiliary(Lowering& l, int side, ValueId aux,
                   std::vector<ValueId>* inputs) {
  const auto join = [&](ValueId& v, ValueId more, int64_t axis) {
    if (v == kNoValue || more == kNoValue) return;
    Attributes attributes;
    attributes.Set("axis", axis);
    const ValueId joined = l.Like(v, "joined");
    l.Emit("CONCATENATION", attributes, {v, more}, {joined});
    v = joined;
  };
  join((*inputs)[0], aux, 2);
  for (int g = 0; g < 4; ++g)
    join((*inputs)[1 + g], l.in(40 + 4 * side + g), 1);
}

// The schema's operator has no normalization: two of one direction.
Status NormalizedBidirectionalLstm(Lowering& l, Attributes attributes,
                                   const std::vector<ValueId>& states) {
  // Without weights the auxiliary input is the second direction's own.
  const bool is_joined = l.has(39) && l.has(41);
  const bool merges = l.Int(51) != 0, is_time_major = l.Int(52) != 0;
  attributes.Set("time_major", is_time_major);
  const ValueId axis = l.Ints32({is_time_major ? 0 : 1}, false);
  ValueId sides[2];
  for (const int side : {0, 1}) {
    const auto turned = [&](ValueId v) {
      if (side == 0) return v;
      const ValueId reversed = l.Like(v, "reversed");
      l.Emit("REVERSE_V2", {}, {v, axis}, {reversed});
      return reversed;
    };
    const bool is_other = side == 1 && l.has(39) && !is_joined;
    const ValueId input = turned(is_other ? l.in(39) : l.in(0));
    std::vector<ValueId> inputs = {input};
    Append(l, 1 + 17 * side, 18 + 17 * side, &inputs);
    if (is_joined) JoinAuxiliary(l, side, turned(l.in(39)), &inputs);
    inputs.insert(inputs.end(), {states[2 * side], states[2 * side + 1]});
    Append(l, 53 + 4 * side, 57 + 4 * side, &inputs);
    ValueId out = side == 0 && !merges ? l.out(0) : l.Like(input, "side");
    l.Emit("UNIDIRECTIONAL_SEQUENCE_LSTM", attributes, inputs, {out});
    if (side == 1) {
      const ValueId reversed = merges ? l.Like(input, "side") : l.out(1);
      l.Emit("REVERSE_V2", {}, {out, axis}, {reversed});
      out = reversed;
    }
    sides[side] = out;
  }
  if (merges) {
    Attributes last;
    last.Set("axis", int64_t{2});
    l.Emit("CONCATENATION", last, {sides[0], sides[1]}, {l.out(0)});
  }
  return Status();
}

Status BidirectionalLstm(Lowering& l) {
  MUNJA_ASSIGN_OR_RETURN(Attributes attributes, LstmAttributes(l, 48));
  std::vector<ValueId> states;
  for (int i = 35; i < 39; ++i) {
    MUNJA_ASSIGN_OR_RETURN(const ValueId state, State(l, i));
    states.push_back(state);
  }
  const bool merges = l.Int(51) != 0;
  if (l.has(54) || l.has(58)) {
    MUNJA_RETURN_IF_ERROR(NormalizedBidirectionalLstm(l, attributes, states));
  } else {
    attributes.Set("merge_outputs", merges);
    attributes.Set("time_major", l.Int(52) != 0);
    std::vector<ValueId> inputs, outputs = {l.out(0)};
    Append(l, 0, 35, &inputs);
    inputs.insert(inputs.end(), states.begin(), states.end());
    Append(l, 39, 48, &inputs);
    if (!merges) outputs.push_back(l.out(1));
    l.Emit("BIDIRECTIONAL_SEQUENCE_LSTM", attributes, inputs, outputs);
  }
  for (int k = 0; k < 4; ++k)
    MUNJA_RETURN_IF_ERROR(CopyState(l, states[k], (merges ? 1 : 2) + k));
  return Status();
}

Status Rnn(Lowering& l) {
  const bool is_sequence = l.type() != MUNJA_NN_RNN;
  Attributes attributes;
  MUNJA_ASSIGN_OR_RETURN(const std::string activation, ActivationOf(l.Int(5)));
  attributes.Set("fused_activation_function", activation);
  if (is_sequence) attributes.Set("time_major", l.Int(6) != 0);
  MUNJA_ASSIGN_OR_RETURN(const ValueId h, State(l, 4));
  std::vector<ValueId> inputs;
  Append(l, 0, 4, &inputs);
  inputs.push_back(h);
  l.Emit(l.name(), attributes, inputs, {l.out(is_sequence ? 0 : 1)});
  MUNJA_RETURN_IF_ERROR(CopyState(l, h, is_sequence ? 1 : 0));
  return Status();
}

Status BidirectionalRnn(Lowering& l) {
  Attributes attributes;
  MUNJA_ASSIGN_OR_RETURN(const std::string activation, ActivationOf(l.Int(12)));
  const bool merges = l.Int(14) != 0;
  attributes.Set("fused_activation_function", activation);
  attributes.Set("time_major", l.Int(13) != 0);
  attributes.Set("merge_outputs", merges);
  MUNJA_ASSIGN_OR_RETURN(const ValueId forward, State(l, 4));
  MUNJA_ASSIGN_OR_RETURN(const ValueId backward, State(l, 8));
  std::vector<ValueId> inputs, outputs = {l.out(0)};
  Append(l, 0, 4, &inputs);
  inputs.push_back(forward);
  Append(l, 5, 8, &inputs);
  inputs.push_back(backward);
  Append(l, 9, 12, &inputs);
  if (!merges) outputs.push_back(l.out(1));
  l.Emit(l.name(), attributes, inputs, outputs);
  MUNJA_RETURN_IF_ERROR(CopyState(l, forward, merges ? 1 : 2));
  MUNJA_RETURN_IF_ERROR(CopyState(l, backward, merges ? 2 : 3));
  return Status();
}

// The HAL shifts the state after a run, the schema before: the states that the
// examples give are zeros, and the output is not compared.
// One matrix for all gates, from those of input, cell, forget and output. The
// numbers that the examples expect come from columns in this order: those of
// the recurrent weights first, although the input comes before the activation.
Status Quantized16BitLstm(Lowering& l) {
  Attributes rows, columns;
  rows.Set("axis", int64_t{0});
  columns.Set("axis", int64_t{1});
  std::vector<ValueId> gates, biases;
  for (const int g : {0, 2, 1, 3}) {
    const ValueId gate = l.Like(l.in(1 + g), "gate");
    l.Emit("CONCATENATION", columns, {l.in(5 + g), l.in(1 + g)}, {gate});
    gates.push_back(gate);
    biases.push_back(l.in(9 + g));
  }
  const ValueId weights = l.Like(gates[0], "weights");
  const ValueId bias = l.Like(biases[0], "bias");
  l.Emit("CONCATENATION", rows, gates, {weights});
  l.Emit("CONCATENATION", rows, biases, {bias});
  const ValueId concatenation = l.Like(l.in(0), "concatenation");
  const ValueId temporary = l.Like(l.in(13), "gates");
  l.value(l.out(1)).quantization = l.value(l.in(14)).quantization;
  Attributes attributes;
  attributes.Set("kernel_type", std::string("BASIC"));
  attributes.Set("fused_activation_function", std::string("TANH"));
  l.Emit("LSTM", attributes, {l.in(0), l.in(14), weights, bias, l.in(13)},
         {l.out(1), l.out(0), concatenation, temporary});
  return Status();
}

Status QuantizedLstm(Lowering& l) {
  Attributes attributes;
  attributes.Set("fused_activation_function", std::string("TANH"));
  attributes.Set("cell_clip", double{l.Float(24)});
  attributes.Set("proj_clip", double{l.Float(25)});
  MUNJA_ASSIGN_OR_RETURN(const ValueId h, State(l, 18));
  MUNJA_ASSIGN_OR_RETURN(const ValueId c, State(l, 19));
  std::vector<ValueId> inputs, intermediates;
  Append(l, 0, 18, &inputs);
  inputs.insert(inputs.end(), {h, c});
  Append(l, 20, 24, &inputs);
  for (int g = 0; g < 4; ++g)
    intermediates.push_back(
        l.Intermediate(ElementType::kInt16, l.Float(26 + g), 0));
  intermediates.push_back(l.Intermediate(ElementType::kInt8, l.Float(31),
                                         static_cast<int32_t>(l.Int(30))));
  l.Emit("LSTM", attributes, inputs, {l.out(2)});
  l.SetIntermediates(intermediates);
  MUNJA_RETURN_IF_ERROR(CopyState(l, h, 0));
  MUNJA_RETURN_IF_ERROR(CopyState(l, c, 1));
  return Status();
}

constexpr std::pair<int32_t, LowerFunction> kLoweredSequences[] = {
    {MUNJA_NN_BIDIRECTIONAL_SEQUENCE_LSTM, BidirectionalLstm},
    {MUNJA_NN_BIDIRECTIONAL_SEQUENCE_RNN, BidirectionalRnn},
    {MUNJA_NN_LSTM, Lstm},
    {MUNJA_NN_QUANTIZED_16BIT_LSTM, Quantized16BitLstm},
    {MUNJA_NN_QUANTIZED_LSTM, QuantizedLstm},
    {MUNJA_NN_RNN, Rnn},
    {MUNJA_NN_UNIDIRECTIONAL_SEQUENCE_LSTM, SequenceLstm},
    {MUNJA_NN_UNIDIRECTIONAL_SEQUENCE_RNN, Rnn},
};

}  // namespace

LowerFunction FindSequenceLowering(int32_t type) {
  for (const auto& [name, lower] : kLoweredSequences)
    if (name == type) return lower;
  return nullptr;
}

}  // namespace munja::hal
