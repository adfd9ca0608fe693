// MAX_POOL_2D, AVERAGE_POOL_2D, L2_POOL_2D.
#include "kernels/spatial/pool.h"

#include <algorithm>
#include <cmath>

#include "kernels/spatial/int_pool.h"
#include "ops/op.h"
#include "ops/support/by_type.h"
#include "ops/support/operands.h"
#include "ops/support/quantized/quantized.h"
#include "ops/support/window.h"
#include "ops/support/window_rows.h"

namespace munja::ops::pool_2d {
namespace {

using kernels::PoolKind;

struct PoolState : State {
  kernels::PoolShape shape;
  StoredRange range;  // Quantized values that the activation lets through.
};

// Pooling moves quantized values, or averages them: both sides are scaled
// alike.
Result<StoredRange> QuantizedRange(const TensorView& in, const TensorView& out,
                                   kernels::ActivationKind activation) {
  MUNJA_ASSIGN_OR_RETURN(const Affine from, PerTensor(in, "the input"));
  MUNJA_ASSIGN_OR_RETURN(const Affine to, PerTensor(out, "the output"));
  if (std::fabs(from.scale - to.scale) > 1e-6f || from.zero != to.zero)
    return Malformed("input and output are quantized differently");
  return ActivationRange(activation, to, out.type);
}

class PoolKernel final : public Kernel, public RowKernel {
 public:
  PoolKernel(PoolKind kind, const Window& window,
             const kernels::Activation& activation, bool reference_kernels)
      : kind_(kind),
        window_(window),
        activation_(activation),
        use_reference_(reference_kernels) {}

  Status Prepare(PrepareContext& context) const override {
    const TensorView& in = context.input(0);
    if (kind_ == PoolKind::kL2) {
      MUNJA_RETURN_IF_ERROR(
          CheckType(in, "the input", {ElementType::kFloat32}));
    } else {
      MUNJA_RETURN_IF_ERROR(
          CheckType(in, "the input",
                    {ElementType::kFloat32, ElementType::kInt8,
                     ElementType::kUInt8, ElementType::kInt16}));
    }
    MUNJA_RETURN_IF_ERROR(CheckSameType(in, context.output(0)));
    if (in.shape.rank() != 4)
      return Malformed("the input " + in.shape.ToString() + " is not NHWC");
    MUNJA_ASSIGN_OR_RETURN(const Placement place,
                           PlaceWindow(window_, in.shape[1], in.shape[2]));
    auto state = std::make_unique<PoolState>();
    if (in.type != ElementType::kFloat32) {
      MUNJA_ASSIGN_OR_RETURN(state->range, QuantizedRange(in, context.output(0),
                                                          activation_.kind));
    }
    kernels::PoolShape& s = state->shape;
    s.in_h = in.shape[1];
    s.in_w = in.shape[2];
    s.channels = in.shape[3];
    s.out_h = place.out_h;
    s.out_w = place.out_w;
    s.kernel_h = window_.kernel_h;
    s.kernel_w = window_.kernel_w;
    s.stride_h = window_.stride_h;
    s.stride_w = window_.stride_w;
    s.pad_top = place.pad_top;
    s.pad_left = place.pad_left;
    // Explicit padding may be wider than the window.
    const auto meets = [](int32_t out, int32_t stride, int32_t pad,
                          int32_t kernel, int32_t in_size) {
      const int64_t last = int64_t{out - 1} * stride - pad;
      return out <= 0 || (kernel - pad > 0 && last < in_size);
    };
    if (!meets(s.out_h, s.stride_h, s.pad_top, s.kernel_h, s.in_h) ||
        !meets(s.out_w, s.stride_w, s.pad_left, s.kernel_w, s.in_w)) {
      return Malformed("a window would lie in the padding alone");
    }
    const Shape out{in.shape[0], place.out_h, place.out_w, in.shape[3]};
    context.SetState(std::move(state));
    return context.SetOutputShape(0, out);
  }

