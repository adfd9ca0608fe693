// CONV_3D: input [batch, depth, height, width, in_c], weights [kd, kh, kw,
// in_c, out_c], bias. CONV_3D_TRANSPOSE: output shape, weights [kd, kh, kw,
// out_c, in_c], input, bias. Rarely used: plain loops over channels, which the
// compiler turns into vectors.
#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kernels/elementwise/activation.h"
#include "ops/op.h"
#include "ops/support/operands.h"
#include "ops/support/window.h"

namespace munja::ops::conv_3d {
namespace {

// One of the three dimensions through which the window slides. Output place o
// and tap t meet input place o * stride - pad + t * dilation; transposed, they
// swap their parts.
struct Side {
  int64_t in = 1, out = 1, kernel = 1, stride = 1, dilation = 1, pad = 0;
};

struct Conv3dState final : State {
  std::array<Side, 3> sides;
  int64_t batch = 1, in_c = 1, out_c = 1;
};

// The output size by the rules of all convolutions, and the pad before.
Status Place(bool is_same, Side& side) {
  const int64_t covered = (side.kernel - 1) * side.dilation + 1;
  side.out = is_same             ? (side.in + side.stride - 1) / side.stride
             : side.in < covered ? 0
                                 : (side.in - covered) / side.stride + 1;
  if (side.in < 1 || side.out < 1) {
    return Malformed("a window of " + std::to_string(covered) +
                     " does not fit an input of " + std::to_string(side.in));
  }
  side.pad =
      std::max<int64_t>(0, (side.out - 1) * side.stride + covered - side.in) /
      2;
  return Status();
}

class Conv3dKernel final : public Kernel {
 public:
  Status Read(const NodeInfo& info) {
    is_transposed_ = info.node().op == "CONV_3D_TRANSPOSE";
    const int bias = is_transposed_ ? 3 : 2;
    MUNJA_RETURN_IF_ERROR(info.CheckArity(bias, bias + 1, 1));
    for (int i = 0; i < bias; ++i)
      if (info.input(i) == nullptr) return Malformed("lacks an input");
    const graph::Attributes& attributes = info.attributes();
    MUNJA_ASSIGN_OR_RETURN(activation_, ParseActivation(attributes));
    MUNJA_ASSIGN_OR_RETURN(const std::string padding,
                           attributes.Text("padding", "SAME"));
    if (padding != "SAME" && padding != "VALID")
      return Malformed("padding '" + padding + "' is not known");
    is_same_ = padding == "SAME";
    constexpr const char* kStrides[] = {"stride_d", "stride_h", "stride_w"};
    constexpr const char* kDilations[] = {
        "dilation_d_factor", "dilation_h_factor", "dilation_w_factor"};
    for (size_t i = 0; i < 3; ++i) {
      MUNJA_ASSIGN_OR_RETURN(sides_[i].stride, attributes.Int(kStrides[i], 1));
      MUNJA_ASSIGN_OR_RETURN(sides_[i].dilation,
                             attributes.Int(kDilations[i], 1));
      constexpr int64_t kMost = 1 << 20;
      if (sides_[i].stride < 1 || sides_[i].stride > kMost ||
          sides_[i].dilation < 1 || sides_[i].dilation > kMost)
        return Malformed("strides and dilations want 1 to 2^20");
    }
    return Status();
  }

  Status Prepare(PrepareContext& context) const override {
    const int at = is_transposed_ ? 2 : 0;
    const TensorView &in = context.input(at), &weights = context.input(1);
    MUNJA_RETURN_IF_ERROR(CheckType(in, "the input", {ElementType::kFloat32}));
    MUNJA_RETURN_IF_ERROR(
        CheckType(weights, "the weights", {ElementType::kFloat32}));
    MUNJA_RETURN_IF_ERROR(
        CheckType(context.output(0), "the output", {ElementType::kFloat32}));
    const Shape &x = in.shape, &w = weights.shape;
    if (x.rank() != 5 || w.rank() != 5 || x.elements() < 1 ||
        w.elements() < 1) {
      return Malformed("input " + x.ToString() + " and weights " +
                       w.ToString() + " want five dimensions");
    }
    auto state = std::make_unique<Conv3dState>();
    state->batch = x[0];
    state->in_c = w[is_transposed_ ? 4 : 3];
    state->out_c = w[is_transposed_ ? 3 : 4];
    if (x[4] != state->in_c) {
      return Malformed("the input has " + std::to_string(x[4]) +
                       " channels, the weights want " +
                       std::to_string(state->in_c));
    }
    const int bias_at = is_transposed_ ? 3 : 2;
    if (context.has_input(bias_at)) {
      const TensorView& bias = context.input(bias_at);
      MUNJA_RETURN_IF_ERROR(
          CheckType(bias, "the bias", {ElementType::kFloat32}));
      if (bias.shape.elements() != state->out_c)
        return Malformed("the bias has shape " + bias.shape.ToString());
    }
    state->sides = sides_;
    Shape out{x[0]};
    std::vector<int64_t> given;
    if (is_transposed_) {
      MUNJA_ASSIGN_OR_RETURN(given,
                             KnownIntegers(context, 0, "output shape", 5));
    }
    for (int i = 0; i < 3; ++i) {
      Side& side = state->sides[static_cast<size_t>(i)];
      side.kernel = w[i];
      if (!is_transposed_) {
        side.in = x[1 + i];
        MUNJA_RETURN_IF_ERROR(Place(is_same_, side));
        MUNJA_ASSIGN_OR_RETURN(const int32_t dim, CheckDim(side.out));
        out.Append(dim);
        continue;
      }
      // The convolution that leads from the output back to the input.
      MUNJA_ASSIGN_OR_RETURN(const int32_t dim,
                             CheckDim(given[static_cast<size_t>(1 + i)]));
      out.Append(dim);
      side.in = dim;
      MUNJA_RETURN_IF_ERROR(Place(is_same_, side));
      if (side.out != x[1 + i]) {
        return Malformed("an output of " + std::to_string(dim) +
                         " does not come from an input of " +
                         std::to_string(x[1 + i]));
      }
    }
    if (is_transposed_ && (given[0] != x[0] || given[4] != state->out_c))
      return Malformed("the output shape does not fit input and weights");
    out.Append(static_cast<int32_t>(state->out_c));
    MUNJA_RETURN_IF_ERROR(context.SetOutputShape(0, out));
    context.SetState(std::move(state));
    return Status();
  }

