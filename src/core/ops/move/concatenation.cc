// CONCATENATION.
#include <algorithm>
#include <array>
#include <cmath>

#include "kernels/elementwise/byte_table.h"
#include "ops/support/copy_plan.h"
#include "ops/support/half_adapter.h"
#include "ops/support/operands.h"
#include "ops/support/quantized/quantized.h"
#include "ops/support/row_kernel.h"
#include "ops/support/window.h"

namespace munja::ops::concatenation {
namespace {

class ConcatenationKernel final : public CopyKernel, public RowKernel {
 public:
  ConcatenationKernel(const NodeInfo& info, int64_t axis, bool wants_one_scale)
      : CopyKernel(info), axis_(axis), wants_one_scale_(wants_one_scale) {}

  Status Prepare(PrepareContext& context) const override {
    const TensorView& first = context.input(0);
    MUNJA_ASSIGN_OR_RETURN(const size_t size, MovableSize(first));
    MUNJA_ASSIGN_OR_RETURN(const int axis,
                           NormalizeAxis(axis_, first.shape.rank()));
    int64_t total = 0;
    for (int i = 0; i < context.inputs(); ++i) {
      const TensorView& in = context.input(i);
      MUNJA_RETURN_IF_ERROR(CheckSameType(in, context.output(0)));
      if (wants_one_scale_ && !SameQuantization(in, context.output(0)))
        return Unsupported("inputs and output are quantized differently");
      bool fits = in.shape.rank() == first.shape.rank();
      for (int k = 0; fits && k < in.shape.rank(); ++k)
        fits = k == axis || in.shape[k] == first.shape[k];
      if (!fits) {
        return Malformed("input " + std::to_string(i) + ", " +
                         in.shape.ToString() + ", does not continue " +
                         first.shape.ToString() + " along dimension " +
                         std::to_string(axis));
      }
      total += in.shape[axis];
    }
    Shape out = first.shape;
    MUNJA_ASSIGN_OR_RETURN(out[axis], CheckDim(total));
    MUNJA_RETURN_IF_ERROR(context.SetOutputShape(0, out));
    auto plan = std::make_unique<CopyPlan>(size);
    std::vector<int64_t> start(static_cast<size_t>(out.rank()), 0);
    for (int i = 0; i < context.inputs(); ++i) {
      const Shape& in = context.input(i).shape;
      const std::vector<int64_t> box(in.dims().begin(), in.dims().end());
      plan->Add(i, 0, BoxCopy(in, {}, out, start, box));
      start[axis] += in[axis];
    }
    context.SetState(std::move(plan));
    return Status();
  }

  const RowKernel* by_rows() const override {
    return use_reference_ ? nullptr : this;
  }
  // Supports concatenation of channels.
  bool CanSplitRows(const EvalContext& context) const override {
    for (int i = 0; i < context.inputs(); ++i)
      if (!IsRowMap(context.input(i))) return false;
    return IsRowMap(context.output(0)) && (axis_ == 3 || axis_ == -1);
  }
  bool IsRowInput(const EvalContext&, int) const override { return true; }
  RowRange InputRows(const EvalContext&, int, RowRange rows) const override {
    return rows;
  }
  void EvalRows(const RowTask& task) const override {
    const TensorView& out = task.context.output(0);
    const auto size = static_cast<int64_t>(ElementSize(out.type));
    const int64_t pixels = int64_t{task.rows.size()} * out.shape[2];
    int64_t start = 0;
    for (int i = 0; i < task.context.inputs(); ++i) {
      const int64_t channels = task.context.input(i).shape[3];
      kernels::StridedCopy copy;
      copy.out_offset = start;
      copy.Append(pixels, channels, out.shape[3]);
      copy.Append(channels, 1, 1);
      kernels::CopyStrided(kernels::Simplify(copy), static_cast<size_t>(size),
                           task.inputs[static_cast<size_t>(i)].data,
                           task.output, task.context.pool());
      start += channels;
    }
  }

