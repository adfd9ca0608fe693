#include "ops/support/quantized/quantized_softmax.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "kernels/reduce/quantized_softmax.h"
#include "ops/support/operands.h"
#include "ops/support/quantized/quantized.h"

namespace munja::ops {
namespace {

struct SoftmaxState : State {
  Affine in, out;
  kernels::ExpTable table;                      // From 8 bits.
  std::optional<kernels::Softmax16> softmax16;  // From int16.
};

// The scale may be off by a thousandth.
Status CheckOutput(const Affine& out, double scale, int32_t zero) {
  if (out.zero == zero && std::abs(out.scale - scale) <= scale * 0.001)
    return Status();
  return Unsupported("the output has scale " + std::to_string(out.scale) +
                     " and zero point " + std::to_string(out.zero) +
                     ", must have " + std::to_string(scale) + " and " +
                     std::to_string(zero));
}

class QuantizedSoftmaxKernel final : public Kernel {
 public:
  QuantizedSoftmaxKernel(bool is_log, float beta)
      : is_log_(is_log), beta_(beta) {}

  Status Prepare(PrepareContext& context) const override {
    const TensorView& in = context.input(0);
    const TensorView& out = context.output(0);
    const bool from_16_bits = in.type == ElementType::kInt16;
    if (in.type != out.type &&
        (is_log_ || from_16_bits || out.type != ElementType::kInt16)) {
      return Unsupported(std::string("from ") + ElementTypeName(in.type) +
                         " to " + ElementTypeName(out.type));
    }
    if (is_log_ && from_16_bits) return Unsupported("does not exist for int16");
    if (in.shape.rank() < 1) return Malformed("the input is a scalar");
    auto state = std::make_unique<SoftmaxState>();
    MUNJA_ASSIGN_OR_RETURN(state->in, PerTensor(in, "the input"));
    MUNJA_ASSIGN_OR_RETURN(state->out, PerTensorWithAnyZero(out, "the output"));
    MUNJA_RETURN_IF_ERROR(CheckScheme(state->out, in.type, out.type));
    if (from_16_bits) {
      state->softmax16.emplace(state->in.scale * beta_);
    } else {
      state->table = kernels::MakeExpTable(state->in.scale * beta_);
    }
    context.SetState(std::move(state));
    if (in.type == out.type) context.AllowInPlace(0, 0);
    return context.SetOutputShape(0, in.shape);
  }

  Status Eval(EvalContext& context) const override {
    const bool to_16_bits = context.output(0).type == ElementType::kInt16;
    switch (context.input(0).type) {
      case ElementType::kInt8:
        to_16_bits ? Rows<int8_t, int16_t>(context)
                   : Rows<int8_t, int8_t>(context);
        break;
      case ElementType::kUInt8:
        to_16_bits ? Rows<uint8_t, int16_t>(context)
                   : Rows<uint8_t, uint8_t>(context);
        break;
      default:
        Rows<int16_t, int16_t>(context);
        break;
    }
    return Status();
  }

 private:
  Status CheckScheme(const Affine& out, ElementType from,
                     ElementType type) const {
    if (is_log_)
      return CheckOutput(out, 16.0 / 256,
                         type == ElementType::kInt8 ? 127 : 255);
    if (from == ElementType::kInt16) return CheckOutput(out, 1.0 / 32768, 0);
    // Outputs for 8-bit inputs: models have (2^-15, 0) and (2^-16, -32768).
    if (type == ElementType::kInt16) return Status();
    return CheckOutput(out, 1.0 / 256, type == ElementType::kInt8 ? -128 : 0);
  }

  template <class In, class Out>
  void Rows(EvalContext& context) const {
    const auto& state = *static_cast<const SoftmaxState*>(context.state());
    const TensorView& view = context.input(0);
    const auto cols = static_cast<size_t>(view.shape.back());
    if (cols == 0) return;
    const size_t rows = static_cast<size_t>(view.shape.elements()) / cols;
    const In* in = view.as<In>();
    Out* out = context.output(0).mutable_as<Out>();
    constexpr size_t kGrain = size_t{1} << 13;
    context.pool().ParallelFor(rows, std::max<size_t>(1, kGrain / cols),
                               [&](size_t begin, size_t end, int) {
                                 for (size_t r = begin; r < end; ++r)
                                   Row(state, in + r * cols, cols,
                                       out + r * cols);
                               });
  }

  template <class In, class Out>
  void Row(const SoftmaxState& state, const In* in, size_t count,
           Out* out) const {
    if constexpr (sizeof(In) == 2) {
      state.softmax16->Row(in, count, out);
    } else {
      if constexpr (std::is_same_v<In, Out>) {
        if (is_log_) {
          kernels::LogSoftmaxByTable(state.table, state.in.scale, in, count,
                                     state.out.scale, state.out.zero, out);
          return;
        }
      }
      kernels::SoftmaxByTable(state.table, in, count, state.out.scale,
                              state.out.zero, out);
    }
  }

  bool is_log_;
  float beta_;
};

}  // namespace

std::unique_ptr<Kernel> MakeQuantizedSoftmax(bool is_log, float beta) {
  return std::make_unique<QuantizedSoftmaxKernel>(is_log, beta);
}

}  // namespace munja::ops
