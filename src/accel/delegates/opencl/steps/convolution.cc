// CONV_2D, DEPTHWISE_CONV_2D, TRANSPOSE_CONV, pools, FULLY_CONNECTED.
#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "delegates/opencl/recording.h"
#include "delegates/opencl/steps/steps.h"
#include "kernels/conv/conv_2d.h"
#include "ops/support/linear/linear_shape.h"
#include "ops/support/window.h"

namespace munja::delegates::opencl {
namespace {

using kernels::Conv2dShape;
using Floats = Result<std::vector<float>>;

int64_t Blocks(int64_t count) { return (count + 3) / 4; }

// The bias as input i has it, or zeros, in whole blocks of four.
Result<BufferArgument> BiasOf(Recorder& r, int i, int64_t channels) {
  const int64_t padded = Blocks(channels) * 4;
  if (!r.has(i))
    return r.Fixed(std::vector<float>(static_cast<size_t>(padded)));
  MUNJA_ASSIGN_OR_RETURN(MakeNumbers numbers, r.Numbers(i));
  MUNJA_ASSIGN_OR_RETURN(const Shape shape, r.ShapeOf(i));
  if (shape.elements() != channels)
    return Malformed("the bias does not have " + std::to_string(channels) +
                     " numbers");
  return r.Constant(i, "bias", padded,
                    [make = std::move(numbers), padded]() -> Floats {
                      MUNJA_ASSIGN_OR_RETURN(std::vector<float> bias, make());
                      bias.resize(static_cast<size_t>(padded));
                      return bias;
                    });
}

// [out][taps][in] as [blocks of four of out][taps][in][4].
std::vector<float> InBlocks(const std::vector<float>& weights, int64_t out,
                            int64_t rest) {
  std::vector<float> packed(static_cast<size_t>(Blocks(out) * rest * 4));
  for (int64_t o = 0; o < out; ++o)
    for (int64_t k = 0; k < rest; ++k)
      packed[static_cast<size_t>((o / 4 * rest + k) * 4 + o % 4)] =
          weights[static_cast<size_t>(o * rest + k)];
  return packed;
}

// Weights on the device, and what tells them apart from others.
struct Weights {
  BufferArgument numbers;
  std::optional<BufferArgument> scales;  // Per channel: the weights are bytes.