 private:
  int64_t axis_;
  bool wants_one_scale_;
};

// uint8 inputs whose scales differ from the output's: each is brought to it by
// a table.
struct RescaleState : State {
  size_t outer = 1;
  std::vector<size_t> runs;  // Bytes of each input that lie together.
  std::vector<std::array<uint8_t, 256>> tables;
};

class RescalingKernel final : public Kernel {
 public:
  explicit RescalingKernel(std::unique_ptr<Kernel> mover, int64_t axis)
      : mover_(std::move(mover)), axis_(axis) {}

  Status Prepare(PrepareContext& context) const override {
    // Its plan is not used: it checks the shapes and sets the output's.
    MUNJA_RETURN_IF_ERROR(mover_->Prepare(context));
    MUNJA_ASSIGN_OR_RETURN(const Affine out,
                           PerTensor(context.output(0), "the output"));
    const Shape& shape = context.input(0).shape;
    MUNJA_ASSIGN_OR_RETURN(const int axis, NormalizeAxis(axis_, shape.rank()));
    auto state = std::make_unique<RescaleState>();
    state->outer = static_cast<size_t>(shape.elements(0, axis));
    for (int i = 0; i < context.inputs(); ++i) {
      MUNJA_ASSIGN_OR_RETURN(
          const Affine in,
          PerTensor(context.input(i), "input " + std::to_string(i)));
      const Shape& own = context.input(i).shape;
      state->runs.push_back(
          static_cast<size_t>(own.elements(axis, own.rank())));
      state->tables.push_back(Table(in, out));
    }
    context.SetState(std::move(state));
    return Status();
  }

  Status Eval(EvalContext& context) const override {
    const auto& state = *static_cast<const RescaleState*>(context.state());
    auto* out = context.output(0).mutable_as<uint8_t>();
    for (size_t o = 0; o < state.outer; ++o) {
      for (int i = 0; i < context.inputs(); ++i) {
        const size_t run = state.runs[i];
        const uint8_t* in = context.input(i).as<uint8_t>() + o * run;
        kernels::LookUpBytes(state.tables[i].data(), in, run, out);
        out += run;
      }
    }
    return Status();
  }

 private:
  static std::array<uint8_t, 256> Table(const Affine& in, const Affine& out) {
    const bool is_same = in.scale == out.scale && in.zero == out.zero;
    const float scale = in.scale * (1.0f / out.scale);
    const float offset = -static_cast<float>(in.zero) * scale;
    std::array<uint8_t, 256> table;
    for (int i = 0; i < 256; ++i) {
      const float v = std::round(static_cast<float>(i) * scale + offset) +
                      static_cast<float>(out.zero);
      table[i] = static_cast<uint8_t>(is_same ? static_cast<float>(i)
                                              : std::clamp(v, 0.0f, 255.0f));
    }
    return table;
  }

  std::unique_ptr<Kernel> mover_;
  int64_t axis_;
};

// Some uint8 input has another scale than the output.
bool Rescales(const NodeInfo& info) {
  if (info.output(0).type != ElementType::kUInt8) return false;
  const Quantization& out = info.output(0).quantization;
  for (int i = 0; i < info.inputs(); ++i) {
    const Quantization& in = info.input(i)->quantization;
    if (in.is_quantized() && out.is_quantized() && !(in == out)) return true;
  }
  return false;
}

}  // namespace

Result<std::unique_ptr<Kernel>> Make(const NodeInfo& info) {
  MUNJA_RETURN_IF_ERROR(info.CheckArity(1, 1 << 20, 1));
  for (int i = 0; i < info.inputs(); ++i)
    if (info.input(i) == nullptr) return Malformed("an input is absent");
  MUNJA_ASSIGN_OR_RETURN(const int64_t axis, info.attributes().Int("axis", 0));
  MUNJA_ASSIGN_OR_RETURN(const kernels::Activation activation,
                         ParseActivation(info.attributes()));
  if (activation.kind != kernels::ActivationKind::kNone)
    return Unsupported("a fused activation");
  const bool rescales = Rescales(info);
  std::unique_ptr<Kernel> mover =
      std::make_unique<ConcatenationKernel>(info, axis, !rescales);
  if (!rescales) return OnNibbles(info, std::move(mover));
  return std::unique_ptr<Kernel>(
      std::make_unique<RescalingKernel>(std::move(mover), axis));
}

}  // namespace munja::ops::concatenation
