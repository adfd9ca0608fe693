// DEQUANTIZE to float, QUANTIZE from float.
#include <algorithm>
#include <cmath>
#include <limits>

#include "ops/op.h"
#include "ops/operands.h"
#include "tensor/half.h"

namespace munja::ops::quantize {
namespace {

constexpr size_t kGrain = size_t{1} << 14;

// [outer, channels, inner] with one scale for each channel; one channel when
// the scale is for the whole tensor.
struct Layout : State {
  size_t outer = 1, channels = 1, inner = 1;
};

Result<std::unique_ptr<Layout>> MakeLayout(const TensorView& real,
                                           const TensorView& quantized) {
  const Quantization* q = quantized.quantization;
  if (q == nullptr || !q->is_quantized())
    return Malformed("the integer tensor has no scale");
  auto layout = std::make_unique<Layout>();
  const Shape& shape = real.shape;
  if (!q->is_per_axis()) {
    layout->inner = static_cast<size_t>(shape.elements());
    return layout;
  }
  if (q->axis < 0 || q->axis >= shape.rank() ||
      static_cast<size_t>(shape[q->axis]) != q->scales.size()) {
    return Malformed("the scales do not fit " + shape.ToString());
  }
  for (int i = 0; i < shape.rank(); ++i) {
    (i < q->axis    ? layout->outer
     : i == q->axis ? layout->channels
                    : layout->inner) *= static_cast<size_t>(shape[i]);
  }
  return layout;
}

// Calls run(begin, end, scale, zero point) for runs of one channel.
template <class F>
void ForEachRun(EvalContext& context, const Quantization& q, const F& run) {
  const auto& layout = *static_cast<const Layout*>(context.state());
  const size_t runs = layout.outer * layout.channels;
  const auto one = [&](size_t channel, size_t begin, size_t end) {
    const int64_t zero = q.zero_points.empty() ? 0 : q.zero_points[channel];
    run(begin, end, q.scales[channel], static_cast<int32_t>(zero));
  };
  if (runs == 1) {
    context.pool().ParallelFor(
        layout.inner, kGrain,
        [&](size_t begin, size_t end, int) { one(0, begin, end); });
    return;
  }
  context.pool().ParallelFor(
      runs, std::max<size_t>(1, kGrain / std::max<size_t>(1, layout.inner)),
      [&](size_t begin, size_t end, int) {
        for (size_t i = begin; i < end; ++i)
          one(i % layout.channels, i * layout.inner, (i + 1) * layout.inner);
      });
}

class DequantizeKernel final : public Kernel {
 public:
  Status Prepare(PrepareContext& context) const override {
    const TensorView& in = context.input(0);
    MUNJA_RETURN_IF_ERROR(CheckType(
        in, "the input",
        {ElementType::kFloat16, ElementType::kInt8, ElementType::kUInt8,
         ElementType::kInt16, ElementType::kInt32}));
    MUNJA_RETURN_IF_ERROR(
        CheckType(context.output(0), "the output", {ElementType::kFloat32}));
    if (in.type != ElementType::kFloat16) {
      MUNJA_ASSIGN_OR_RETURN(std::unique_ptr<Layout> layout,
                             MakeLayout(in, in));
      context.SetState(std::move(layout));
    }
    return context.SetOutputShape(0, in.shape);
  }

  Status Eval(EvalContext& context) const override {
    switch (context.input(0).type) {
      case ElementType::kFloat16:
        Halves(context);
        break;
      case ElementType::kInt8:
        Run<int8_t>(context);
        break;
      case ElementType::kUInt8:
        Run<uint8_t>(context);
        break;
      case ElementType::kInt16:
        Run<int16_t>(context);
        break;
      default:
        Run<int32_t>(context);
        break;
    }
    return Status();
  }

 private:
  static void Halves(EvalContext& context) {
    const auto* in = context.input(0).as<uint16_t>();
    float* out = context.output(0).mutable_as<float>();
    const auto count = static_cast<size_t>(context.output(0).shape.elements());
    context.pool().ParallelFor(count, kGrain,
                               [&](size_t begin, size_t end, int) {
                                 for (size_t i = begin; i < end; ++i)
                                   out[i] = HalfToFloat(in[i]);
                               });
  }

  template <class T>
  static void Run(EvalContext& context) {
    const T* in = context.input(0).as<T>();
    float* out = context.output(0).mutable_as<float>();
    ForEachRun(context, *context.input(0).quantization,
               [&](size_t begin, size_t end, float scale, int32_t zero) {
                 for (size_t i = begin; i < end; ++i) {
                   // Exact in double; rounded once at the end.
                   out[i] = static_cast<float>(
                       (static_cast<double>(in[i]) - zero) * scale);
                 }
               });
  }
};

class QuantizeKernel final : public Kernel {
 public:
  Status Prepare(PrepareContext& context) const override {
    const TensorView& in = context.input(0);
    const TensorView& out = context.output(0);
    MUNJA_RETURN_IF_ERROR(CheckType(in, "the input", {ElementType::kFloat32}));
    MUNJA_RETURN_IF_ERROR(CheckType(
        out, "the output",
        {ElementType::kInt8, ElementType::kUInt8, ElementType::kInt16}));
    MUNJA_ASSIGN_OR_RETURN(std::unique_ptr<Layout> layout, MakeLayout(in, out));
    context.SetState(std::move(layout));
    return context.SetOutputShape(0, in.shape);
  }

  Status Eval(EvalContext& context) const override {
    switch (context.output(0).type) {
      case ElementType::kInt8:
        Run<int8_t>(context);
        break;
      case ElementType::kUInt8:
        Run<uint8_t>(context);
        break;
      default:
        Run<int16_t>(context);
        break;
    }
    return Status();
  }

 private:
  template <class T>
  static void Run(EvalContext& context) {
    const float* in = context.input(0).as<float>();
    T* out = context.output(0).mutable_as<T>();
    ForEachRun(context, *context.output(0).quantization,
               [&](size_t begin, size_t end, float scale, int32_t zero) {
                 constexpr float kLow = std::numeric_limits<T>::min();
                 constexpr float kHigh = std::numeric_limits<T>::max();
                 for (size_t i = begin; i < end; ++i) {
                   // Half away from zero. NaN becomes the lower bound.
                   const float v =
                       std::round(in[i] / scale) + static_cast<float>(zero);
                   out[i] =
                       static_cast<T>(v > kLow ? std::min(v, kHigh) : kLow);
                 }
               });
  }
};

}  // namespace

Result<std::unique_ptr<Kernel>> Make(const NodeInfo& info) {
  MUNJA_RETURN_IF_ERROR(info.CheckArity(1, 1, 1));
  std::unique_ptr<Kernel> kernel;
  if (info.node().op == "QUANTIZE") {
    kernel = std::make_unique<QuantizeKernel>();
  } else {
    kernel = std::make_unique<DequantizeKernel>();
  }
  return kernel;
}

}  // namespace munja::ops::quantize