  void AppendTo(Launch& launch) const {
    launch.arguments.emplace_back(numbers);
    if (scales) launch.arguments.emplace_back(*scales);
    launch.has_byte_weights = scales.has_value();
  }
};

using Pack = std::function<std::vector<float>(const std::vector<float>&)>;

// Weights of `rest` numbers for each output channel, which the kernel wants as
// `pack` makes them, `elements` numbers. Channels lie one behind the other, or
// next to each other (`are_columns`).
Result<Weights> WeightsOf(Recorder& r, const std::string& way, int64_t channels,
                          int64_t rest, bool are_columns, int64_t elements,
                          const Pack& pack) {
  constexpr int kWeights = 1;
  MUNJA_ASSIGN_OR_RETURN(MakeNumbers numbers, r.Numbers(kWeights));
  MUNJA_ASSIGN_OR_RETURN(const Shape shape, r.ShapeOf(kWeights));
  if (shape.elements() != channels * rest)
    return Malformed("the weights have another size");
  const std::vector<float>* const scales = r.ByteScalesOf(kWeights);
  Weights weights;
  if (scales == nullptr) {
    MUNJA_ASSIGN_OR_RETURN(
        weights.numbers,
        r.Constant(kWeights, way, elements,
                   [make = std::move(numbers), pack]() -> Floats {
                     MUNJA_ASSIGN_OR_RETURN(const std::vector<float> plain,
                                            make());
                     return pack(plain);
                   }));
    return weights;
  }
  MUNJA_ASSIGN_OR_RETURN(
      weights.numbers,
      r.Constant(
          kWeights, way + " of bytes", elements,
          [make = std::move(numbers), pack, scales = *scales, rest,
           are_columns]() -> Floats {
            MUNJA_ASSIGN_OR_RETURN(std::vector<float> plain, make());
            for (size_t i = 0; i < plain.size(); ++i)
              plain[i] = std::round(
                  plain[i] /
                  scales[are_columns ? i % scales.size()
                                     : i / static_cast<size_t>(rest)]);
            return pack(plain);
          },
          BufferSpec::kByte));
  MUNJA_ASSIGN_OR_RETURN(
      weights.scales,
      r.Constant(
          kWeights, "scales", Blocks(channels) * 4,
          [padded = *scales, channels]() mutable -> Floats {
            padded.resize(static_cast<size_t>(Blocks(channels) * 4));
            return padded;
          },
          BufferSpec::kFloat));
  return weights;
}

Result<Weights> BlockedWeights(Recorder& r, int64_t out, int64_t rest) {
  return WeightsOf(r, "blocks", out, rest, false, Blocks(out) * rest * 4,
                   [out, rest](const std::vector<float>& plain) {
                     return InBlocks(plain, out, rest);
                   });
}

// The arguments of all convolutions behind their buffers.
void AppendSizes(const Conv2dShape& s, std::vector<Argument>& arguments) {
  for (const int32_t n : {s.in_h, s.in_w, s.in_c, s.out_h, s.out_w, s.out_c,
                          s.kernel_h, s.kernel_w, s.stride_h, s.stride_w,
                          s.dilation_h, s.dilation_w, s.pad_top, s.pad_left})
    arguments.emplace_back(n);
}

struct Common {
  kernels::Activation activation;
  bool has_residual = false;
};

Result<Common> ReadCommon(const Recorder& r) {
  Common common;
  MUNJA_ASSIGN_OR_RETURN(common.activation,
                         ops::ParseActivation(r.node().attributes));
  MUNJA_ASSIGN_OR_RETURN(common.has_residual,
                         r.node().attributes.Bool("has_residual", false));
  if (common.has_residual) {
    MUNJA_ASSIGN_OR_RETURN(const Shape residual, r.ShapeOf(3));
    MUNJA_ASSIGN_OR_RETURN(const Shape out, r.OutputShape());
    if (residual != out) return Malformed("the residual has another shape");
  }
  return common;
}

// A convolution of any kind: input, weights, bias, residual, output, sizes.
Status EmitConv(Recorder& r, const char* kernel, const Conv2dShape& s,
                int64_t items, int64_t work, const Weights& weights) {
  MUNJA_ASSIGN_OR_RETURN(const Common common, ReadCommon(r));
  MUNJA_ASSIGN_OR_RETURN(const BufferArgument in, r.In(0));
  MUNJA_ASSIGN_OR_RETURN(const BufferArgument bias, BiasOf(r, 2, s.out_c));
  BufferArgument residual = in;
  if (common.has_residual) {
    MUNJA_ASSIGN_OR_RETURN(residual, r.In(3));
  }
  MUNJA_ASSIGN_OR_RETURN(const BufferArgument out, r.Out());
  Launch launch{Family::kConvolution, kernel, {in}};
  weights.AppendTo(launch);
  for (const BufferArgument buffer : {bias, residual, out})
    launch.arguments.emplace_back(buffer);
  AppendSizes(s, launch.arguments);
  launch.arguments.emplace_back(int32_t{common.has_residual});
  launch.Append(common.activation);
  if (kernel == std::string_view("grouped_conv"))
    launch.arguments.emplace_back(s.groups);
  launch.items = items;
  launch.multiply_accumulates = work;
  r.Emit(std::move(launch));
  return Status();
}

int64_t OutputPixels(const Conv2dShape& s) {
  return int64_t{s.batch} * s.out_h * s.out_w;
}

int64_t WorkOf(const Conv2dShape& s) {
  return OutputPixels(s) * s.out_c * s.kernel_h * s.kernel_w *
         (s.in_c / s.groups);
}

Status EmitBlockedConv(Recorder& r, Conv2dShape s) {
  // Pixel by pixel: the map is one long row.
  if (s.kernel_h == 1 && s.kernel_w == 1 && s.stride_h == 1 &&
      s.stride_w == 1 && s.pad_top == 0 && s.pad_left == 0 &&
      s.in_h == s.out_h && s.in_w == s.out_w) {
    s.in_w = s.out_w = s.batch * s.in_h * s.in_w;
    s.batch = s.in_h = s.out_h = 1;
  }
  MUNJA_ASSIGN_OR_RETURN(
      const Weights weights,
      BlockedWeights(r, s.out_c, int64_t{s.kernel_h} * s.kernel_w * s.in_c));
  const int64_t items =
      int64_t{s.batch} * s.out_h * Blocks(s.out_w) * Blocks(s.out_c);
  return EmitConv(r, "conv", s, items, WorkOf(s), weights);
}

Status EmitGroupedConv(Recorder& r, const Conv2dShape& s) {
  const int64_t rest = int64_t{s.kernel_h} * s.kernel_w * (s.in_c / s.groups);
  MUNJA_ASSIGN_OR_RETURN(
      const Weights weights,
      WeightsOf(r, "plain", s.out_c, rest, false, s.out_c * rest,
                [](const std::vector<float>& plain) { return plain; }));
  return EmitConv(r, "grouped_conv", s, OutputPixels(s) * s.out_c, WorkOf(s),
                  weights);
}

}  // namespace

Status RecordConv(Recorder& r) {
  MUNJA_ASSIGN_OR_RETURN(ops::Window window,
                         ops::ParseWindow(r.node().attributes));
  MUNJA_ASSIGN_OR_RETURN(const Shape in, r.ShapeOf(0));
  MUNJA_ASSIGN_OR_RETURN(const Shape weights, r.ShapeOf(1));
  MUNJA_ASSIGN_OR_RETURN(const Conv2dShape s,
                         ops::PlaceConv2d(window, in, weights));
  return s.groups == 1 ? EmitBlockedConv(r, s) : EmitGroupedConv(r, s);
}

Status RecordDepthwise(Recorder& r) {
  MUNJA_ASSIGN_OR_RETURN(ops::Window window,
                         ops::ParseWindow(r.node().attributes));
  MUNJA_ASSIGN_OR_RETURN(const Shape in, r.ShapeOf(0));
  MUNJA_ASSIGN_OR_RETURN(const Shape shape, r.ShapeOf(1));
  MUNJA_ASSIGN_OR_RETURN(Conv2dShape s, ops::PlaceDepthwise(window, in, shape));
  s.groups = s.in_c;
  const int64_t taps = int64_t{s.kernel_h} * s.kernel_w;
  const int64_t channels = s.out_c, padded = Blocks(channels) * 4;
  // A kernel of its own where each channel gives one.
  if (s.in_c == s.out_c) {
    MUNJA_ASSIGN_OR_RETURN(
        const Weights weights,
        WeightsOf(r, "padded", channels, taps, true, taps * padded,
                  [taps, channels, padded](const std::vector<float>& plain) {
                    std::vector<float> wide(static_cast<size_t>(taps * padded));
                    for (int64_t t = 0; t < taps; ++t)
                      std::copy_n(plain.begin() + t * channels, channels,
                                  wide.begin() + t * padded);
                    return wide;
                  }));
    return EmitConv(r, "depthwise", s, OutputPixels(s) * Blocks(channels),
                    WorkOf(s), weights);
  }
  MUNJA_ASSIGN_OR_RETURN(
      const Weights weights,
      WeightsOf(r, "by channel", channels, taps, true, taps * channels,
                [taps, channels](const std::vector<float>& plain) {
                  std::vector<float> turned(plain.size());
                  for (int64_t t = 0; t < taps; ++t)
                    for (int64_t c = 0; c < channels; ++c)
                      turned[static_cast<size_t>(c * taps + t)] =
                          plain[static_cast<size_t>(t * channels + c)];
                  return turned;
                }));
  return EmitConv(r, "grouped_conv", s, OutputPixels(s) * channels, WorkOf(s),
                  weights);
}

Status RecordTransposeConv(Recorder& r) {
  MUNJA_ASSIGN_OR_RETURN(ops::Window window,
                         ops::ParseWindow(r.node().attributes));
  if (window.dilation_h != 1 || window.dilation_w != 1)
    return Unsupported("dilation is not supported");
  MUNJA_ASSIGN_OR_RETURN(const kernels::Activation activation,
                         ops::ParseActivation(r.node().attributes));
  MUNJA_ASSIGN_OR_RETURN(const Shape weights_shape, r.ShapeOf(1));
  MUNJA_ASSIGN_OR_RETURN(const Shape in_shape, r.ShapeOf(2));
  MUNJA_ASSIGN_OR_RETURN(const auto context, r.PrepareOnCpu());
  MUNJA_ASSIGN_OR_RETURN(const Conv2dShape s,
                         ops::PlaceTransposeConv(window, context->input(0),
                                                 in_shape, weights_shape));
  const int64_t rest = int64_t{s.kernel_h} * s.kernel_w * s.in_c;
  MUNJA_ASSIGN_OR_RETURN(const Weights weights,
                         BlockedWeights(r, s.out_c, rest));
  MUNJA_ASSIGN_OR_RETURN(const BufferArgument in, r.In(2));
  MUNJA_ASSIGN_OR_RETURN(const BufferArgument bias, BiasOf(r, 3, s.out_c));
  MUNJA_ASSIGN_OR_RETURN(const BufferArgument out, r.Out());
  Launch launch{Family::kConvolution, "transpose_conv", {in}};
  weights.AppendTo(launch);
  launch.arguments.emplace_back(bias);
  launch.arguments.emplace_back(out);
  for (const int32_t n :
       {s.in_h, s.in_w, s.in_c, s.out_h, s.out_w, s.out_c, s.kernel_h,
        s.kernel_w, s.stride_h, s.stride_w, s.pad_top, s.pad_left})
    launch.arguments.emplace_back(n);
  launch.Append(activation);
  launch.items = OutputPixels(s) * Blocks(s.out_c);
  launch.multiply_accumulates =
      int64_t{s.batch} * s.in_h * s.in_w * s.out_c * rest;
  r.Emit(std::move(launch));
  return Status();
}

Status RecordPool(Recorder& r) {
  MUNJA_ASSIGN_OR_RETURN(const ops::Window window,
                         ops::ParseWindow(r.node().attributes));
  MUNJA_ASSIGN_OR_RETURN(const kernels::Activation activation,
                         ops::ParseActivation(r.node().attributes));
  MUNJA_ASSIGN_OR_RETURN(const Shape in, r.ShapeOf(0));
  if (in.rank() != 4)
    return Malformed("the input " + in.ToString() + " is not NHWC");
  // The CPU's kernel refuses windows that meet no pixel.
  MUNJA_RETURN_IF_ERROR(r.PrepareOnCpu().TakeStatus());
  MUNJA_ASSIGN_OR_RETURN(const ops::Placement place,
                         ops::PlaceWindow(window, in[1], in[2]));
  MUNJA_ASSIGN_OR_RETURN(const Shape out_shape, r.OutputShape());
  MUNJA_ASSIGN_OR_RETURN(const BufferArgument x, r.In(0));
  MUNJA_ASSIGN_OR_RETURN(const BufferArgument y, r.Out());
  Launch launch{Family::kConvolution, "pool", {x, y}};
  for (const int32_t n :
       {in[1], in[2], in[3], place.out_h, place.out_w, window.kernel_h,
        window.kernel_w, window.stride_h, window.stride_w, place.pad_top,
        place.pad_left, int32_t{r.node().op == "MAX_POOL_2D"}})
    launch.arguments.emplace_back(n);
  launch.Append(activation);
  launch.items = out_shape.elements();
  r.Emit(std::move(launch));
  return Status();
}

Status RecordFullyConnected(Recorder& r) {
  MUNJA_ASSIGN_OR_RETURN(const std::string format,
                         r.node().attributes.Text("weights_format", "DEFAULT"));
  if (format != "DEFAULT") return Unsupported("weights in format " + format);
  MUNJA_ASSIGN_OR_RETURN(const Shape in, r.ShapeOf(0));
  MUNJA_ASSIGN_OR_RETURN(const Shape weights, r.ShapeOf(1));
  if (weights.rank() != 2 || in.elements() % weights[1] != 0)
    return Malformed("weights of shape " + weights.ToString() +
                     " do not fit an input of shape " + in.ToString());
  Conv2dShape s;
  s.in_c = weights[1];
  s.out_c = weights[0];
  s.in_w = s.out_w = static_cast<int32_t>(in.elements() / weights[1]);
  return EmitBlockedConv(r, s);
}

}  // namespace munja::delegates::opencl
