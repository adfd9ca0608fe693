#include "ops/support/linear/int_linear.h"

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <utility>

#include "base/buffer.h"
#include "kernels/quant/centered.h"
#include "kernels/quant/row_quantization.h"
#include "ops/support/linear/linear_shape.h"
#include "ops/support/linear/residual.h"
#include "ops/support/operands.h"
#include "ops/support/row_kernel.h"
#include "ops/support/window_rows.h"

namespace munja::ops {
namespace {

// Scratch memory of one run, in the order of the offsets.
struct LinearState final : State {
  kernels::Conv2dShape shape;
  LinearScheme scheme;
  std::vector<NearestMap> maps;
  size_t joined = 0;  // One image of them, where that is centered.
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

class IntLinearKernel final : public Kernel, public RowKernel {
 public:
  explicit IntLinearKernel(IntLinear node) : node_(std::move(node)) {}
  Status Make(const NodeInfo& info);
  Status Prepare(PrepareContext& context) const override;
  Status Eval(EvalContext& context) const override;
  int64_t MultiplyAccumulates(
      std::span<const TensorView> inputs,
      std::span<const TensorView> outputs) const override;
  size_t packed_bytes() const override { return constant_weights_.size(); }

  const RowKernel* by_rows() const override {
    return use_reference_ || !has_constant_weights_ ? nullptr : this;
  }
  bool CanSplitRows(const EvalContext& context) const override;
  bool IsRowInput(const EvalContext&, int i) const override {
    const int after = i - at_.input;
    return node_.geometry.has_maps ? after >= 0 && after % 2 == 0 : after == 0;
  }
  RowRange InputRows(const EvalContext& context, int i,
                     RowRange rows) const override;
  int32_t RowStep(const EvalContext& context) const override;
  void EvalRows(const RowTask& task) const override;

 private:
  size_t PackedBytes(const kernels::Conv2dShape& s,
                     kernels::IntFormat format) const {
    return use_reference_ ? 0 : node_.engine->packed_bytes(s, format);
  }
  RowRange RowsRead(const kernels::Conv2dShape& s, RowRange rows) const {
    return node_.geometry.is_transposed ? RowsSpread(s, rows)
                                        : RowsUnder(s, rows);
  }
  std::span<kernels::IntMap> Maps(
      const EvalContext& context, const LinearState& state,
      std::span<kernels::IntMap, kMaxLinearMaps> memory) const;
  kernels::IntEpilogue EpilogueOf(const EvalContext& context,
                                  const LinearScheme& scheme, void* out) const;

