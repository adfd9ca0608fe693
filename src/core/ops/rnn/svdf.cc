// SVDF: a dense layer over time of low rank. Each of `filters` features of the
// input is remembered for `memory` steps in a variable; an output is the
// weighted sum of the memories of `rank` filters. Float, with int8 weights, or
// in integers with a state of int16 or int8.
#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include "kernels/elementwise/activation.h"
#include "ops/op.h"
#include "ops/support/operands.h"
#include "ops/support/quantized/quantized.h"
#include "ops/support/rnn/rnn_matrix.h"
#include "ops/support/window.h"

namespace munja::ops::svdf {
namespace {

enum { kInput, kFeatureWeights, kTimeWeights, kBias, kState };

struct SvdfState final : State {
  size_t batch = 0, inputs = 0, filters = 0, memory = 0, units = 0;
  // Integers only.
  kernels::Multiplier to_state, to_output;
  int32_t input_zero = 0, state_zero = 0, output_zero = 0;
  StoredRange range;
};

class SvdfKernel final : public Kernel {
 public:
  Status Prepare(PrepareContext& context) const override {
    const Shape& in = context.input(kInput).shape;
    const Shape& time = context.input(kTimeWeights).shape;
    if (in.rank() != 2 || time.rank() != 2 || time[1] < 1) {
      return Malformed("the input has shape " + in.ToString() +
                       ", weights of time " + time.ToString());
    }
    const int64_t filters = time[0], memory = time[1];
    if (filters < rank_ || filters % rank_ != 0) {
      return Malformed(std::to_string(filters) + " filters cannot have rank " +
                       std::to_string(rank_));
    }
    MUNJA_RETURN_IF_ERROR(weights_.Check(context, filters, in[1]));
    const int64_t units = filters / rank_;
    if (context.has_input(kBias) &&
        context.input(kBias).shape.elements() != units) {
      return Malformed("the bias has shape " +
                       context.input(kBias).shape.ToString() + ", want " +
                       std::to_string(units) + " numbers");
    }
    const Shape& kept = context.input(kState).shape;
    if (kept.rank() != 2 || kept[0] != in[0] || kept[1] != filters * memory) {
      return Malformed("the state has shape " + kept.ToString() + ", want " +
                       std::to_string(in[0]) + "x" +
                       std::to_string(filters * memory));
    }
    auto state = std::make_unique<SvdfState>();
    state->batch = static_cast<size_t>(in[0]);
    state->inputs = static_cast<size_t>(in[1]);
    state->filters = static_cast<size_t>(filters);
    state->memory = static_cast<size_t>(memory);
    state->units = static_cast<size_t>(units);
    if (arithmetic_ == Arithmetic::kInteger) {
      MUNJA_RETURN_IF_ERROR(ReadScales(context, state.get()));
    } else if (arithmetic_ == Arithmetic::kHybrid) {
      MUNJA_RETURN_IF_ERROR(CheckTimeScale(context));
    }
    ScratchPieces scratch;
    weights_.CountScratch(context, scratch);
    Take(scratch, *state);
    context.RequestScratch(scratch.bytes());
    context.SetState(std::move(state));
    return context.SetOutputShape(0, Shape{in[0], static_cast<int32_t>(units)});
  }

  Status Eval(EvalContext& context) const override {
    const auto& s = *static_cast<const SvdfState*>(context.state());
    ScratchPieces scratch(context.scratch());
    const BoundMatrix weights = weights_.Bind(context, scratch);
    const Pieces pieces = Take(scratch, s);
    if (arithmetic_ != Arithmetic::kInteger) {
      EvalFloat(context, s, weights, pieces);
    } else if (context.input(kState).type == ElementType::kInt16) {
      EvalInteger<int16_t>(context, s, weights, pieces);
    } else {
      EvalInteger<int8_t>(context, s, weights, pieces);
    }
    return Status();
  }

  int64_t MultiplyAccumulates(
      std::span<const TensorView> inputs,
      std::span<const TensorView> outputs) const override {
    (void)outputs;
    return inputs[0].shape[0] * (inputs[kFeatureWeights].shape.elements() +
                                 inputs[kTimeWeights].shape.elements());
  }
  size_t packed_bytes() const override { return weights_.packed_bytes(); }

  RnnMatrix weights_;
  Arithmetic arithmetic_ = Arithmetic::kFloat;
  kernels::Activation activation_;
  int64_t rank_ = 1;
  bool is_asymmetric_ = false, use_reference_ = false;

