#include "ops/support/rnn/basic_lstm.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <utility>

#include "kernels/cpu/cache.h"
#include "kernels/quant/fixed_point_functions.h"
#include "ops/support/operands.h"
#include "ops/support/quantized/quantized.h"
#include "ops/support/rnn/rnn_matrix.h"

namespace munja::ops {
namespace {

// Inputs and outputs of the node.
enum { kData, kActivation, kWeights, kBias, kState };
enum { kActivationOut, kStateOut, kConcatenation, kGates };

// The zero point and the scale of activations that the arithmetic below has
// built in.
constexpr int32_t kZero = 128;
constexpr float kScale = 1.0f / 128.0f;

float Sigmoid(float x) { return 1.0f / (1.0f + std::exp(-x)); }

class BasicLstmKernel final : public Kernel {
 public:
  BasicLstmKernel(RnnMatrix weights, bool is_integer)
      : weights_(std::move(weights)), is_integer_(is_integer) {}

  Status Prepare(PrepareContext& context) const override {
    const Shape& data = context.input(kData).shape;
    const Shape& before = context.input(kActivation).shape;
    if (data.rank() < 1 || before.rank() < 1)
      return Malformed("an input is a scalar");
    const int64_t batch = data.elements(0, data.rank() - 1);
    const int32_t inputs = data.back(), units = before.back();
    if (units < 1 || before.elements(0, before.rank() - 1) != batch) {
      return Malformed("inputs of shapes " + data.ToString() + " and " +
                       before.ToString() + " do not go together");
    }
    const int64_t depth = int64_t{inputs} + units, gates = int64_t{4} * units;
    const Shape& w = context.input(kWeights).shape;
    if (w.rank() != 2 || w[0] != gates || w[1] != depth) {
      return Malformed("the weights have shape " + w.ToString() + ", want " +
                       std::to_string(gates) + "x" + std::to_string(depth));
    }
    if (context.input(kBias).shape.elements() != gates ||
        context.input(kState).shape.elements() != batch * units)
      return Malformed("the bias or the state has the wrong size");
    if (is_integer_) {
      MUNJA_RETURN_IF_ERROR(CheckScales(context));
    }
    ScratchPieces scratch;
    weights_.CountScratch(context, scratch);
    context.RequestScratch(scratch.bytes());
    const auto shape = [&](int64_t last) { return CheckShape({batch, last}); };
    MUNJA_ASSIGN_OR_RETURN(const Shape out, shape(units));
    MUNJA_ASSIGN_OR_RETURN(const Shape concatenation, shape(depth));
    MUNJA_ASSIGN_OR_RETURN(const Shape temporary, shape(gates));
    MUNJA_RETURN_IF_ERROR(context.SetOutputShape(kActivationOut, out));
    MUNJA_RETURN_IF_ERROR(context.SetOutputShape(kStateOut, out));
    MUNJA_RETURN_IF_ERROR(
        context.SetOutputShape(kConcatenation, concatenation));
    return context.SetOutputShape(kGates, temporary);
  }

  Status Eval(EvalContext& context) const override {
    Concatenate(context);
    if (is_integer_) {
      EvalInteger(context);
    } else {
      EvalFloat(context);
    }
    return Status();
  }

 private:
  static Status CheckScales(const PrepareContext& context) {
    for (const TensorView* view :
         {&context.input(kData), &context.input(kActivation),
          &context.output(kActivationOut)}) {
      MUNJA_ASSIGN_OR_RETURN(const Affine affine,
                             PerTensor(*view, "an activation"));
      if (affine.zero != kZero || std::abs(affine.scale / kScale - 1) > 1e-3f)
        return Unsupported(
            "activations with other than scale 1/128 and zero "
            "point 128 are not implemented");
    }
    for (const TensorView* view :
         {&context.input(kState), &context.output(kStateOut)}) {
      MUNJA_ASSIGN_OR_RETURN(const Affine affine, PerTensor(*view, "a state"));
      if (affine.scale != 0x1p-11f)
        return Unsupported(
            "a state with other than scale 2^-11 is not "
            "implemented");
    }
    return PerTensor(context.input(kWeights), "the weights").ok()
               ? Status()
               : Malformed("the weights have no scale");
  }

  static void Concatenate(EvalContext& context) {
    const TensorView& data = context.input(kData);
    const TensorView& before = context.input(kActivation);
    const TensorView& out = context.output(kConcatenation);
    const auto batch = static_cast<size_t>(out.shape[0]);
    if (batch == 0) return;
    const size_t first = data.bytes / batch, second = before.bytes / batch;
    auto* to = out.mutable_as<uint8_t>();
    for (size_t b = 0; b < batch; ++b, to += first + second) {
      std::memcpy(to, data.as<uint8_t>() + b * first, first);
      std::memcpy(to + first, before.as<uint8_t>() + b * second, second);
    }
  }

