// The arithmetic of LstmLayer: steps in order, all batch entries at once.
#include <algorithm>
#include <cstring>

#include "ops/support/rnn/lstm_layer.h"

namespace munja::ops {
namespace {

using kernels::kCellGate;
using kernels::kLstmGates;

// Floats of gates to compute ahead at once.
constexpr size_t kChunkFloats = size_t{1} << 18;

// Rows of a sequence: step by step or batch entry by batch entry.
template <class T>
struct Rows {
  T* data = nullptr;
  size_t step = 0, batch = 0;  // Elements from one to the next.

  T* at(size_t s, size_t b) const { return data + s * step + b * batch; }
};

template <class T>
Rows<T> RowsOf(T* data, size_t row, const LstmSizes& sizes,
               bool is_time_major) {
  return is_time_major ? Rows<T>{data, sizes.batch * row, row}
                       : Rows<T>{data, row, sizes.steps * row};
}

template <class T>
void CopyOut(const Rows<T>& rows, size_t step, const LstmSizes& sizes,
             const T* state) {
  for (size_t b = 0; b < sizes.batch; ++b) {
    std::memcpy(rows.at(step, b), state + b * sizes.outputs,
                sizes.outputs * sizeof(T));
  }
}

void Clip(float* x, size_t count, float bound) {
  if (!(bound > 0.0f)) return;
  for (size_t i = 0; i < count; ++i) x[i] = std::clamp(x[i], -bound, bound);
}

}  // namespace

struct LstmLayer::Bound {
  std::array<BoundMatrix, kLstmGates> weights, recurrent, aux;
  BoundMatrix projection;
  // [chunk, batch, gates, units] floats, [batch, gates, units] elsewhere.
  float* gates = nullptr;
  int16_t* integer_gates = nullptr;
  // [batch, units], where there is a projection.
  float* hidden = nullptr;
  int8_t* integer_hidden = nullptr;
  float* peepholes = nullptr;  // [gates, units], from int8.
  QuantizedRows input, aux_input, state, hidden_rows;
};

size_t LstmLayer::ChunkSteps(const LstmSizes& sizes) const {
  if (arithmetic_ != Arithmetic::kFloat) return 1;
  return std::clamp<size_t>(
      kChunkFloats / (sizes.batch * gates() * sizes.units + 1), 1,
      std::max<size_t>(sizes.steps, 1));
}

void LstmLayer::TakeScratch(const LstmSizes& sizes, ScratchPieces& scratch,
                            Bound* bound) const {
  const size_t row = gates() * sizes.units;
  const size_t hidden = projection_.exists() ? sizes.batch * sizes.units : 0;
  if (arithmetic_ == Arithmetic::kInteger) {
    bound->integer_gates = scratch.Take<int16_t>(sizes.batch * row);
    bound->integer_hidden = scratch.Take<int8_t>(hidden);
    return;
  }
  bound->gates = scratch.Take<float>(ChunkSteps(sizes) * sizes.batch * row);
  bound->hidden = scratch.Take<float>(hidden);
  if (arithmetic_ == Arithmetic::kFloat) return;
  bound->peepholes = scratch.Take<float>(has_peephole_ ? row : 0);
  bound->input = QuantizedRows::Take(scratch, sizes.batch, sizes.inputs);
  bound->aux_input = QuantizedRows::Take(scratch, sizes.batch, sizes.aux);
  bound->state = QuantizedRows::Take(scratch, sizes.batch, sizes.outputs);
  bound->hidden_rows = QuantizedRows::Take(
      scratch, projection_.exists() ? sizes.batch : 0, sizes.units);
}

size_t LstmLayer::ScratchBytes(const PrepareContext& context,
                               const LstmSizes& sizes) const {
  ScratchPieces scratch;
  Bound bound;
  TakeScratch(sizes, scratch, &bound);
  for (const Matrices* matrices : {&weights_, &recurrent_, &aux_})
    for (const RnnMatrix& matrix : *matrices)
      matrix.CountScratch(context, scratch);
  projection_.CountScratch(context, scratch);
  return scratch.bytes();
}

void LstmLayer::Eval(EvalContext& context, const LstmPlan& plan, const Run& run,
                     void* memory) const {
  ScratchPieces scratch(memory);
  Bound bound;
  TakeScratch(plan.sizes, scratch, &bound);
  for (int g = 0; g < kLstmGates; ++g) {
    bound.weights[g] = weights_[g].Bind(context, scratch);
    bound.recurrent[g] = recurrent_[g].Bind(context, scratch);
    bound.aux[g] = aux_[g].Bind(context, scratch);
  }
  bound.projection = projection_.Bind(context, scratch);
  switch (arithmetic_) {
    case Arithmetic::kFloat:
      return EvalFloat(context, plan.sizes, run, bound);
    case Arithmetic::kHybrid:
      return EvalHybrid(context, plan.sizes, run, bound);
    case Arithmetic::kInteger:
      return EvalInteger(context, plan, run, bound);
  }
}

// `peepholes`: room for those that are int8.
kernels::LstmCell LstmLayer::FloatCell(const EvalContext& context, size_t units,
                                       float* peepholes) const {
  kernels::LstmCell cell;
  cell.units = units;
  cell.is_coupled = is_coupled_;
  cell.activation = activation_;
  cell.cell_clip = cell_clip_;
  for (int g = first_gate(); g < kLstmGates; ++g) {
    cell.norm[g] = Vector<float>(context, inputs_.norm[g]);
    cell.bias[g] = Vector<float>(context, inputs_.bias[g]);
    const int i = inputs_.peephole[g];
    if (i < 0 || !context.has_input(i)) continue;
    const TensorView& view = context.input(i);
    if (view.type == ElementType::kFloat32) {
      cell.peephole[g] = view.as<float>();
      continue;
    }
    float* real = peepholes + GateOffset(g, units);
    for (size_t u = 0; u < units; ++u)
      real[u] = view.scale() * view.as<int8_t>()[u];
    cell.peephole[g] = real;
  }
  return cell;
}

void LstmLayer::EvalFloat(EvalContext& context, const LstmSizes& sizes,
                          const Run& run, Bound& bound) const {
  const size_t units = sizes.units, batch = sizes.batch;
  const size_t row = gates() * units;
  const kernels::LstmCell lstm = FloatCell(context, units, nullptr);
  const auto input = RowsOf(Vector<float>(context, inputs_.input), sizes.inputs,
                            sizes, run.is_time_major);
  const auto aux =
      RowsOf(sizes.aux > 0 ? Vector<float>(context, inputs_.aux) : nullptr,
             sizes.aux, sizes, run.is_time_major);
  const auto output =
      RowsOf(context.output(run.output).mutable_as<float>() + run.output_offset,
             run.output_row, sizes, run.is_time_major);
  auto* state = context.input(inputs_.output_state).mutable_as<float>();
  auto* cell = context.input(inputs_.cell_state).mutable_as<float>();
  const size_t chunk = ChunkSteps(sizes);
  const Rows<float> gate_rows{bound.gates, batch * row, row};

  // The part of the gates that depends on the sequence alone, for steps
  // [first, first + count): one product for each gate and batch entry, or for
  // all entries where their rows follow each other.
  const auto multiply_inputs = [&](size_t first, size_t count) {
    const bool is_dense = run.is_time_major || batch == 1;
    const size_t blocks = is_dense ? 1 : batch;
    const size_t rows = is_dense ? count * batch : count;
    for (int g = first_gate(); g < kLstmGates; ++g) {
      const float* bias = has_norm_ ? nullptr : lstm.bias[g];
      for (size_t b = 0; b < blocks; ++b) {
        float* to = gate_rows.at(0, b) + GateOffset(g, units);
        const size_t ld = is_dense ? row : gate_rows.step;
        bound.weights[g].Multiply(input.at(first, b), sizes.inputs, rows, bias,
                                  nullptr, to, ld, context.pool());
        if (sizes.aux > 0)
          bound.aux[g].Multiply(aux.at(first, b), sizes.aux, rows, nullptr, to,
                                to, ld, context.pool());
      }
    }
  };

  for (size_t done = 0; done < sizes.steps;) {
    const size_t count = std::min(chunk, sizes.steps - done);
    const size_t first = run.is_backward ? sizes.steps - done - count : done;
    multiply_inputs(first, count);
    for (size_t k = 0; k < count; ++k) {
      const size_t at = run.is_backward ? count - 1 - k : k;
      for (int g = first_gate(); g < kLstmGates; ++g) {
        float* gate = gate_rows.at(at, 0) + GateOffset(g, units);
        if (is_diagonal_) {
          const auto* diagonal = Vector<float>(context, inputs_.recurrent[g]);
          for (size_t b = 0; b < batch; ++b)
            for (size_t u = 0; u < units; ++u)
              gate[b * row + u] += diagonal[u] * state[b * units + u];
          continue;
        }
        bound.recurrent[g].Multiply(state, sizes.outputs, batch, nullptr, gate,
                                    gate, row, context.pool());
      }
      float* hidden = projection_.exists() ? bound.hidden : state;
      for (size_t b = 0; b < batch; ++b) {
        float* row_gates = gate_rows.at(at, b);
        if (use_reference_) {
          kernels::reference::UpdateCell(lstm, row_gates, cell + b * units,
                                         hidden + b * units);
        } else {
          kernels::UpdateCell(lstm, row_gates, cell + b * units,
                              hidden + b * units);
        }
      }
      ProjectFloat(context, sizes, bound, state);
      CopyOut(output, first + at, sizes, state);
    }
    done += count;
  }
}

void LstmLayer::ProjectFloat(EvalContext& context, const LstmSizes& sizes,
                             Bound& bound, float* state) const {
  if (!projection_.exists()) return;
  const auto* bias = Vector<float>(context, inputs_.projection_bias);
  if (arithmetic_ == Arithmetic::kFloat) {
    bound.projection.Multiply(bound.hidden, sizes.units, sizes.batch, bias,
                              nullptr, state, sizes.outputs, context.pool());
  } else {
    for (size_t b = 0; b < sizes.batch; ++b) {
      float* to = state + b * sizes.outputs;
      for (size_t o = 0; o < sizes.outputs; ++o)
        to[o] = bias != nullptr ? bias[o] : 0.0f;
    }
    bound.hidden_rows.Fill(bound.hidden, sizes.units, sizes.batch,
                           is_asymmetric_);
    bound.projection.AddHybrid(bound.hidden_rows, sizes.batch, state,
                               sizes.outputs, context.pool());
  }
  Clip(state, sizes.batch * sizes.outputs, projection_clip_);
}

void LstmLayer::EvalHybrid(EvalContext& context, const LstmSizes& sizes,
                           const Run& run, Bound& bound) const {
  const size_t units = sizes.units, batch = sizes.batch;
  const size_t row = gates() * units;
  const kernels::LstmCell lstm = FloatCell(context, units, bound.peepholes);
  const auto input = RowsOf(Vector<float>(context, inputs_.input), sizes.inputs,
                            sizes, run.is_time_major);
  const auto aux =
      RowsOf(sizes.aux > 0 ? Vector<float>(context, inputs_.aux) : nullptr,
             sizes.aux, sizes, run.is_time_major);
  const auto output =
      RowsOf(context.output(run.output).mutable_as<float>() + run.output_offset,
             run.output_row, sizes, run.is_time_major);
  auto* state = context.input(inputs_.output_state).mutable_as<float>();
  auto* cell = context.input(inputs_.cell_state).mutable_as<float>();
  float* hidden = projection_.exists() ? bound.hidden : state;
  for (size_t k = 0; k < sizes.steps; ++k) {
    const size_t step = run.is_backward ? sizes.steps - 1 - k : k;
    bound.input.Fill(input.at(step, 0), input.batch, batch, is_asymmetric_);
    if (sizes.aux > 0)
      bound.aux_input.Fill(aux.at(step, 0), aux.batch, batch, is_asymmetric_);
    bound.state.Fill(state, sizes.outputs, batch, is_asymmetric_);
    for (int g = first_gate(); g < kLstmGates; ++g) {
      float* gate = bound.gates + GateOffset(g, units);
      for (size_t b = 0; b < batch; ++b)
        for (size_t u = 0; u < units; ++u)
          gate[b * row + u] = has_norm_ ? 0.0f : lstm.bias[g][u];
      bound.weights[g].AddHybrid(bound.input, batch, gate, row, context.pool());
      if (sizes.aux > 0)
        bound.aux[g].AddHybrid(bound.aux_input, batch, gate, row,
                               context.pool());
      bound.recurrent[g].AddHybrid(bound.state, batch, gate, row,
                                   context.pool());
    }
    for (size_t b = 0; b < batch; ++b) {
      kernels::UpdateCell(lstm, bound.gates + b * row, cell + b * units,
                          hidden + b * units);
    }
    ProjectFloat(context, sizes, bound, state);
    CopyOut(output, step, sizes, state);
  }
}

void LstmLayer::EvalInteger(EvalContext& context, const LstmPlan& plan,
                            const Run& run, Bound& bound) const {
  const LstmSizes& sizes = plan.sizes;
  const LstmScales& scales = plan.scales;
  const size_t units = sizes.units, batch = sizes.batch;
  const size_t row = gates() * units;
  kernels::IntegerLstmCell lstm = scales.cell;
  lstm.units = units;
  for (int g = first_gate(); g < kLstmGates; ++g) {
    lstm.norm[g] = Vector<int16_t>(context, inputs_.norm[g]);
    lstm.bias[g] = Vector<int32_t>(context, inputs_.bias[g]);
    lstm.peephole[g] = Vector<int16_t>(context, inputs_.peephole[g]);
  }
  const auto input = RowsOf(Vector<int8_t>(context, inputs_.input),
                            sizes.inputs, sizes, run.is_time_major);
  const auto output = RowsOf(
      context.output(run.output).mutable_as<int8_t>() + run.output_offset,
      run.output_row, sizes, run.is_time_major);
  auto* state = context.input(inputs_.output_state).mutable_as<int8_t>();
  auto* cell = context.input(inputs_.cell_state).mutable_as<int16_t>();
  int8_t* hidden = projection_.exists() ? bound.integer_hidden : state;
  for (size_t k = 0; k < sizes.steps; ++k) {
    const size_t step = run.is_backward ? sizes.steps - 1 - k : k;
    for (int g = first_gate(); g < kLstmGates; ++g) {
      int16_t* gate = bound.integer_gates + GateOffset(g, units);
      bound.weights[g].MultiplyInteger(
          input.at(step, 0), input.batch, batch, scales.input_zero,
          has_norm_ ? nullptr : lstm.bias[g], scales.input[g], 0, false, gate,
          row, context.pool());
      bound.recurrent[g].MultiplyInteger(
          state, sizes.outputs, batch, scales.state_zero, nullptr,
          scales.recurrent[g], 0, true, gate, row, context.pool());
    }
    for (size_t b = 0; b < batch; ++b) {
      kernels::UpdateCell(lstm, bound.integer_gates + b * row, cell + b * units,
                          hidden + b * units);
    }
    if (projection_.exists()) {
      bound.projection.MultiplyInteger(
          hidden, units, batch, scales.hidden_zero,
          Vector<int32_t>(context, inputs_.projection_bias), scales.projection,
          scales.state_zero, false, state, sizes.outputs, context.pool());
      if (const int8_t clip = scales.projection_clip; clip > 0) {
        for (size_t i = 0; i < batch * sizes.outputs; ++i)
          state[i] =
              std::clamp<int8_t>(state[i], static_cast<int8_t>(-clip), clip);
      }
    }
    CopyOut(output, step, sizes, state);
  }
}

}  // namespace munja::ops