 private:
  // Scratch memory of one run.
  struct Pieces {
    float* features = nullptr;  // [batch, filters], also as integers
    int8_t* byte_features = nullptr;
    int16_t* short_features = nullptr;
    QuantizedRows rows;
  };
  Pieces Take(ScratchPieces& scratch, const SvdfState& s) const {
    Pieces p;
    const size_t count = s.batch * s.filters;
    if (arithmetic_ == Arithmetic::kInteger) {
      p.short_features = scratch.Take<int16_t>(count);
      p.byte_features = scratch.Take<int8_t>(count);
      return p;
    }
    p.features = scratch.Take<float>(count);
    if (arithmetic_ == Arithmetic::kHybrid)
      p.rows = QuantizedRows::Take(scratch, s.batch, s.inputs);
    return p;
  }

  static Status CheckTimeScale(const PrepareContext& context) {
    TensorView time = context.input(kTimeWeights);
    if (time.type == ElementType::kFloat32) return Status();
    time.type = ElementType::kInt8;  // Old converters call it uint8.
    MUNJA_ASSIGN_OR_RETURN(const Affine affine,
                           PerTensor(time, "the time weights"));
    return affine.zero == 0 ? Status()
                            : Malformed("the time weights have a zero point");
  }

  Status ReadScales(const PrepareContext& context, SvdfState* s) const {
    MUNJA_ASSIGN_OR_RETURN(const Affine in,
                           PerTensor(context.input(kInput), "the input"));
    MUNJA_ASSIGN_OR_RETURN(
        const Affine feature,
        PerTensor(context.input(kFeatureWeights), "the feature weights"));
    MUNJA_ASSIGN_OR_RETURN(
        const Affine time,
        PerTensor(context.input(kTimeWeights), "the time weights"));
    MUNJA_ASSIGN_OR_RETURN(const Affine kept,
                           PerTensor(context.input(kState), "the state"));
    MUNJA_ASSIGN_OR_RETURN(const Affine out,
                           PerTensor(context.output(0), "the output"));
    if (time.zero != 0) return Malformed("the time weights have a zero point");
    s->to_state = MultiplierOf(in.scale * feature.scale / kept.scale);
    s->to_output = MultiplierOf(kept.scale * time.scale / out.scale);
    s->input_zero = in.zero;
    s->state_zero = kept.zero;
    s->output_zero = out.zero;
    MUNJA_ASSIGN_OR_RETURN(
        s->range, ActivationRange(activation_.kind, out, ElementType::kInt8));
    return Status();
  }

  // Forgets the oldest step of each filter and appends the newest.
  template <class T>
  static void Remember(T* state, const T* features, size_t rows,
                       size_t memory) {
    for (size_t r = 0; r < rows; ++r, state += memory) {
      std::memmove(state, state + 1, (memory - 1) * sizeof(T));
      state[memory - 1] = features[r];
    }
  }

  void EvalFloat(EvalContext& context, const SvdfState& s,
                 const BoundMatrix& weights, Pieces p) const {
    const auto* in = context.input(kInput).as<float>();
    if (arithmetic_ == Arithmetic::kFloat) {
      weights.Multiply(in, s.inputs, s.batch, nullptr, nullptr, p.features,
                       s.filters, context.pool());
    } else {
      std::fill_n(p.features, s.batch * s.filters, 0.0f);
      p.rows.Fill(in, s.inputs, s.batch, is_asymmetric_);
      weights.AddHybrid(p.rows, s.batch, p.features, s.filters, context.pool());
    }
    auto* kept = context.input(kState).mutable_as<float>();
    Remember(kept, p.features, s.batch * s.filters, s.memory);
    const TensorView& time = context.input(kTimeWeights);
    const auto* bias =
        context.has_input(kBias) ? context.input(kBias).as<float>() : nullptr;
    auto* out = context.output(0).mutable_as<float>();
    const auto sum = [&](const auto* w, float scale) {
      const size_t span = s.filters / s.units * s.memory;
      for (size_t b = 0; b < s.batch; ++b) {
        for (size_t u = 0; u < s.units; ++u) {
          const float* row = kept + b * s.filters * s.memory + u * span;
          float total = 0.0f;
          for (size_t m = 0; m < span; ++m)
            total += row[m] * (scale * static_cast<float>(w[u * span + m]));
          out[b * s.units + u] = total + (bias != nullptr ? bias[u] : 0.0f);
        }
      }
    };
    if (time.type == ElementType::kFloat32) {
      sum(time.as<float>(), 1.0f);
    } else {
      sum(time.as<int8_t>(), time.scale());
    }
    if (use_reference_) {
      kernels::reference::Activate(activation_, out, s.batch * s.units, out);
    } else {
      kernels::Activate(activation_, out, s.batch * s.units, out);
    }
  }