  void EvalFloat(EvalContext& context) const {
    ScratchPieces scratch(context.scratch());
    const BoundMatrix weights = weights_.Bind(context, scratch);
    const auto batch = static_cast<size_t>(context.output(kGates).shape[0]);
    auto* gates = context.output(kGates).mutable_as<float>();
    weights.Multiply(context.output(kConcatenation).as<float>(), weights.depth,
                     batch, context.input(kBias).as<float>(), nullptr, gates,
                     weights.rows, context.pool());
    const size_t units = weights.rows / 4;
    const auto* before = context.input(kState).as<float>();
    auto* after = context.output(kStateOut).mutable_as<float>();
    auto* out = context.output(kActivationOut).mutable_as<float>();
    for (size_t i = 0; i < batch * units; ++i) {
      const float* gate = gates + i / units * weights.rows + i % units;
      const float added = Sigmoid(gate[0]) * std::tanh(gate[units]);
      after[i] = added + Sigmoid(gate[2 * units]) * before[i];
      out[i] = Sigmoid(gate[3 * units]) * std::tanh(after[i]);
    }
  }

  // Gates in Q3.12, activated in Q0.15; the state in Q4.11.
  static void EvalInteger(EvalContext& context) {
    const TensorView& w = context.input(kWeights);
    const auto rows = static_cast<size_t>(w.shape[0]);
    const auto depth = static_cast<size_t>(w.shape[1]);
    const auto batch = static_cast<size_t>(context.output(kGates).shape[0]);
    const size_t units = rows / 4;
    const int32_t zero = w.zero_point();
    const auto to_gate = kernels::QuantizeMultiplier(
        4096.0 * static_cast<double>(w.scale()) * context.input(kData).scale());
    const auto* x = context.output(kConcatenation).as<uint8_t>();
    const auto* bias = context.input(kBias).as<int32_t>();
    auto* gates = context.output(kGates).mutable_as<int16_t>();
    context.pool().ParallelFor(
        rows, kernels::kSmallTask / (depth * batch + 1) + 1,
        [&](size_t begin, size_t end, int) {
          for (size_t u = begin; u < end; ++u) {
            const uint8_t* row = w.as<uint8_t>() + u * depth;
            for (size_t b = 0; b < batch; ++b) {
              auto sum = static_cast<uint32_t>(bias[u]);
              for (size_t i = 0; i < depth; ++i)
                sum += static_cast<uint32_t>((x[b * depth + i] - kZero) *
                                             (row[i] - zero));
              gates[b * rows + u] = kernels::SaturateToInt16(
                  kernels::Multiply(static_cast<int32_t>(sum), to_gate));
            }
          }
        });
    using kernels::FixedProduct;
    const auto* before = context.input(kState).as<int16_t>();
    auto* after = context.output(kStateOut).mutable_as<int16_t>();
    auto* out = context.output(kActivationOut).mutable_as<uint8_t>();
    for (size_t i = 0; i < batch * units; ++i) {
      const int16_t* gate = gates + i / units * rows + i % units;
      const int16_t added = FixedProduct(kernels::FixedSigmoid(gate[0], 3),
                                         kernels::FixedTanh(gate[units], 3));
      const int16_t kept =
          FixedProduct(kernels::FixedSigmoid(gate[2 * units], 3), before[i]);
      after[i] = kernels::SaturateToInt16(
          kernels::RoundingDivideByPowerOfTwo(added, 4) + kept);
      const int16_t activation =
          FixedProduct(kernels::FixedSigmoid(gate[3 * units], 3),
                       kernels::FixedTanh(after[i], 4));
      out[i] = static_cast<uint8_t>(
          kZero + std::clamp(kernels::RoundingDivideByPowerOfTwo(activation, 8),
                             -128, 127));
    }
  }

  RnnMatrix weights_;  // Float only.
  bool is_integer_;
};

}  // namespace

Result<std::unique_ptr<Kernel>> MakeBasicLstm(const NodeInfo& info) {
  MUNJA_RETURN_IF_ERROR(info.CheckArity(5, 5, 4));
  for (int i = 0; i < 5; ++i)
    if (info.input(i) == nullptr)
      return Malformed("input " + std::to_string(i) + " is absent");
  const bool is_integer = info.input(kData)->type == ElementType::kUInt8;
  const ElementType real = ElementType::kFloat32;
  const ElementType byte = is_integer ? ElementType::kUInt8 : real;
  const ElementType state = is_integer ? ElementType::kInt16 : real;
  const ElementType bias = is_integer ? ElementType::kInt32 : real;
  const bool fits = info.input(kData)->type == byte &&
                    info.input(kActivation)->type == byte &&
                    info.input(kWeights)->type == byte &&
                    info.input(kBias)->type == bias &&
                    info.input(kState)->type == state &&
                    info.output(kActivationOut).type == byte &&
                    info.output(kStateOut).type == state &&
                    info.output(kConcatenation).type == byte &&
                    info.output(kGates).type == state;
  if (!fits)
    return Unsupported(
        "a basic LSTM of these types is not implemented, only "
        "float32, or uint8 with int32 biases and int16 states");
  RnnMatrix weights;
  if (!is_integer) {
    MUNJA_ASSIGN_OR_RETURN(
        weights,
        RnnMatrix::Make(info, kWeights, Arithmetic::kFloat, "weights"));
  }
  return std::unique_ptr<Kernel>(
      std::make_unique<BasicLstmKernel>(std::move(weights), is_integer));
}

}  // namespace munja::ops
