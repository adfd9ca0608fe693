// LATERAL_CONV_2D, which fusion makes: what joins a level of a feature pyramid
// to the coarser one, activation(gate * (1x1 convolution) + resized).
//
// Inputs: image, weights [out_c, 1, 1, in_c], bias or none, gate [batch or 1,
// 1, 1, out_c] or none, coarser level or none, and the size to which
// RESIZE_NEAREST_NEIGHBOR brings it, or none. Attributes: those of ADD and of
// the resize. The sum broadcasts as ADD does.
#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "kernels/conv/lateral_conv.h"
#include "ops/op.h"
#include "ops/support/linear/float_constant.h"
#include "ops/support/linear/product.h"
#include "ops/support/nearest_map.h"
#include "ops/support/scratch_pieces.h"
#include "ops/support/window.h"
#include "ops/support/window_rows.h"

namespace munja::ops::lateral_conv_2d {
namespace {

constexpr int kImage = 0, kWeights = 1, kBias = 2, kGate = 3, kLevel = 4,
              kSize = 5, kInputs = 6;

struct LateralState final : State {
  kernels::LateralConvShape shape;  // Shape of the convolution.
  NearestMap level;                 // Rows and columns only with a level.
  size_t gate_stride = 0;
  // The sum broadcasts: the convolution is made apart.
  bool is_apart = false;
  size_t scaled_bytes = 0;   // Weights of one image.
  size_t scratch_bytes = 0;  // Scratch memory of the kernel.
};

class LateralKernel final : public Kernel, public RowKernel {
 public:
  Status Prepare(PrepareContext& context) const override {
    auto state = std::make_unique<LateralState>();
    kernels::LateralConvShape& s = state->shape;
    const Shape& in = context.input(kImage).shape;
    if (in.rank() != 4 || in[0] < 1 || in.elements() < 0 || in[3] != in_c_) {
      return Malformed("the input has shape " + in.ToString() +
                       ", wants four dimensions and " + std::to_string(in_c_) +
                       " channels");
    }
    s = {in[0], in[1], in[2], in_c_, out_c_, product_};
    Shape out{in[0], in[1], in[2], out_c_};
    if (out.elements() < 0)
      return OutOfMemory("an output of shape " + out.ToString());
    const Shape conv = out;
    if (has_gate_) {
      const Shape& gate = context.input(kGate).shape;
      if (gate.rank() != 4 || (gate[0] != 1 && gate[0] != in[0]) ||
          gate[1] != 1 || gate[2] != 1 || gate[3] != out_c_)
        return Malformed("the gate has shape " + gate.ToString());
      state->gate_stride = gate[0] == 1 ? 0 : static_cast<size_t>(out_c_);
      MUNJA_ASSIGN_OR_RETURN(state->scaled_bytes,
                             kernels::ScaledLateralBytes(s));
    }
    if (has_level_) {
      MUNJA_ASSIGN_OR_RETURN(state->level,
                             PlaceNearest(context, kLevel, kSize, rule_));
      const Shape& level = state->level.shape;
      for (int i = 0; i < 4; ++i) {
        if (level[i] != out[i] && level[i] != 1 && out[i] != 1) {
          return Malformed("shapes " + conv.ToString() + " and " +
                           level.ToString() + " do not broadcast");
        }
        if (out[i] == 1) out[i] = level[i];
      }
      state->is_apart = out != conv || level != conv;
    }
    MUNJA_RETURN_IF_ERROR(context.SetOutputShape(0, out));
    state->scratch_bytes =
        kernels::LateralConvScratchBytes(s, context.threads());
    size_t bytes = state->scaled_bytes + state->scratch_bytes;
    if (state->is_apart) {
      size_t apart = 0;
      if (!CheckedMultiply(static_cast<size_t>(conv.elements()) + 16,
                           sizeof(float), &apart) ||
          !CheckedAdd(bytes, apart, &bytes))
        return OutOfMemory("a convolution does not fit memory");
    }
    context.RequestScratch(bytes);
    context.SetState(std::move(state));
    return Status();
  }

