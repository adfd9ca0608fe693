#include "ops/support/quantized/quantized_binary.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "kernels/elementwise/quantized_binary.h"
#include "ops/support/broadcast.h"
#include "ops/support/by_type.h"
#include "ops/support/operands.h"
#include "ops/support/pointwise_rows.h"
#include "ops/support/quantized/quantized.h"

namespace munja::ops {
namespace {

using kernels::BinaryKind;
using kernels::QuantizedBinaryParams;
using kernels::QuantizeMultiplier;
using Kind = kernels::QuantizedBinaryKind;

struct BinaryState : State {
  BinaryState(BroadcastPlan p, const QuantizedBinaryParams& q)
      : plan(p), params(q) {}
  BroadcastPlan plan;
  QuantizedBinaryParams params;
};

// The older form of ADD and SUB on int16: one operand has the output's scale,
// the other a smaller one, all are powers of two. False for other scales.
bool SetShifts(const Affine& a, const Affine& b, const Affine& out, bool is_add,
               QuantizedBinaryParams& params) {
  const std::optional<int> a_log2 = PowerOfTwo(a.scale);
  const std::optional<int> b_log2 = PowerOfTwo(b.scale);
  const std::optional<int> out_log2 = PowerOfTwo(out.scale);
  if (!a_log2 || !b_log2 || !out_log2) return false;
  params.a_shift = *out_log2 - *a_log2;
  params.b_shift = *out_log2 - *b_log2;
  if (std::min(params.a_shift, params.b_shift) != 0 ||
      std::max(params.a_shift, params.b_shift) > 31)
    return false;
  params.kind = is_add ? Kind::kShiftedAdd : Kind::kShiftedSub;
  return true;
}

// Both operands are brought to twice the greater scale, shifted up so that
// little is lost.
void SetCommonScale(const Affine& a, const Affine& b, const Affine& out,
                    int shift, bool is_squared, QuantizedBinaryParams& params) {
  const double twice = 2.0f * std::max(a.scale, b.scale);
  params.shift = shift;
  params.a_scale = QuantizeMultiplier(a.scale / twice);
  params.b_scale = QuantizeMultiplier(b.scale / twice);
  const double unit = std::ldexp(1.0, is_squared ? 2 * shift : shift);
  params.out_scale = QuantizeMultiplier((is_squared ? twice * twice : twice) /
                                        (unit * out.scale));
}

class QuantizedBinaryKernel final : public Kernel, public RowKernel {
 public:
  QuantizedBinaryKernel(Kind kind, kernels::ActivationKind activation,
                        bool wants_shifts, bool reference_kernels)
      : kind_(kind),
        activation_(activation),
        wants_shifts_(wants_shifts),
        use_reference_(reference_kernels) {}

  Status Prepare(PrepareContext& context) const override {
    const TensorView& a = context.input(0);
    const TensorView& b = context.input(1);
    const TensorView& out = context.output(0);
    MUNJA_RETURN_IF_ERROR(CheckSameType(a, b));
    MUNJA_RETURN_IF_ERROR(CheckSameType(a, out));
    if (kind_ == Kind::kSquaredDifference) {
      MUNJA_RETURN_IF_ERROR(CheckType(a, "the input", {ElementType::kInt8}));
    }
    MUNJA_ASSIGN_OR_RETURN(const Shape shape,
                           BroadcastShapes(a.shape, b.shape));
    if (kind_ == Kind::kPrelu && shape != a.shape) {
      return Malformed("the slopes " + b.shape.ToString() +
                       " do not broadcast to " + a.shape.ToString());
    }
    MUNJA_ASSIGN_OR_RETURN(const QuantizedBinaryParams params,
                           MakeParams(a, b, out));
    MUNJA_RETURN_IF_ERROR(context.SetOutputShape(0, shape));
    if (a.shape == shape) context.AllowInPlace(0, 0);
    if (b.shape == shape) context.AllowInPlace(0, 1);
    const Shape operands[] = {a.shape, b.shape};
    context.SetState(
        std::make_unique<BinaryState>(BroadcastPlan(operands, shape), params));
    return Status();
  }

  // Division may be refused, which is found out before anything is made.
  const RowKernel* by_rows() const override {
    return use_reference_ || kind_ == Kind::kDiv ? nullptr : this;
  }
  bool CanSplitRows(const EvalContext& context) const override {
    return IsRowMap(context.output(0)) && PairHasRows(context);
  }
  bool IsRowInput(const EvalContext& context, int i) const override {
    return IsRowOfPair(context, i);
  }
  RowRange InputRows(const EvalContext&, int, RowRange rows) const override {
    return rows;
  }
  void EvalRows(const RowTask& task) const override {
    return ByType<int8_t, uint8_t, int16_t>(
        task.context.input(0).type,
        [&]<class T>() { return RunRows<T>(task); });
  }