  IntLinear node_;
  LinearOperands at_ = node_.operands;
  bool use_reference_ = false;
  // An input behind the bias, of reals with float activations.
  bool has_residual_ = false;
  // Constant weights, ready for the engine.
  bool has_constant_weights_ = false;
  int32_t constant_groups_ = 1;
  kernels::IntFormat constant_format_ = kernels::IntFormat::kInt16;
  Buffer constant_weights_;
};

Status IntLinearKernel::Make(const NodeInfo& info) {
  const bool has_maps = node_.geometry.has_maps;
  MUNJA_ASSIGN_OR_RETURN(const bool adds,
                         info.attributes().Bool("has_residual", false));
  if (!has_maps) {
    MUNJA_RETURN_IF_ERROR(
        info.CheckArity(at_.bias, at_.bias + (adds ? 2 : 1), 1));
  }
  if (info.input(at_.input) == nullptr) return Malformed("has no input");
  if (adds) {
    if (has_maps || at_.bias != kBiasBeforeResidual ||
        info.input(at_.input)->type != ElementType::kFloat32)
      return Unsupported("a residual of quantized values is not implemented");
    MUNJA_ASSIGN_OR_RETURN(has_residual_, ParseResidual(info));
  }
  use_reference_ = info.options().reference_kernels;
  MUNJA_RETURN_IF_ERROR(ParseLinearAttributes(info.attributes(), node_.rules));
  const TensorView weights = info.constant(at_.weights);
  has_constant_weights_ = info.input(at_.weights)->constant.has_value();
  if (!has_constant_weights_) return Status();
  MUNJA_ASSIGN_OR_RETURN(const kernels::Conv2dShape sizes,
                         node_.geometry.weight_sizes(info, weights.shape));
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
  constant_format_ =
      FormatFor(info.input(at_.input)->type, unpacked.as<int16_t>(), count);
  const size_t packed = PackedBytes(sizes, constant_format_);
  if (packed == 0) {
    constant_weights_ = std::move(unpacked);
    return Status();
  }
  MUNJA_ASSIGN_OR_RETURN(constant_weights_, Buffer::Allocate(packed));
  node_.engine->pack(unpacked.as<int16_t>(), sizes, constant_format_,
                     constant_weights_.data());
  return Status();
}

Status IntLinearKernel::Prepare(PrepareContext& context) const {
  MUNJA_ASSIGN_OR_RETURN(LinearSizes sizes, node_.geometry.place(context));
  auto state = std::make_unique<LinearState>();
  const kernels::Conv2dShape& s = state->shape = sizes.shape;
  state->maps = std::move(sizes.maps);
  MUNJA_RETURN_IF_ERROR(CheckBiasShape(context, at_.bias, s.out_c));
  MUNJA_RETURN_IF_ERROR(
      MakeScheme(context, at_, node_.rules, s, state->scheme));
  if (has_residual_) {
    if (!state->scheme.is_hybrid)
      return Unsupported("a residual of quantized values is not implemented");
    MUNJA_RETURN_IF_ERROR(CheckType(context.input(kBiasBeforeResidual + 1),
                                    "the residual", {ElementType::kFloat32}));
    MUNJA_RETURN_IF_ERROR(PrepareResidual(context, sizes.output));
  }
  const auto elements = static_cast<size_t>(InputElements(s));
  size_t total = 0;
  const auto append = [&](size_t bytes, size_t* offset) {
    return Append(bytes, offset, &total);
  };
  const ElementType input_type = state->scheme.input_type;
  const IntEngine& engine = *node_.engine;
  // Weights are packed when the session is made, for the input type that the
  // graph states; a caller may run with another, which wants another format.
  state->unpacks_weights =
      !has_constant_weights_ || constant_groups_ != s.groups ||
      (constant_format_ != kernels::IntFormat::kInt16 && !AreBytes(input_type));
  state->format = state->unpacks_weights
                      ? FormatFor(input_type, context.input(at_.weights).type,
                                  state->scheme.weight_zero)
                      : constant_format_;
  state->is_centered = AreBytes(input_type) &&
                       (use_reference_ || (engine.wants_centered != nullptr &&
                                           engine.wants_centered(s)));
  if (state->is_centered)
    MUNJA_RETURN_IF_ERROR(append(elements * sizeof(int16_t), &state->centered));
  if (state->is_centered && !state->maps.empty())
    MUNJA_RETURN_IF_ERROR(append(elements, &state->joined));
  if (state->scheme.is_hybrid) {
    const auto images = static_cast<size_t>(s.batch);
    MUNJA_RETURN_IF_ERROR(append(elements, &state->quantized));
    MUNJA_RETURN_IF_ERROR(append(images * sizeof(float), &state->scales));
    MUNJA_RETURN_IF_ERROR(append(images * sizeof(int32_t), &state->zeros));
  }
  if (state->unpacks_weights) {
    const int64_t count = context.input(at_.weights).shape.elements();
    const size_t packed = PackedBytes(s, state->format);
    state->packs_weights = packed != 0;
    MUNJA_RETURN_IF_ERROR(
        append(static_cast<size_t>(count) * sizeof(int16_t), &state->unpacked));
    if (state->packs_weights)
      MUNJA_RETURN_IF_ERROR(append(packed, &state->packed));
  }
  if (!use_reference_) {
    const auto threads = static_cast<size_t>(context.threads());
    state->work_bytes =
        RoundUp(engine.scratch_bytes(s, state->format, 1), kBufferAlignment);
    size_t rows = 0;
    if (!CheckedMultiply(state->work_bytes, threads, &rows))
      return OutOfMemory("scratch memory of a convolution does not fit memory");
    MUNJA_RETURN_IF_ERROR(append(
        std::max(rows,
                 engine.scratch_bytes(s, state->format, context.threads())),
        &state->work));
  }
  context.RequestScratch(total);
  context.SetState(std::move(state));
  return context.SetOutputShape(0, sizes.output);
}

Status IntLinearKernel::Eval(EvalContext& context) const {
  const auto& state = *static_cast<const LinearState*>(context.state());
  const kernels::Conv2dShape& s = state.shape;
  const LinearScheme& scheme = state.scheme;
  if (context.output(0).shape.elements() == 0) return Status();
  auto* scratch = static_cast<uint8_t*>(context.scratch());
  const auto memory = [&](size_t offset) {
    return reinterpret_cast<int16_t*>(scratch + offset);
  };
  const TensorView& in = context.input(at_.input);
  const auto images = static_cast<size_t>(s.batch);
  const auto elements = static_cast<size_t>(InputElements(s));
  kernels::IntInput input{in.data, in.type, scheme.input_zero};
  const float* image_scales = nullptr;
  std::array<kernels::IntMap, kMaxLinearMaps> maps;
  if (!state.maps.empty()) {
    input.maps = Maps(context, state, maps);
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
    UnpackWeights(context.input(at_.weights), scheme.weight_zero, unpacked);
    weights = unpacked;
    if (state.packs_weights) {
      node_.engine->pack(unpacked, s, state.format, memory(state.packed));
      weights = memory(state.packed);
    }
  }
  const kernels::IntEpilogue epilogue =
      EpilogueOf(context, scheme, context.output(0).data);
  const IntRun run{s,
                   input,
                   centered,
                   state.format,
                   weights,
                   image_scales,
                   epilogue,
                   scratch + state.work,
                   context.pool()};
  (use_reference_ ? node_.engine->run_reference : node_.engine->run)(run);
  return Status();
}

kernels::IntEpilogue IntLinearKernel::EpilogueOf(const EvalContext& context,
                                                 const LinearScheme& scheme,
                                                 void* out) const {
  kernels::IntEpilogue epilogue = scheme.epilogue;
  epilogue.out = out;
  if (context.has_input(at_.bias)) {
    const TensorView& bias = context.input(at_.bias);
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

std::span<kernels::IntMap> IntLinearKernel::Maps(
    const EvalContext& context, const LinearState& state,
    std::span<kernels::IntMap, kMaxLinearMaps> memory) const {
  for (size_t m = 0; m < state.maps.size(); ++m) {
    const TensorView& map = context.input(at_.input + 2 * static_cast<int>(m));
    memory[m] = {static_cast<const uint8_t*>(map.data),
                 static_cast<size_t>(map.shape[3]),
                 static_cast<size_t>(map.shape[1]),
                 static_cast<size_t>(map.shape[2]),
                 state.maps[m].rows.data(),
                 state.maps[m].columns.data()};
  }
  return memory.first(state.maps.size());
}

// Rows cannot be split where whole inputs are converted first.
bool IntLinearKernel::CanSplitRows(const EvalContext& context) const {
  const auto& state = *static_cast<const LinearState*>(context.state());
  const kernels::Conv2dShape& s = state.shape;
  const TensorView& out = context.output(0);
  if (state.scheme.is_hybrid || state.is_centered || state.unpacks_weights ||
      !IsRowMap(out) || out.shape[1] != s.out_h || out.shape[2] != s.out_w ||
      (node_.geometry.is_transposed && !SpreadsWholeRows(s)))
    return false;
  for (int i = 0; i < context.inputs(); ++i) {
    if (!context.has_input(i) || !IsRowInput(context, i)) continue;
    const TensorView& in = context.input(i);
    if (!IsRowMap(in) || (state.maps.empty() &&
                          (in.shape[1] != s.in_h || in.shape[2] != s.in_w)))
      return false;
  }
  return true;
}

RowRange IntLinearKernel::InputRows(const EvalContext& context, int i,
                                    RowRange rows) const {
  const auto& state = *static_cast<const LinearState*>(context.state());
  const RowRange read = RowsRead(state.shape, rows);
  if (state.maps.empty()) return read;
  const NearestMap& map = state.maps[static_cast<size_t>(i - at_.input) / 2];
  return SourceRows(map.rows, map.height, read);
}

int32_t IntLinearKernel::RowStep(const EvalContext& context) const {
  return node_.geometry.is_transposed
             ? static_cast<const LinearState*>(context.state())->shape.stride_h
             : 1;
}

void IntLinearKernel::EvalRows(const RowTask& task) const {
  const EvalContext& context = task.context;
  const auto& state = *static_cast<const LinearState*>(context.state());
  const auto first = static_cast<size_t>(at_.input);
  kernels::IntInput input{task.inputs[first].data,
                          context.input(at_.input).type,
                          state.scheme.input_zero};
  const RowRange read = RowsRead(state.shape, task.rows);
  std::array<kernels::IntMap, kMaxLinearMaps> memory;
  const std::span<kernels::IntMap> maps = Maps(context, state, memory);
  for (size_t m = 0; m < maps.size(); ++m) {
    const NearestMap& map = state.maps[m];
    maps[m].data = static_cast<const uint8_t*>(task.inputs[first + 2 * m].data);
    maps[m].first_row =
        static_cast<size_t>(SourceRows(map.rows, map.height, read).begin);
    maps[m].rows += read.begin;
  }
  input.maps = maps;
  const kernels::Conv2dShape shape =
      node_.geometry.is_transposed ? ShapeOfSpreadRows(state.shape, task.rows)
                                   : ShapeOfRows(state.shape, task.rows);
  const kernels::IntEpilogue epilogue =
      EpilogueOf(context, state.scheme, task.output);
  node_.engine->run({shape, input, static_cast<const int16_t*>(input.data),
                     state.format, constant_weights_.data(), nullptr, epilogue,
                     static_cast<uint8_t*>(context.scratch()) + state.work +
                         state.work_bytes * static_cast<size_t>(task.worker),
                     context.pool()});
}

int64_t IntLinearKernel::MultiplyAccumulates(
    std::span<const TensorView> inputs,
    std::span<const TensorView> outputs) const {
  const Shape& weights = inputs[static_cast<size_t>(at_.weights)].shape;
  if (node_.geometry.is_transposed) {
    return inputs[static_cast<size_t>(at_.input)].shape.elements() *
           weights.elements(0, 3);
  }
  const int32_t channels = weights[at_.channel_axis];
  return channels == 0
             ? 0
             : outputs[0].shape.elements() * (weights.elements() / channels);
}

}  // namespace

bool HasIntWeights(const NodeInfo& info, int weights) {
  const graph::Value* value = info.input(weights);
  return value != nullptr && IsIntegerWeightType(value->type);
}

Result<std::unique_ptr<Kernel>> MakeIntLinear(const NodeInfo& info,
                                              IntLinear node) {
  auto kernel = std::make_unique<IntLinearKernel>(std::move(node));
  MUNJA_RETURN_IF_ERROR(kernel->Make(info));
  return std::unique_ptr<Kernel>(std::move(kernel));
}

}  // namespace munja::ops
