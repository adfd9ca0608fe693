// DEQUANTIZE to float, QUANTIZE from float or from other quantized values.
#include "kernels/quant/quantize.h"

#include <algorithm>
#include <string>

#include "kernels/quant/fixed_point.h"
#include "ops/op.h"
#include "ops/support/by_type.h"
#include "ops/support/operands.h"
#include "ops/support/pointwise_rows.h"
#include "ops/support/quantized/lookup_table.h"
#include "ops/support/quantized/quantized.h"
#include "tensor/half.h"
#include "tensor/int4.h"

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

// By rows where there is one scale, in elements of whole bytes.
class ScaledRows : public PointwiseRows {
 public:
  bool CanSplitRows(const EvalContext& context) const override {
    const auto* layout = static_cast<const Layout*>(context.state());
    return PointwiseRows::CanSplitRows(context) && layout != nullptr &&
           layout->channels == 1 && layout->outer == 1;
  }

 protected:
  static float Scale(const TensorView& view) {
    return view.quantization->scales[0];
  }
  static int32_t Zero(const TensorView& view) {
    const auto& zeros = view.quantization->zero_points;
    return zeros.empty() ? 0 : static_cast<int32_t>(zeros[0]);
  }
};

class DequantizeKernel final : public Kernel, public ScaledRows {
 public:
  Status Prepare(PrepareContext& context) const override {
    const TensorView& in = context.input(0);
    MUNJA_RETURN_IF_ERROR(CheckType(
        in, "the input",
        {ElementType::kFloat16, ElementType::kInt8, ElementType::kUInt8,
         ElementType::kInt16, ElementType::kInt32, ElementType::kInt4}));
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
    const ElementType type = context.input(0).type;
    if (type == ElementType::kFloat16) {
      Halves(context);
    } else if (type == ElementType::kInt4) {
      Nibbles(context);
    } else {
      ByType<int8_t, uint8_t, int16_t, int32_t>(
          type, [&]<class T>() { Run<T>(context); });
    }
    return Status();
  }

  const RowKernel* by_rows() const override { return this; }

 protected:
  void EvalElements(const EvalContext& context, const void* in, size_t count,
                    void* out) const override {
    return ByType<int8_t, uint8_t, int16_t, int32_t>(
        context.input(0).type,
        [&]<class T>() { return Elements<T>(context, in, count, out); });
  }

 private:
  template <class T>
  static void Elements(const EvalContext& context, const void* in, size_t count,
                       void* out) {
    const TensorView& view = context.input(0);
    kernels::Dequantize(static_cast<const T*>(in), count, Scale(view),
                        Zero(view), static_cast<float*>(out));
  }

  static void Nibbles(EvalContext& context) {
    const auto* in = context.input(0).as<uint8_t>();
    float* out = context.output(0).mutable_as<float>();
    ForEachRun(context, *context.input(0).quantization,
               [&](size_t begin, size_t end, float scale, int32_t zero) {
                 for (size_t i = begin; i < end; ++i)
                   out[i] = scale * static_cast<float>(Int4At(in, i) - zero);
               });
  }

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
                 kernels::Dequantize(in + begin, end - begin, scale, zero,
                                     out + begin);
               });
  }
};

class QuantizeKernel final : public Kernel, public ScaledRows {
 public:
  explicit QuantizeKernel(bool reference_kernels)
      : use_reference_(reference_kernels) {}

  Status Prepare(PrepareContext& context) const override {
    const TensorView& in = context.input(0);
    const TensorView& out = context.output(0);
    MUNJA_RETURN_IF_ERROR(CheckType(in, "the input", {ElementType::kFloat32}));
    MUNJA_RETURN_IF_ERROR(CheckType(out, "the output",
                                    {ElementType::kInt8, ElementType::kUInt8,
                                     ElementType::kInt16, ElementType::kInt4}));
    MUNJA_ASSIGN_OR_RETURN(std::unique_ptr<Layout> layout, MakeLayout(in, out));
    context.SetState(std::move(layout));
    return context.SetOutputShape(0, in.shape);
  }

  Status Eval(EvalContext& context) const override {
    const ElementType type = context.output(0).type;
    if (type == ElementType::kInt4) {
      Nibbles(context);
    } else {
      ByType<int8_t, uint8_t, int16_t>(type,
                                       [&]<class T>() { Run<T>(context); });
    }
    return Status();
  }

