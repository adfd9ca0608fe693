#include "ops/support/linear/quantized_linear.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "kernels/conv/int_conv_2d.h"
#include "kernels/quant/centered.h"
#include "kernels/quant/row_quantization.h"
#include "ops/support/linear/linear_shape.h"
#include "ops/support/linear/residual.h"
#include "ops/support/operands.h"
#include "ops/support/window_rows.h"

namespace munja::ops {
namespace {

// Scratch memory of one run, in the order of the offsets.
struct LinearState final : State {
  kernels::Conv2dShape shape;
  LinearScheme scheme;
  std::unique_ptr<State> maps;  // Or null.
  size_t joined = 0;            // One image of them, where that is centered.
  kernels::IntFormat format = kernels::IntFormat::kInt16;
  bool is_centered = false;
  size_t centered = 0;   // The input without its zero point, if wanted.
  size_t quantized = 0;  // Quantized values of a real input;
  size_t scales = 0;     // scales and zero points of its images.
  size_t zeros = 0;
  size_t unpacked = 0;  // Dynamic weights, as stored
  size_t packed = 0;    // and as the kernel reads them.
  size_t work = 0;      // The kernel's own; a piece of it for each worker that
  size_t work_bytes = 0;  // makes rows.
  // In each run: weights that come with it, or constants that were packed for
  // a number of groups that is dynamic in the graph.
  bool unpacks_weights = false;
  bool packs_weights = false;
};

// Appends a piece of `bytes` to a layout of `total` bytes.
Status Append(size_t bytes, size_t* offset, size_t* total) {
  *offset = *total;
  if (!CheckedAdd(*total, bytes, total) ||
      !CheckedAdd(*total, kBufferAlignment - 1, total))
    return OutOfMemory("scratch memory of a convolution does not fit memory");
  *total = *total / kBufferAlignment * kBufferAlignment;
  return Status();
}

int64_t InputElements(const kernels::Conv2dShape& s) {
  return int64_t{s.batch} * s.in_h * s.in_w * s.in_c;
}

constexpr size_t kStoredGrain = size_t{1} << 15;

// Index for operators that may have a residual, which comes next.
constexpr int kBiasBeforeResidual = 2;

// `images` images of `count` elements.
void CenterInput(const kernels::IntInput& in, size_t images, size_t count,
                 int16_t* out, ThreadPool& pool) {
  for (size_t n = 0; n < images; ++n, out += count) {
    const int32_t zero = in.OfImage(n).zero;
    const auto* data = static_cast<const uint8_t*>(in.data) + n * count;
    pool.ParallelFor(count, kStoredGrain, [&](size_t begin, size_t end, int) {
      const uint8_t* from = data + begin;
      if (in.type == ElementType::kUInt8) {
        kernels::Center(from, end - begin, zero, out + begin);
      } else {
        kernels::Center(reinterpret_cast<const int8_t*>(from), end - begin,
                        zero, out + begin);
      }
    });
  }
}

// Joins the feature maps of an input.
void JoinMaps(const kernels::IntInput& in, const kernels::Conv2dShape& s,
              uint8_t* out) {
  // A format in which bytes stay as they are.
  const kernels::IntFormat format = in.type == ElementType::kInt8
                                        ? kernels::IntFormat::kInt8
                                        : kernels::IntFormat::kUInt8;
  const auto height = static_cast<size_t>(s.in_h),
             width = static_cast<size_t>(s.in_w);
  for (size_t i = 0; i < static_cast<size_t>(s.batch) * height; ++i) {
    kernels::LoadMaps(in, i / height, i % height, 0, width, format,
                      out + i * width * static_cast<size_t>(s.in_c));
  }
}

// Whether activations are multiplied as bytes; floats are quantized
// dynamically.
bool AreBytes(ElementType input) { return input != ElementType::kInt16; }

// Bytes are multiplied as such where weights without their zero point are
// bytes, too.
kernels::IntFormat FormatFor(ElementType input, const int16_t* weights,
                             size_t count) {
  if (!AreBytes(input)) return kernels::IntFormat::kInt16;
  const bool are_bytes = std::all_of(weights, weights + count, [](int16_t w) {
    return w >= -128 && w <= 127;
  });
  return are_bytes ? kernels::ByteFormat() : kernels::IntFormat::kInt16;
}

// The same for dynamic weights.
kernels::IntFormat FormatFor(ElementType input, ElementType weights,
                             int32_t zero) {
  const int16_t known = weights == ElementType::kUInt8 || zero != 0 ? 255 : 0;
  return FormatFor(input, &known, 1);
}

}  // namespace

bool QuantizedLinear::Takes(const NodeInfo& info, int weights) {
  const graph::Value* value = info.input(weights);
  return value != nullptr && IsIntegerWeightType(value->type);
}

Status QuantizedLinear::Init(const NodeInfo& info) {
  MUNJA_ASSIGN_OR_RETURN(const bool adds,
                         info.attributes().Bool("has_residual", false));
  if (!has_maps_) {
    MUNJA_RETURN_IF_ERROR(
        info.CheckArity(operands_.bias, operands_.bias + (adds ? 2 : 1), 1));
  }
  if (info.input(operands_.input) == nullptr) return Malformed("has no input");
  if (adds) {
    if (has_maps_ || operands_.bias != kBiasBeforeResidual ||
        info.input(operands_.input)->type != ElementType::kFloat32)
      return Unsupported("a residual of quantized values is not implemented");
    MUNJA_ASSIGN_OR_RETURN(has_residual_, ParseResidual(info));
  }
  use_reference_ = info.options().reference_kernels;
  MUNJA_ASSIGN_OR_RETURN(activation_, ParseActivation(info.attributes()));
  MUNJA_ASSIGN_OR_RETURN(bias_type_, ParseBiasType(info.attributes()));
  const TensorView weights = info.constant(operands_.weights);
  has_constant_weights_ = info.input(operands_.weights)->constant.has_value();
  if (!has_constant_weights_) return Status();
  MUNJA_ASSIGN_OR_RETURN(const kernels::Conv2dShape sizes,
                         WeightSizes(info, weights.shape));
  constant_groups_ = sizes.groups;
  const int64_t elements = weights.shape.elements();
  const size_t count = static_cast<size_t>(elements);
  const size_t bytes =
      weights.type == ElementType::kInt4 ? (count + 1) / 2 : count;
  if (elements < 0 || weights.bytes < bytes)
    return Malformed("the weights are shorter than their shape");
  MUNJA_ASSIGN_OR_RETURN(const int32_t zero,
                         WeightZero(*weights.quantization, weights.type));
  MUNJA_ASSIGN_OR_RETURN(Buffer unpacked,
                         Buffer::Allocate(count * sizeof(int16_t)));
  UnpackWeights(weights, zero, unpacked.as<int16_t>());
  constant_format_ = FormatFor(info.input(operands_.input)->type,
                               unpacked.as<int16_t>(), count);
  const size_t packed =
      use_reference_ ? 0 : PackedBytes(sizes, constant_format_);
  if (packed == 0) {
    constant_weights_ = std::move(unpacked);
    return Status();
  }
  MUNJA_ASSIGN_OR_RETURN(constant_weights_, Buffer::Allocate(packed));
  Pack(unpacked.as<int16_t>(), sizes, constant_format_,
       constant_weights_.data());
  return Status();
}

Status QuantizedLinear::Prepare(PrepareContext& context) const {
  MUNJA_ASSIGN_OR_RETURN(Geometry geometry, Place(context));
  auto state = std::make_unique<LinearState>();
  const kernels::Conv2dShape& s = state->shape = geometry.shape;
  state->maps = std::move(geometry.maps);
  MUNJA_RETURN_IF_ERROR(CheckBiasShape(context, operands_.bias, s.out_c));
  // Groups share no sums, but TensorFlow Lite quantizes their input alike.
  const HybridRule rule = hybrid_ == HybridRule::kByWeights && s.groups > 1
                              ? HybridRule::kAsymmetric
                              : hybrid_;
  MUNJA_RETURN_IF_ERROR(MakeScheme(context, operands_, activation_, bias_type_,
                                   rule, s.out_c, state->scheme));
  if (has_residual_) {
    if (!state->scheme.is_hybrid)
      return Unsupported("a residual of quantized values is not implemented");
    MUNJA_RETURN_IF_ERROR(CheckType(context.input(kBiasBeforeResidual + 1),
                                    "the residual", {ElementType::kFloat32}));
    MUNJA_RETURN_IF_ERROR(PrepareResidual(context, geometry.output));
  }
  const auto elements = static_cast<size_t>(InputElements(s));
  size_t total = 0;
  const auto append = [&](size_t bytes, size_t* offset) {
    return Append(bytes, offset, &total);
  };
  const ElementType input_type = state->scheme.input_type;
  // Weights are packed when the session is made, for the input type that the
  // graph states; a caller may run with another, which wants another format.
  state->unpacks_weights =
      !has_constant_weights_ || constant_groups_ != s.groups ||
      (constant_format_ != kernels::IntFormat::kInt16 && !AreBytes(input_type));
  state->format =
      state->unpacks_weights
          ? FormatFor(input_type, context.input(operands_.weights).type,
                      state->scheme.weight_zero)
          : constant_format_;
  state->is_centered = AreBytes(input_type) &&
                       (use_reference_ || WantsCentered(s, state->format));
  if (state->is_centered)
    MUNJA_RETURN_IF_ERROR(append(elements * sizeof(int16_t), &state->centered));
  if (state->is_centered && state->maps != nullptr)
    MUNJA_RETURN_IF_ERROR(append(elements, &state->joined));
  if (state->scheme.is_hybrid) {
    const auto images = static_cast<size_t>(s.batch);
    MUNJA_RETURN_IF_ERROR(append(elements, &state->quantized));
    MUNJA_RETURN_IF_ERROR(append(images * sizeof(float), &state->scales));
    MUNJA_RETURN_IF_ERROR(append(images * sizeof(int32_t), &state->zeros));
  }
  if (state->unpacks_weights) {
    const int64_t count = context.input(operands_.weights).shape.elements();
    const size_t packed = use_reference_ ? 0 : PackedBytes(s, state->format);
    state->packs_weights = packed != 0;
    MUNJA_RETURN_IF_ERROR(
        append(static_cast<size_t>(count) * sizeof(int16_t), &state->unpacked));
    if (state->packs_weights)
      MUNJA_RETURN_IF_ERROR(append(packed, &state->packed));
  }
  if (!use_reference_) {
    const auto threads = static_cast<size_t>(context.threads());
    state->work_bytes =
        RoundUp(ScratchBytes(s, state->format, 1), kBufferAlignment);
    size_t rows = 0;
    if (!CheckedMultiply(state->work_bytes, threads, &rows))
      return OutOfMemory("scratch memory of a convolution does not fit memory");
    MUNJA_RETURN_IF_ERROR(append(
        std::max(rows, ScratchBytes(s, state->format, context.threads())),
        &state->work));
  }
  context.RequestScratch(total);
  context.SetState(std::move(state));
  return context.SetOutputShape(0, geometry.output);
}

Status QuantizedLinear::Eval(EvalContext& context) const {
  const auto& state = *static_cast<const LinearState*>(context.state());
  const kernels::Conv2dShape& s = state.shape;
  const LinearScheme& scheme = state.scheme;
  if (context.output(0).shape.elements() == 0) return Status();
  auto* scratch = static_cast<uint8_t*>(context.scratch());
  const auto memory = [&](size_t offset) {
    return reinterpret_cast<int16_t*>(scratch + offset);
  };
  const TensorView& in = context.input(operands_.input);
  const auto images = static_cast<size_t>(s.batch);
  const auto elements = static_cast<size_t>(InputElements(s));
  kernels::IntInput input{in.data, in.type, scheme.input_zero};
  const float* image_scales = nullptr;
  std::array<kernels::IntMap, kMaxMaps> maps;
  if (state.maps != nullptr) {
    input.maps = Maps(context, *state.maps, maps);
    if (state.is_centered) {
      JoinMaps(input, s, scratch + state.joined);
      input.data = scratch + state.joined;
    }
  } else if (scheme.is_hybrid) {
    // As the kernel multiplies them.
    const bool is_unsigned = state.format == kernels::IntFormat::kUInt8;
    auto* scales = reinterpret_cast<float*>(scratch + state.scales);
    auto* zeros = reinterpret_cast<int32_t*>(scratch + state.zeros);
    kernels::QuantizeRows(
        in.as<float>(), images, elements / images, scheme.is_asymmetric,
        {scratch + state.quantized, is_unsigned, scales, zeros},
        context.pool());
    image_scales = scales;
    input = {scratch + state.quantized,
             is_unsigned ? ElementType::kUInt8 : ElementType::kInt8,
             0,
             {},
             zeros};
  }
  const auto* centered = static_cast<const int16_t*>(input.data);
  if (state.is_centered) {
    CenterInput(input, images, elements / images, memory(state.centered),
                context.pool());
    centered = memory(state.centered);
  }
  const void* weights = constant_weights_.data();
  if (state.unpacks_weights) {
    int16_t* unpacked = memory(state.unpacked);
    UnpackWeights(context.input(operands_.weights), scheme.weight_zero,
                  unpacked);
    weights = unpacked;
    if (state.packs_weights) {
      Pack(unpacked, s, state.format, memory(state.packed));
      weights = memory(state.packed);
    }
  }
  const kernels::IntEpilogue epilogue =
      EpilogueOf(context, scheme, context.output(0).data);
  const LinearRun run{s,
                      input,
                      centered,
                      state.format,
                      weights,
                      image_scales,
                      epilogue,
                      scratch + state.work,
                      context.pool()};
  if (use_reference_)
    RunReference(run);
  else
    Run(run);
  return Status();
}

kernels::IntEpilogue QuantizedLinear::EpilogueOf(const EvalContext& context,
                                                 const LinearScheme& scheme,
                                                 void* out) const {
  kernels::IntEpilogue epilogue = scheme.epilogue;
  epilogue.out = out;
  if (context.has_input(operands_.bias)) {
    const TensorView& bias = context.input(operands_.bias);
    if (scheme.is_hybrid)
      epilogue.float_bias = bias.as<float>();
    else if (bias.type == ElementType::kInt64)
      epilogue.wide_bias = bias.as<int64_t>();
    else
      epilogue.bias = bias.as<int32_t>();
  }
  if (has_residual_)
    epilogue.residual = context.input(kBiasBeforeResidual + 1).as<float>();
  return epilogue;
}

const RowKernel* QuantizedLinear::by_rows() const {
  return use_reference_ || !has_constant_weights_ ? nullptr : this;
}

// Rows cannot be split where whole inputs are converted first.
bool QuantizedLinear::CanSplitRows(const EvalContext& context) const {
  const auto& state = *static_cast<const LinearState*>(context.state());
  const kernels::Conv2dShape& s = state.shape;
  const TensorView& out = context.output(0);
  if (state.scheme.is_hybrid || state.is_centered || state.unpacks_weights ||
      !IsRowMap(out) || out.shape[1] != s.out_h || out.shape[2] != s.out_w ||
      !SplitsRows(s))
    return false;
  for (int i = 0; i < context.inputs(); ++i) {
    if (!context.has_input(i) || !IsRowInput(context, i)) continue;
    const TensorView& in = context.input(i);
    if (!IsRowMap(in) ||
        (!has_maps_ && (in.shape[1] != s.in_h || in.shape[2] != s.in_w)))
      return false;
  }
  return true;
}

bool QuantizedLinear::IsRowInput(const EvalContext&, int i) const {
  const int after = i - operands_.input;
  return has_maps_ ? after >= 0 && after % 2 == 0 : after == 0;
}

RowRange QuantizedLinear::InputRows(const EvalContext& context, int i,
                                    RowRange rows) const {
  const auto& state = *static_cast<const LinearState*>(context.state());
  const RowRange read = RowsRead(state.shape, rows);
  if (state.maps == nullptr) return read;
  return MapRows(*state.maps, static_cast<size_t>(i - operands_.input) / 2,
                 read);
}

int32_t QuantizedLinear::RowStep(const EvalContext& context) const {
  return StepOfRows(static_cast<const LinearState*>(context.state())->shape);
}

RowRange QuantizedLinear::RowsRead(const kernels::Conv2dShape& s,
                                   RowRange rows) const {
  return RowsUnder(s, rows);
}

kernels::Conv2dShape QuantizedLinear::ShapeOf(const kernels::Conv2dShape& s,
                                              RowRange rows) const {
  return ShapeOfRows(s, rows);
}

void QuantizedLinear::EvalRows(const RowTask& task) const {
  const EvalContext& context = task.context;
  const auto& state = *static_cast<const LinearState*>(context.state());
  const auto first = static_cast<size_t>(operands_.input);
  kernels::IntInput input{task.inputs[first],
                          context.input(operands_.input).type,
                          state.scheme.input_zero};
  std::array<kernels::IntMap, kMaxMaps> memory;
  if (state.maps != nullptr) {
    const auto maps = Maps(context, *state.maps, memory);
    const RowRange read = RowsRead(state.shape, task.rows);
    for (size_t m = 0; m < maps.size(); ++m) {
      kernels::IntMap& map = memory[m];
      map.data = static_cast<const uint8_t*>(task.inputs[first + 2 * m]);
      map.first_row = static_cast<size_t>(MapRows(*state.maps, m, read).begin);
      map.rows += read.begin;
    }
    input.maps = maps;
  }
  const kernels::Conv2dShape shape = ShapeOf(state.shape, task.rows);
  const kernels::IntEpilogue epilogue =
      EpilogueOf(context, state.scheme, task.output);
  Run({shape, input, static_cast<const int16_t*>(input.data), state.format,
       constant_weights_.data(), nullptr, epilogue,
       static_cast<uint8_t*>(context.scratch()) + state.work +
           state.work_bytes * static_cast<size_t>(task.worker),
       context.pool()});
}

int64_t QuantizedLinear::MultiplyAccumulates(
    std::span<const TensorView> inputs,
    std::span<const TensorView> outputs) const {
  const Shape& weights = inputs[static_cast<size_t>(operands_.weights)].shape;
  const int32_t channels = weights[operands_.channel_axis];
  return channels == 0
             ? 0
             : outputs[0].shape.elements() * (weights.elements() / channels);
}

}  // namespace munja::ops