  Status Eval(EvalContext& context) const override {
    const auto& state = *static_cast<const LateralState*>(context.state());
    const kernels::LateralConvShape& s = state.shape;
    ScratchPieces pieces(context.scratch());
    void* const scaled = pieces.Take<uint8_t>(state.scaled_bytes);
    void* const scratch = pieces.Take<uint8_t>(state.scratch_bytes);
    const float* const in = context.input(kImage).as<float>();
    const float* const gate =
        has_gate_ ? context.input(kGate).as<float>() : nullptr;
    float* out = context.output(0).mutable_as<float>();
    kernels::CoarseLevel level;
    kernels::Activation activation = activation_;
    if (state.is_apart) {
      const Shape conv{s.batch, s.height, s.width, s.out_c};
      out = pieces.Take<float>(static_cast<size_t>(conv.elements()));
      activation = {};
    } else if (has_level_) {
      const TensorView& coarse = context.input(kLevel);
      level = {coarse.as<float>(),
               coarse.shape[1],
               coarse.shape[2],
               state.level.rows.data(),
               state.level.columns.data(),
               0};
    }
    if (use_reference_) {
      kernels::reference::LateralConv(s, in, weights_.data(), bias_.data(),
                                      gate, state.gate_stride, level,
                                      activation, out);
    } else {
      for (int32_t n = 0; n < s.batch; ++n) {
        const auto image = static_cast<size_t>(n);
        kernels::LateralWeights weights;
        if (has_gate_) {
          weights = kernels::ScaleLateralWeights(
              s, weights_.data(), bias_.data(),
              gate + image * state.gate_stride, scaled);
        } else {
          weights = {packed_->view(), bias_.data()};
        }
        kernels::LateralConv(s, image, in, weights, level, activation, out,
                             scratch, context.pool());
      }
    }
    if (state.is_apart) AddBroadcast(context, state, out);
    return Status();
  }

  const RowKernel* by_rows() const override {
    return use_reference_ ? nullptr : this;
  }
  bool CanSplitRows(const EvalContext& context) const override {
    return IsFloatRowMap(context.input(kImage)) &&
           IsFloatRowMap(context.output(0)) &&
           !static_cast<const LateralState*>(context.state())->is_apart &&
           (!has_level_ || IsFloatRowMap(context.input(kLevel)));
  }
  bool IsRowInput(const EvalContext&, int i) const override {
    return i == kImage || (i == kLevel && has_level_);
  }
  RowRange InputRows(const EvalContext& context, int i,
                     RowRange rows) const override {
    if (i == kImage) return rows;
    const std::vector<int32_t>& sources =
        static_cast<const LateralState*>(context.state())->level.rows;
    return {sources[static_cast<size_t>(rows.begin)],
            sources[static_cast<size_t>(rows.end - 1)] + 1};
  }
  void BeginRows(const EvalContext& context) const override {
    if (!has_gate_) return;
    const auto& state = *static_cast<const LateralState*>(context.state());
    kernels::ScaleLateralWeights(state.shape, weights_.data(), bias_.data(),
                                 context.input(kGate).as<float>(),
                                 context.scratch());
  }
  void EvalRows(const RowTask& task) const override {
    const auto& state = *static_cast<const LateralState*>(task.context.state());
    kernels::LateralConvShape s = state.shape;
    s.height = task.rows.size();
    ScratchPieces pieces(task.context.scratch());
    const void* const scaled = pieces.Take<uint8_t>(state.scaled_bytes);
    auto* const scratch = pieces.Take<uint8_t>(state.scratch_bytes) +
                          kernels::LateralConvScratchBytes(s, 1) *
                              static_cast<size_t>(task.worker);
    kernels::LateralWeights weights;
    if (has_gate_)
      weights =
          kernels::ScaledLateralWeights(state.shape, bias_.exists(), scaled);
    else
      weights = {packed_->view(), bias_.data()};
    kernels::CoarseLevel level;
    if (has_level_) {
      const Shape& coarse = task.context.input(kLevel).shape;
      level = {task.in(kLevel),
               coarse[1],
               coarse[2],
               state.level.rows.data() + task.rows.begin,
               state.level.columns.data(),
               InputRows(task.context, kLevel, task.rows).begin};
    }
    kernels::LateralConv(s, 0, task.in(kImage), weights, level, activation_,
                         task.rows_out(s.out_c), scratch, task.context.pool());
  }
  bool SupportsRowTypes(const EvalContext& context,
                        std::span<const ElementType> inputs,
                        ElementType) const override {
    if (!has_level_ || IsHalf(inputs[kImage]) || IsHalf(inputs[kLevel]))
      return false;
    const auto& state = *static_cast<const LateralState*>(context.state());
    const Shape& coarse = context.input(kLevel).shape;
    return kernels::MakesHalfLateral(state.shape,
                                     {nullptr, coarse[1], coarse[2], nullptr,
                                      state.level.columns.data(), 0});
  }

  int64_t MultiplyAccumulates(std::span<const TensorView> inputs,
                              std::span<const TensorView>) const override {
    return inputs[kImage].shape.elements() * out_c_;
  }