  const RowKernel* by_rows() const override {
    return use_reference_ ? nullptr : this;
  }

 protected:
  void EvalElements(const EvalContext& context, const void* in, size_t count,
                    void* out) const override {
    return ByType<int8_t, uint8_t, int16_t>(
        context.output(0).type,
        [&]<class T>() { return Elements<T>(context, in, count, out); });
  }

 private:
  template <class T>
  static void Elements(const EvalContext& context, const void* in, size_t count,
                       void* out) {
    const TensorView& view = context.output(0);
    kernels::Quantize(static_cast<const float*>(in), count, Scale(view),
                      Zero(view), static_cast<T*>(out));
  }

  // On one thread: two values share a byte.
  static void Nibbles(EvalContext& context) {
    const float* in = context.input(0).as<float>();
    auto* out = context.output(0).mutable_as<uint8_t>();
    const Quantization& q = *context.output(0).quantization;
    const auto& layout = *static_cast<const Layout*>(context.state());
    const size_t count = layout.outer * layout.channels * layout.inner;
    for (size_t i = 0; i < count; ++i) {
      const size_t channel = i / layout.inner % layout.channels;
      const auto zero = static_cast<int32_t>(
          q.zero_points.empty() ? 0 : q.zero_points[channel]);
      SetInt4(out, i, kernels::Quantize(in[i], q.scales[channel], zero, -8, 7));
    }
  }

  template <class T>
  void Run(EvalContext& context) const {
    const float* in = context.input(0).as<float>();
    T* out = context.output(0).mutable_as<T>();
    ForEachRun(context, *context.output(0).quantization,
               [&](size_t begin, size_t end, float scale, int32_t zero) {
                 use_reference_
                     ? kernels::reference::Quantize(in + begin, end - begin,
                                                    scale, zero, out + begin)
                     : kernels::Quantize(in + begin, end - begin, scale, zero,
                                         out + begin);
               });
  }

  bool use_reference_;
};

// From one quantization to another.
Result<StoredFunction> Requantize(const TensorView& in_view,
                                  const TensorView& out_view) {
  const ElementType from = in_view.type, to = out_view.type;
  const auto is_8_bits = [](ElementType type) {
    return type == ElementType::kInt8 || type == ElementType::kUInt8;
  };
  const bool exists = is_8_bits(from)
                          ? is_8_bits(to) || to == ElementType::kInt16
                      : from == ElementType::kInt16
                          ? is_8_bits(to) || to == ElementType::kInt16 ||
                                to == ElementType::kInt32
                          : from == ElementType::kInt32 &&
                                (is_8_bits(to) || to == ElementType::kInt16);
  if (!exists) {
    return Unsupported(std::string("from ") + ElementTypeName(from) + " to " +
                       ElementTypeName(to));
  }
  MUNJA_ASSIGN_OR_RETURN(const Affine in,
                         PerTensorWithAnyZero(in_view, "the input"));
  MUNJA_ASSIGN_OR_RETURN(const Affine out, PerTensor(out_view, "the output"));
  const kernels::Multiplier scale = kernels::QuantizeMultiplier(
      static_cast<double>(in.scale) / static_cast<double>(out.scale));
  const StoredRange range = RangeOf(to);
  return StoredFunction([in, out, scale, range](int32_t stored) {
    const auto x = static_cast<int32_t>(static_cast<uint32_t>(stored) -
                                        static_cast<uint32_t>(in.zero));
    const int64_t v = int64_t{kernels::Multiply(x, scale)} + out.zero;
    return static_cast<int32_t>(std::clamp<int64_t>(v, range.low, range.high));
  });
}

}  // namespace

Result<std::unique_ptr<Kernel>> Make(const NodeInfo& info) {
  MUNJA_RETURN_IF_ERROR(info.CheckArity(1, 1, 1));
  std::unique_ptr<Kernel> kernel;
  const graph::Value* input = info.input(0);
  if (info.node().op == "QUANTIZE") {
    if (input != nullptr &&
        (IsQuantizedType(input->type) || input->type == ElementType::kInt32))
      return MakeStoredMap(Requantize, info.options().reference_kernels);
    kernel = std::make_unique<QuantizeKernel>(info.options().reference_kernels);
  } else {
    kernel = std::make_unique<DequantizeKernel>();
  }
  return kernel;
}

}  // namespace munja::ops::quantize