  template <class T>
  void EvalInteger(EvalContext& context, const SvdfState& s,
                   const BoundMatrix& weights, const Pieces& p) const {
    T* features;
    if constexpr (sizeof(T) == 1) {
      features = p.byte_features;
    } else {
      features = p.short_features;
    }
    weights.MultiplyInteger(context.input(kInput).as<int8_t>(), s.inputs,
                            s.batch, s.input_zero, nullptr, s.to_state,
                            s.state_zero, false, features, s.filters,
                            context.pool());
    auto* kept = context.input(kState).mutable_as<T>();
    Remember(kept, features, s.batch * s.filters, s.memory);
    const auto* bias =
        context.has_input(kBias) ? context.input(kBias).as<int32_t>() : nullptr;
    const auto* time = context.input(kTimeWeights).as<T>();
    auto* out = context.output(0).mutable_as<int8_t>();
    const size_t span = s.filters / s.units * s.memory;
    for (size_t b = 0; b < s.batch; ++b) {
      for (size_t u = 0; u < s.units; ++u) {
        const T* row = kept + b * s.filters * s.memory + u * span;
        uint32_t sum = bias != nullptr ? static_cast<uint32_t>(bias[u]) : 0;
        for (size_t m = 0; m < span; ++m)
          sum += static_cast<uint32_t>(int32_t{time[u * span + m]} *
                                       (row[m] - s.state_zero));
        const int64_t stored =
            int64_t{kernels::Multiply(static_cast<int32_t>(sum), s.to_output)} +
            s.output_zero;
        out[b * s.units + u] = static_cast<int8_t>(
            std::clamp<int64_t>(stored, s.range.low, s.range.high));
      }
    }
  }
};

Status CheckTypes(const NodeInfo& info, Arithmetic arithmetic) {
  const auto is = [&](int i, ElementType type) {
    return info.input(i) == nullptr || info.input(i)->type == type;
  };
  const ElementType time = info.input(kTimeWeights)->type;
  if (arithmetic != Arithmetic::kInteger) {
    const bool is_fine = arithmetic == Arithmetic::kFloat
                             ? time == ElementType::kFloat32
                             : time == ElementType::kInt8 ||
                                   time == ElementType::kUInt8 ||
                                   time == ElementType::kFloat32;
    if (is_fine && is(kState, ElementType::kFloat32) &&
        is(kBias, ElementType::kFloat32) &&
        info.output(0).type == ElementType::kFloat32)
      return Status();
  } else if ((time == ElementType::kInt16 || time == ElementType::kInt8) &&
             is(kState, time) && is(kBias, ElementType::kInt32) &&
             info.output(0).type == ElementType::kInt8) {
    return Status();
  }
  return Unsupported("time weights of " + std::string(ElementTypeName(time)) +
                     " with a state of " +
                     ElementTypeName(info.input(kState)->type) +
                     " are not implemented");
}

}  // namespace

Result<std::unique_ptr<Kernel>> Make(const NodeInfo& info) {
  MUNJA_RETURN_IF_ERROR(info.CheckArity(3, 5, 1));
  if (info.input(kState) == nullptr || !info.input(kState)->is_variable)
    return Malformed("the state is not a variable");
  auto kernel = std::make_unique<SvdfKernel>();
  MUNJA_ASSIGN_OR_RETURN(kernel->rank_, info.attributes().Int("rank", 1));
  if (kernel->rank_ < 1)
    return Malformed("rank is " + std::to_string(kernel->rank_));
  MUNJA_ASSIGN_OR_RETURN(kernel->activation_,
                         ParseActivation(info.attributes()));
  MUNJA_ASSIGN_OR_RETURN(
      kernel->is_asymmetric_,
      info.attributes().Bool("asymmetric_quantize_inputs", false));
  kernel->use_reference_ = info.options().reference_kernels;
  MUNJA_ASSIGN_OR_RETURN(kernel->arithmetic_,
                         ArithmeticOf(info, kInput, kFeatureWeights));
  MUNJA_RETURN_IF_ERROR(CheckTypes(info, kernel->arithmetic_));
  MUNJA_ASSIGN_OR_RETURN(
      kernel->weights_,
      RnnMatrix::Make(info, kFeatureWeights, kernel->arithmetic_,
                      "the feature weights"));
  return std::unique_ptr<Kernel>(std::move(kernel));
}

}  // namespace munja::ops::svdf