  size_t packed_bytes() const override {
    return weights_.bytes() + bias_.bytes() +
           (packed_ == nullptr ? 0 : packed_->bytes());
  }

  bool use_reference_ = false, has_gate_ = false, has_level_ = false;
  kernels::Activation activation_;
  NearestRule rule_;
  int32_t in_c_ = 1, out_c_ = 1;
  kernels::Product product_ = kernels::Product::kFloat32;
  FloatConstant weights_;  // Kept for gates and the reference.
  FloatConstant bias_;
  std::unique_ptr<kernels::PackedMatrix> packed_;  // Null with a gate.

 private:
  // Rare: a level of one row, column or channel.
  void AddBroadcast(EvalContext& context, const LateralState& state,
                    const float* conv) const {
    const Shape& out = context.output(0).shape;
    const Shape& level = state.level.shape;
    const TensorView& coarse = context.input(kLevel);
    const kernels::LateralConvShape& s = state.shape;
    const Shape own{s.batch, s.height, s.width, s.out_c};
    const auto at = [](const Shape& shape, int dim, int32_t i) {
      return shape[dim] == 1 ? 0 : i;
    };
    float* to = context.output(0).mutable_as<float>();
    for (int32_t n = 0; n < out[0]; ++n) {
      for (int32_t y = 0; y < out[1]; ++y) {
        const int32_t row = state.level.rows[at(level, 1, y)];
        for (int32_t x = 0; x < out[2]; ++x) {
          const int32_t column = state.level.columns[at(level, 2, x)];
          const float* a =
              conv +
              ((int64_t{at(own, 0, n)} * own[1] + at(own, 1, y)) * own[2] +
               at(own, 2, x)) *
                  own[3];
          const float* b = coarse.as<float>() +
                           ((int64_t{at(level, 0, n)} * coarse.shape[1] + row) *
                                coarse.shape[2] +
                            column) *
                               coarse.shape[3];
          for (int32_t c = 0; c < out[3]; ++c)
            to[c] = a[at(own, 3, c)] + b[at(level, 3, c)];
          kernels::Activate(activation_, to, static_cast<size_t>(out[3]), to);
          to += out[3];
        }
      }
    }
  }
};

}  // namespace

Result<std::unique_ptr<Kernel>> Make(const NodeInfo& info) {
  MUNJA_RETURN_IF_ERROR(info.CheckArity(2, kInputs, 1));
  MUNJA_RETURN_IF_ERROR(CheckFloatInput(info, kImage, "input"));
  MUNJA_RETURN_IF_ERROR(CheckFloatOutput(info));
  auto kernel = std::make_unique<LateralKernel>();
  kernel->use_reference_ = info.options().reference_kernels;
  kernel->has_gate_ = info.input(kGate) != nullptr;
  kernel->has_level_ = info.input(kLevel) != nullptr;
  if (kernel->has_gate_)
    MUNJA_RETURN_IF_ERROR(CheckFloatInput(info, kGate, "gate"));
  if (kernel->has_level_)
    MUNJA_RETURN_IF_ERROR(CheckFloatInput(info, kLevel, "coarser level"));
  MUNJA_ASSIGN_OR_RETURN(kernel->activation_,
                         ParseActivation(info.attributes()));
  MUNJA_ASSIGN_OR_RETURN(kernel->rule_, ParseNearestRule(info.attributes()));
  MUNJA_ASSIGN_OR_RETURN(kernel->weights_,
                         FloatConstant::Read(info, kWeights, "weights"));
  const Shape& w = kernel->weights_.shape();
  if (w.rank() != 4 || w.elements() < 1 || w[1] != 1 || w[2] != 1)
    return Malformed("weights have shape " + w.ToString() + ", want 1x1");
  kernel->out_c_ = w[0];
  kernel->in_c_ = w[3];
  MUNJA_ASSIGN_OR_RETURN(kernel->bias_,
                         FloatConstant::ReadBias(info, kBias, w[0]));
  kernel->product_ = ProductOf(info, kImage);
  if (!kernel->has_gate_ && !kernel->use_reference_) {
    const auto in_c = static_cast<size_t>(w[3]);
    MUNJA_ASSIGN_OR_RETURN(
        kernels::PackedMatrix packed,
        kernels::PackedMatrix::Pack(kernel->weights_.data(), in_c,
                                    static_cast<size_t>(w[0]), 1, in_c,
                                    kernel->product_));
    kernel->packed_ =
        std::make_unique<kernels::PackedMatrix>(std::move(packed));
    kernel->weights_ = FloatConstant();
  }
  return std::unique_ptr<Kernel>(std::move(kernel));
}

}  // namespace munja::ops::lateral_conv_2d