  const RowKernel* by_rows() const override {
    return use_reference_ ? nullptr : this;
  }
  bool CanSplitRows(const EvalContext& context) const override {
    return IsRowMap(context.input(0)) && IsRowMap(context.output(0));
  }
  bool IsRowInput(const EvalContext&, int i) const override { return i == 0; }
  RowRange InputRows(const EvalContext& context, int,
                     RowRange rows) const override {
    return RowsUnder(static_cast<const PoolState*>(context.state())->shape,
                     rows);
  }
  void EvalRows(const RowTask& task) const override {
    const kernels::PoolShape s = ShapeOfRows(
        static_cast<const PoolState*>(task.context.state())->shape, task.rows);
    if (task.output_type == ElementType::kBFloat16) {
      kernels::MaximumOfBFloat16(s, task.in<uint16_t>(0), 0, s.out_h,
                                 task.out<uint16_t>());
      return;
    }
    const StoredRange& range =
        static_cast<const PoolState*>(task.context.state())->range;
    const ElementType type = task.context.input(0).type;
    if (type == ElementType::kFloat32) {
      kernels::Pool(kind_, s, activation_, task.in(0), 0, s.out_h, task.out());
      return;
    }
    ByType<int8_t, uint8_t, int16_t>(type, [&]<class T>() {
      kernels::IntPool<T>(kind_, s, range.low, range.high, task.in<T>(0), 0,
                          s.out_h, task.out<T>());
    });
  }
  // The largest rounded number is the largest number, rounded.
  bool SupportsRowTypes(const EvalContext&, std::span<const ElementType> inputs,
                        ElementType output) const override {
    return inputs[0] == output && output == ElementType::kBFloat16 &&
           kind_ == PoolKind::kMaximum &&
           activation_.kind == kernels::ActivationKind::kNone;
  }

  Status Eval(EvalContext& context) const override {
    const auto& state = *static_cast<const PoolState*>(context.state());
    const kernels::PoolShape& s = state.shape;
    if (context.output(0).shape.elements() == 0) return Status();
    const ElementType type = context.input(0).type;
    if (type != ElementType::kFloat32) {
      ByType<int8_t, uint8_t, int16_t>(
          type, [&]<class T>() { Integers<T>(context, state); });
      return Status();
    }
    ForEachBand<float>(
        context, s,
        [&](const float* in, int32_t begin, int32_t end, float* out) {
          const auto pool =
              use_reference_ ? kernels::reference::Pool : kernels::Pool;
          pool(kind_, s, activation_, in, begin, end, out);
        });
    return Status();
  }

 private:
  template <class T>
  void Integers(EvalContext& context, const PoolState& state) const {
    ForEachBand<T>(context, state.shape,
                   [&](const T* in, int32_t begin, int32_t end, T* out) {
                     const auto pool = use_reference_
                                           ? kernels::reference::IntPool<T>
                                           : kernels::IntPool<T>;
                     pool(kind_, state.shape, state.range.low, state.range.high,
                          in, begin, end, out);
                   });
  }

  // Calls band(image, first row, end row, output image) for bands of output
  // rows of one image each.
  template <class T, class F>
  static void ForEachBand(EvalContext& context, const kernels::PoolShape& s,
                          const F& band) {
    const TensorView& in = context.input(0);
    const T* from = in.as<T>();
    T* to = context.output(0).mutable_as<T>();
    const size_t in_size = static_cast<size_t>(s.in_h) * s.in_w * s.channels;
    const size_t out_row = static_cast<size_t>(s.out_w) * s.channels;
    const size_t work = out_row * s.kernel_h * s.kernel_w;
    const size_t out_h = static_cast<size_t>(s.out_h);
    constexpr size_t kGrain = size_t{1} << 15;  // Additions.
    const size_t rows =
        std::clamp<size_t>(kGrain / std::max<size_t>(1, work), 1, out_h);
    const size_t bands = (out_h + rows - 1) / rows;
    const size_t images = static_cast<size_t>(in.shape[0]);
    context.pool().ParallelFor(
        images * bands, 1, [&](size_t begin, size_t end, int) {
          for (size_t i = begin; i < end; ++i) {
            const size_t n = i / bands, y = i % bands * rows;
            band(from + n * in_size, static_cast<int32_t>(y),
                 static_cast<int32_t>(std::min(out_h, y + rows)),
                 to + n * out_h * out_row);
          }
        });
  }

  PoolKind kind_;
  Window window_;
  kernels::Activation activation_;
  bool use_reference_;
};

}  // namespace

Result<std::unique_ptr<Kernel>> Make(const NodeInfo& info) {
  MUNJA_RETURN_IF_ERROR(info.CheckArity(1, 1, 1));
  MUNJA_ASSIGN_OR_RETURN(const Window window, ParseWindow(info.attributes()));
  if (window.dilation_h != 1 || window.dilation_w != 1)
    return Unsupported("dilated pooling");
  MUNJA_ASSIGN_OR_RETURN(const kernels::Activation activation,
                         ParseActivation(info.attributes()));
  const std::string& op = info.node().op;
  const PoolKind kind = op == "MAX_POOL_2D"       ? PoolKind::kMaximum
                        : op == "AVERAGE_POOL_2D" ? PoolKind::kAverage
                                                  : PoolKind::kL2;
  return std::unique_ptr<Kernel>(std::make_unique<PoolKernel>(
      kind, window, activation, info.options().reference_kernels));
}

}  // namespace munja::ops::pool_2d