  Status Eval(EvalContext& context) const override {
    return ByType<int8_t, uint8_t, int16_t>(
        context.input(0).type, [&]<class T>() { return Run<T>(context); });
  }

 private:
  Result<QuantizedBinaryParams> MakeParams(const TensorView& a_view,
                                           const TensorView& b_view,
                                           const TensorView& out_view) const {
    MUNJA_ASSIGN_OR_RETURN(const Affine a, PerTensor(a_view, "input 0"));
    MUNJA_ASSIGN_OR_RETURN(const Affine b, PerTensor(b_view, "input 1"));
    MUNJA_ASSIGN_OR_RETURN(const Affine out, PerTensor(out_view, "the output"));
    MUNJA_ASSIGN_OR_RETURN(const StoredRange range,
                           ActivationRange(activation_, out, out_view.type));
    QuantizedBinaryParams params;
    params.kind = kind_;
    params.a_zero = a.zero;
    params.b_zero = b.zero;
    params.out_zero = out.zero;
    params.low = range.low;
    params.high = range.high;
    // As in TensorFlow Lite, computed in float: this decides the last bit of a
    // multiplier.
    switch (kind_) {
      case Kind::kMul:
        params.out_scale = QuantizeMultiplier(a.scale * b.scale / out.scale);
        break;
      case Kind::kDiv:
        params.out_scale = QuantizeMultiplier(a.scale / (b.scale * out.scale));
        break;
      case Kind::kPrelu:
        params.a_scale = QuantizeMultiplier(a.scale / out.scale);
        params.out_scale = QuantizeMultiplier(a.scale * b.scale / out.scale);
        break;
      case Kind::kSquaredDifference:
        SetCommonScale(a, b, out, 7, true, params);
        break;
      default: {
        const bool is_16_bits = a_view.type == ElementType::kInt16;
        if (is_16_bits && wants_shifts_ &&
            SetShifts(a, b, out, kind_ == Kind::kAdd, params))
          break;
        SetCommonScale(a, b, out, is_16_bits ? 15 : 20, false, params);
        break;
      }
    }
    return params;
  }

  template <class T>
  static void RunRows(const RowTask& task) {
    const auto& state = *static_cast<const BinaryState*>(task.context.state());
    kernels::QuantizedBinary(
        state.params, RowsOfPair<T, kernels::QuantizedBinaryBlock<T>>(task));
  }

  template <class T>
  Status Run(EvalContext& context) const {
    const auto& state = *static_cast<const BinaryState*>(context.state());
    const T* a = context.input(0).as<T>();
    const T* b = context.input(1).as<T>();
    T* out = context.output(0).mutable_as<T>();
    if (kind_ == Kind::kDiv) {
      const auto zero = static_cast<T>(state.params.b_zero);
      if (std::count(b, b + context.input(1).shape.elements(), zero) > 0)
        return InvalidArgument("divides by zero");
    }
    state.plan.ForEachBlock(context.pool(), [&](const BroadcastBlock& block) {
      kernels::QuantizedBinaryBlock<T> k;
      k.a = a + block.offset[0];
      k.b = b + block.offset[1];
      k.out = out + block.out;
      k.rows = block.rows;
      k.cols = block.cols;
      k.a_row_stride = block.row_stride[0];
      k.b_row_stride = block.row_stride[1];
      k.a_repeats = block.col_stride[0] == 0;
      k.b_repeats = block.col_stride[1] == 0;
      use_reference_ ? kernels::reference::QuantizedBinary(state.params, k)
                     : kernels::QuantizedBinary(state.params, k);
    });
    return Status();
  }

  Kind kind_;
  kernels::ActivationKind activation_;
  bool wants_shifts_, use_reference_;
};

}  // namespace

Result<std::unique_ptr<Kernel>> MakeQuantizedBinary(
    const NodeInfo& info, BinaryKind kind, kernels::ActivationKind activation) {
  Kind quantized;
  switch (kind) {
    case BinaryKind::kAdd:
      quantized = Kind::kAdd;
      break;
    case BinaryKind::kSub:
      quantized = Kind::kSub;
      break;
    case BinaryKind::kMul:
      quantized = Kind::kMul;
      break;
    case BinaryKind::kDiv:
      quantized = Kind::kDiv;
      break;
    case BinaryKind::kPrelu:
      quantized = Kind::kPrelu;
      break;
    case BinaryKind::kSquaredDifference:
      quantized = Kind::kSquaredDifference;
      break;
    default:
      return Unsupported("has no quantized form");
  }
  MUNJA_ASSIGN_OR_RETURN(const bool wants_shifts,
                         info.attributes().Bool("pot_scale_int16", true));
  return std::unique_ptr<Kernel>(std::make_unique<QuantizedBinaryKernel>(
      quantized, activation, wants_shifts, info.options().reference_kernels));
}

}  // namespace munja::ops