  Status Eval(EvalContext& context) const override {
    const auto& s = *static_cast<const Conv3dState*>(context.state());
    const int at = is_transposed_ ? 2 : 0;
    const float* in = context.input(at).as<float>();
    const float* weights = context.input(1).as<float>();
    const int bias_at = is_transposed_ ? 3 : 2;
    const float* bias = context.has_input(bias_at)
                            ? context.input(bias_at).as<float>()
                            : nullptr;
    float* out = context.output(0).mutable_as<float>();
    const Shape& shape = context.output(0).shape;
    const auto lines = static_cast<size_t>(shape.elements(0, 3));
    const auto columns = shape[3];
    context.pool().ParallelFor(lines, 1, [&](size_t begin, size_t end, int) {
      for (size_t line = begin; line < end; ++line) {
        const auto y = static_cast<int64_t>(line) % shape[2];
        const auto z = static_cast<int64_t>(line) / shape[2] % shape[1];
        const auto n = static_cast<int64_t>(line) / shape[2] / shape[1];
        for (int64_t x = 0; x < columns; ++x) {
          float* pixel =
              out + (static_cast<int64_t>(line) * columns + x) * s.out_c;
          if (bias == nullptr)
            std::fill_n(pixel, s.out_c, 0.0f);
          else
            std::copy_n(bias, s.out_c, pixel);
          Accumulate(s, in, weights, n, {z, y, x}, pixel);
          kernels::Activate(activation_, pixel, static_cast<size_t>(s.out_c),
                            pixel);
        }
      }
    });
    return Status();
  }

  int64_t MultiplyAccumulates(
      std::span<const TensorView> inputs,
      std::span<const TensorView> outputs) const override {
    const Shape& w = inputs[1].shape;
    return is_transposed_ ? inputs[2].shape.elements() * w.elements(0, 4)
                          : outputs[0].shape.elements() * w.elements(0, 4);
  }

 private:
  // The input place that tap t of output place o reads; -1 outside.
  int64_t InputPlace(const Side& side, int64_t o, int64_t t) const {
    if (!is_transposed_) {
      const int64_t i = o * side.stride - side.pad + t * side.dilation;
      return i >= 0 && i < side.in ? i : -1;
    }
    const int64_t i = o + side.pad - t * side.dilation;
    if (i < 0 || i % side.stride != 0) return -1;
    return i / side.stride < side.out ? i / side.stride : -1;
  }

  // Adds all products to the out_c sums of one output pixel.
  void Accumulate(const Conv3dState& s, const float* in, const float* weights,
                  int64_t n, const std::array<int64_t, 3>& place,
                  float* sums) const {
    const auto extent = [&](size_t i) {
      return is_transposed_ ? s.sides[i].out : s.sides[i].in;
    };
    for (int64_t d = 0; d < s.sides[0].kernel; ++d) {
      const int64_t z = InputPlace(s.sides[0], place[0], d);
      if (z < 0) continue;
      for (int64_t h = 0; h < s.sides[1].kernel; ++h) {
        const int64_t y = InputPlace(s.sides[1], place[1], h);
        if (y < 0) continue;
        for (int64_t w = 0; w < s.sides[2].kernel; ++w) {
          const int64_t x = InputPlace(s.sides[2], place[2], w);
          if (x < 0) continue;
          const float* pixel =
              in +
              (((n * extent(0) + z) * extent(1) + y) * extent(2) + x) * s.in_c;
          const float* tap =
              weights + ((d * s.sides[1].kernel + h) * s.sides[2].kernel + w) *
                            s.in_c * s.out_c;
          if (is_transposed_) {
            for (int64_t o = 0; o < s.out_c; ++o, tap += s.in_c)
              for (int64_t c = 0; c < s.in_c; ++c) sums[o] += pixel[c] * tap[c];
          } else {
            for (int64_t c = 0; c < s.in_c; ++c, tap += s.out_c)
              for (int64_t o = 0; o < s.out_c; ++o)
                sums[o] += pixel[c] * tap[o];
          }
        }
      }
    }
  }

  bool is_transposed_ = false, is_same_ = true;
  kernels::Activation activation_;
  std::array<Side, 3> sides_;
};

}  // namespace

Result<std::unique_ptr<Kernel>> Make(const NodeInfo& info) {
  auto kernel = std::make_unique<Conv3dKernel>();
  MUNJA_RETURN_IF_ERROR(kernel->Read(info));
  return std::unique_ptr<Kernel>(std::move(kernel));
}

}  // namespace munja::ops::conv_3d
