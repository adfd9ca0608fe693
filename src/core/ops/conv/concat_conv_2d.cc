// CONCAT_CONV_2D, which fusion makes: CONV_2D over the channels of several
// maps, of which some are first resized by RESIZE_NEAREST_NEIGHBOR. Neither the
// resized maps nor their concatenation are made.
//
// Inputs: weights [out_c, kernel_h, kernel_w, channels], bias or none, then for
// each map the map and the size to which it is resized, or none. Attributes:
// those of the three operators, and the channels of each map.
//
// A convolution is the sum of the maps' own convolutions. Maps that a 3x3
// convolution of stride 1 finds enlarged by whole factors are convolved at
// their own size; others as they are, after a copy where they are resized.
// Quantized maps are joined row by row instead, as the product reads them.
#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kernels/conv/conv_2d.h"
#include "kernels/conv/upsampled_conv.h"
#include "ops/op.h"
#include "ops/support/linear/float_constant.h"
#include "ops/support/linear/int_linear.h"
#include "ops/support/linear/linear_shape.h"
#include "ops/support/linear/product.h"
#include "ops/support/nearest_map.h"
#include "ops/support/operands.h"
#include "ops/support/scratch_pieces.h"
#include "ops/support/window.h"

namespace munja::ops::concat_conv_2d {
namespace {

constexpr int kFirstMap = 2;

int MapInput(size_t m) { return kFirstMap + 2 * static_cast<int>(m); }
int SizeInput(size_t m) { return MapInput(m) + 1; }

// One map with sizes.
struct MapPlan {
  NearestMap nearest;
  // How often a pixel is repeated in each direction; 0 where that is not all
  // that resizing does, or the convolution is another one.
  int32_t factor_h = 0, factor_w = 0;
  kernels::Conv2dShape shape;  // The map's own convolution, resized.

  bool is_enlarged() const { return factor_h >= 2 && factor_w >= 2; }
  bool is_copied() const { return factor_h != 1 || factor_w != 1; }
};

struct MapsState final : State {
  std::vector<MapPlan> maps;
  kernels::UpsampledConvShape out;
  size_t copied_floats = 0;  // Size of the largest map that is copied.
  size_t kernel_bytes = 0;
};

class MapsKernel final : public Kernel {
 public:
  Status Prepare(PrepareContext& context) const override {
    auto state = std::make_unique<MapsState>();
    MUNJA_RETURN_IF_ERROR(PlaceMaps(context, state.get()));
    const kernels::Conv2dShape& s = state->maps[0].shape;
    state->out = {s.batch, s.out_h, s.out_w, s.out_c};
    MUNJA_RETURN_IF_ERROR(
        context.SetOutputShape(0, Shape{s.batch, s.out_h, s.out_w, s.out_c}));
    MUNJA_RETURN_IF_ERROR(CountScratch(context.threads(), state.get()));
    size_t bytes = 0;
    if (!CheckedMultiply(RoundUp(state->copied_floats, 16), sizeof(float),
                         &bytes) ||
        !CheckedAdd(bytes, state->kernel_bytes, &bytes))
      return OutOfMemory("a resized map does not fit memory");
    context.RequestScratch(bytes);
    context.SetState(std::move(state));
    return Status();
  }

  Status Eval(EvalContext& context) const override {
    const auto& state = *static_cast<const MapsState*>(context.state());
    ScratchPieces pieces(context.scratch());
    float* const copy = pieces.Take<float>(RoundUp(state.copied_floats, 16));
    uint8_t* const work = pieces.Take<uint8_t>(state.kernel_bytes);
    if (use_reference_) {
      EvalPlainly(context, state, copy);
      return Status();
    }
    float* const out = context.output(0).mutable_as<float>();
    std::array<kernels::UpsampledMap, kernels::kMaxUpsampledMaps> enlarged;
    std::array<const kernels::PackedUpsampledConv*, kernels::kMaxUpsampledMaps>
        weights;
    size_t count = 0;
    for (size_t m = 0; m < state.maps.size(); ++m) {
      if (!state.maps[m].is_enlarged()) continue;
      enlarged[count] = {context.input(MapInput(m)).as<float>(), channels_[m],
                         state.maps[m].factor_h, state.maps[m].factor_w};
      weights[count++] = enlarged_[m].get();
    }
    size_t left = state.maps.size() - count;
    kernels::Epilogue epilogue{bias_.data(), nullptr, {}};
    if (count > 0) {
      kernels::UpsampledConv(state.out, {enlarged.data(), count},
                             {weights.data(), count}, bias_.data(),
                             left == 0 ? activation_ : kernels::Activation(),
                             out, work, context.pool());
      epilogue = {nullptr, out, {}};
    }
    for (size_t m = 0; m < state.maps.size(); ++m) {
      const MapPlan& map = state.maps[m];
      if (map.is_enlarged()) continue;
      const float* in = context.input(MapInput(m)).as<float>();
      if (map.is_copied()) {
        CopyNearest(map.nearest, context.input(MapInput(m)).shape, in,
                    static_cast<size_t>(channels_[m]), copy);
        in = copy;
      }
      if (--left == 0) epilogue.activation = activation_;
      kernels::Conv2d(map.shape, in, plain_[m], epilogue, out, work,
                      context.pool());
      epilogue = {nullptr, out, {}};
    }
    return Status();
  }

  int64_t MultiplyAccumulates(
      std::span<const TensorView> inputs,
      std::span<const TensorView> outputs) const override {
    return outputs[0].shape.elements() * inputs[0].shape.elements(1, 4);
  }

  size_t packed_bytes() const override {
    size_t bytes = weights_.bytes() + bias_.bytes();
    for (const kernels::PackedConv2d& one : plain_) bytes += one.bytes();
    for (const auto& one : enlarged_)
      if (one != nullptr) bytes += one->bytes();
    return bytes;
  }

  // After window_, channels_ and weights_ are there: packs these.
  Status Pack(const NodeInfo& info) {
    const Shape& w = weights_.constant().shape();
    const auto all = static_cast<size_t>(w[3]);
    const size_t rows = static_cast<size_t>(w[0]) * w[1] * w[2];
    const bool can_enlarge = w[1] == 3 && w[2] == 3 && window_.stride_h == 1 &&
                             window_.stride_w == 1 && window_.dilation_h == 1 &&
                             window_.dilation_w == 1;
    size_t before = 0;
    for (size_t m = 0; m < channels_.size(); ++m) {
      const auto channels = static_cast<size_t>(channels_[m]);
      MUNJA_ASSIGN_OR_RETURN(Buffer own,
                             Buffer::Allocate(rows * channels * sizeof(float)));
      const float* from = weights_.constant().data() + before;
      for (size_t i = 0; i < rows; ++i)
        std::copy_n(from + i * all, channels, own.as<float>() + i * channels);
      kernels::Conv2dShape s;
      s.in_c = channels_[m];
      s.out_c = w[0];
      s.kernel_h = w[1];
      s.kernel_w = w[2];
      const kernels::Product product = ProductOf(info, MapInput(m));
      MUNJA_ASSIGN_OR_RETURN(
          kernels::PackedConv2d plain,
          kernels::PackedConv2d::Pack(own.as<float>(), s, product));
      plain_.push_back(std::move(plain));
      enlarged_.emplace_back();
      if (can_enlarge && info.input(SizeInput(m)) != nullptr) {
        MUNJA_ASSIGN_OR_RETURN(kernels::PackedUpsampledConv enlarged,
                               kernels::PackedUpsampledConv::Pack(
                                   from, all, channels_[m], w[0], product));
        enlarged_.back() =
            std::make_unique<kernels::PackedUpsampledConv>(std::move(enlarged));
      }
      before += channels;
    }
    weights_.Release();
    return Status();
  }

  Window window_;
  NearestRule rule_;
  kernels::Activation activation_;
  bool use_reference_ = false;
  std::vector<int32_t> channels_;  // Channels of each map.
  Shape weights_shape_;
  FloatOperand weights_;  // Released once they are packed.
  FloatConstant bias_;
  // By map; null where the convolution or the map does not suit.
  std::vector<kernels::PackedConv2d> plain_;
  std::vector<std::unique_ptr<kernels::PackedUpsampledConv>> enlarged_;

 private:
  // Checks what CONCATENATION and CONV_2D would check.
  Status PlaceMaps(PrepareContext& context, MapsState* state) const {
    for (size_t m = 0; m < channels_.size(); ++m) {
      MapPlan& map = state->maps.emplace_back();
      const Shape& in = context.input(MapInput(m)).shape;
      MUNJA_ASSIGN_OR_RETURN(
          map.nearest, PlaceNearest(context, MapInput(m), SizeInput(m), rule_));
      Shape resized = map.nearest.shape;
      if (resized[3] != channels_[m]) {
        return Malformed("map " + std::to_string(m) + " has shape " +
                         in.ToString() + ", wants " +
                         std::to_string(channels_[m]) + " channels");
      }
      const Shape& first = state->maps[0].nearest.shape;
      resized[3] = first[3];
      if (resized != first) {
        return Malformed("map " + std::to_string(m) + ", " +
                         map.nearest.shape.ToString() + ", does not continue " +
                         first.ToString() + " along dimension 3");
      }
      Shape own_weights = weights_shape_;
      own_weights[3] = channels_[m];
      MUNJA_ASSIGN_OR_RETURN(
          map.shape, PlaceConv2d(window_, map.nearest.shape, own_weights));
      map.factor_h = Replication(map.nearest.rows, in[1]);
      map.factor_w = Replication(map.nearest.columns, in[2]);
      const kernels::Conv2dShape& s = map.shape;
      if (map.is_enlarged() &&
          (use_reference_ || enlarged_[m] == nullptr || s.pad_top != 1 ||
           s.pad_left != 1 || s.out_h != s.in_h || s.out_w != s.in_w))
        map.factor_h = map.factor_w = 0;
    }
    return Status();
  }

  Status CountScratch(int threads, MapsState* state) const {
    std::vector<kernels::UpsampledMap> enlarged;
    for (size_t m = 0; m < state->maps.size(); ++m) {
      const MapPlan& map = state->maps[m];
      if (map.is_enlarged()) {
        enlarged.push_back({nullptr, channels_[m], map.factor_h, map.factor_w});
        continue;
      }
      if (map.is_copied() || use_reference_) {
        Shape copied = map.nearest.shape;
        if (use_reference_) copied[3] = weights_shape_[3];
        if (copied.elements() < 0)
          return OutOfMemory("a resized map does not fit memory");
        state->copied_floats = std::max(state->copied_floats,
                                        static_cast<size_t>(copied.elements()));
      }
      if (use_reference_) continue;
      MUNJA_ASSIGN_OR_RETURN(const size_t bytes,
                             kernels::Conv2dScratchBytes(map.shape, threads));
      state->kernel_bytes = std::max(state->kernel_bytes, bytes);
    }
    if (enlarged.empty()) return Status();
    MUNJA_ASSIGN_OR_RETURN(
        const size_t bytes,
        kernels::UpsampledConvScratchBytes(state->out, enlarged, threads));
    state->kernel_bytes = std::max(state->kernel_bytes, bytes);
    return Status();
  }

  // Makes the concatenation of the resized maps and convolves that.
  void EvalPlainly(EvalContext& context, const MapsState& state,
                   float* joined) const {
    size_t before = 0;
    kernels::Conv2dShape s = state.maps[0].shape;
    const auto all = static_cast<size_t>(weights_shape_[3]);
    for (size_t m = 0; m < state.maps.size(); ++m) {
      const NearestMap& map = state.maps[m].nearest;
      const TensorView& in = context.input(MapInput(m));
      CopyNearest(map, in.shape, in.as<float>(), all, joined + before);
      before += static_cast<size_t>(channels_[m]);
    }
    s.in_c = weights_shape_[3];
    kernels::reference::Conv2d(s, joined, weights_.constant().data(),
                               {bias_.data(), nullptr, activation_},
                               context.output(0).mutable_as<float>());
  }
};

// The channels of each map, at most `most` maps.
Result<std::vector<int64_t>> ParseChannels(const NodeInfo& info, size_t most) {
  MUNJA_ASSIGN_OR_RETURN(std::vector<int64_t> channels,
                         info.attributes().Ints("channels"));
  if (channels.empty() || channels.size() > most)
    return Unsupported(std::to_string(channels.size()) + " maps");
  if (info.inputs() > MapInput(channels.size()) || info.outputs() != 1)
    return Malformed("has " + std::to_string(info.inputs()) + " inputs for " +
                     std::to_string(channels.size()) + " maps");
  return channels;
}

// Quantized maps, all of the type and the scale of the first.
Result<LinearSizes> PlaceIntMaps(const PrepareContext& context,
                                 const std::vector<int64_t>& channels,
                                 const NearestRule& rule,
                                 const Window& window) {
  LinearSizes sizes;
  int64_t all = 0;
  for (size_t m = 0; m < channels.size(); ++m) {
    const TensorView& map = context.input(MapInput(m));
    const TensorView& first = context.input(kFirstMap);
    MUNJA_RETURN_IF_ERROR(CheckSameType(map, first));
    if (!SameQuantization(map, first))
      return Unsupported("maps are quantized differently");
    MUNJA_ASSIGN_OR_RETURN(
        NearestMap nearest,
        PlaceNearest(context, MapInput(m), SizeInput(m), rule));
    const Shape& shape = nearest.shape;
    if (shape[3] != channels[m]) {
      return Malformed("map " + std::to_string(m) + " has " +
                       std::to_string(shape[3]) + " channels, wants " +
                       std::to_string(channels[m]));
    }
    all += shape[3];
    sizes.maps.push_back(std::move(nearest));
    Shape other = sizes.maps.front().shape;
    other[3] = shape[3];
    if (other != shape) {
      return Malformed("map " + std::to_string(m) + ", " + shape.ToString() +
                       ", does not continue " +
                       sizes.maps.front().shape.ToString() +
                       " along dimension 3");
    }
  }
  Shape joined = sizes.maps.front().shape;
  MUNJA_ASSIGN_OR_RETURN(joined[3], CheckDim(all));
  const Shape& weights = context.input(0).shape;
  if (weights.rank() == 4 && weights[3] != joined[3]) {
    return Malformed("the maps do not have the weights' " +
                     std::to_string(weights[3]) + " channels");
  }
  MUNJA_ASSIGN_OR_RETURN(sizes.shape, PlaceConv2d(window, joined, weights));
  sizes.output = OutputShape(sizes.shape);
  return sizes;
}

Result<std::unique_ptr<Kernel>> MakeInt(const NodeInfo& info) {
  MUNJA_ASSIGN_OR_RETURN(const std::vector<int64_t> channels,
                         ParseChannels(info, kMaxLinearMaps));
  for (size_t m = 0; m < channels.size(); ++m) {
    const graph::Value* map = info.input(MapInput(m));
    if (map == nullptr) return Malformed("has no map " + std::to_string(m));
    if (map->type != ElementType::kInt8 && map->type != ElementType::kUInt8)
      return Unsupported("maps that are not of 8 bits");
  }
  MUNJA_ASSIGN_OR_RETURN(const NearestRule rule,
                         ParseNearestRule(info.attributes()));
  const Shape& w = info.input(0)->shape;
  if (w.rank() == 4 && w[1] == 1 && w[2] == 1)
    return Unsupported("a window of one pixel");
  MUNJA_ASSIGN_OR_RETURN(const Window window, ParseWindow(info.attributes()));
  IntLinear node;
  node.operands = {.input = kFirstMap, .weights = 0, .bias = 1};
  node.rules.hybrid = HybridRule::kByWeights;
  node.geometry.has_maps = true;
  node.geometry.place = [=](const PrepareContext& context) {
    return PlaceIntMaps(context, channels, rule, window);
  };
  // The weights have the channels of all maps, so there is one group.
  node.geometry.weight_sizes = [window](const NodeInfo& node_info,
                                        const Shape& weights) {
    return Conv2dWeightSizes(node_info, 0, window, weights);
  };
  return MakeIntLinear(info, std::move(node));
}

}  // namespace

Result<std::unique_ptr<Kernel>> Make(const NodeInfo& info) {
  if (HasIntWeights(info, 0)) return MakeInt(info);
  auto kernel = std::make_unique<MapsKernel>();
  MUNJA_ASSIGN_OR_RETURN(const std::vector<int64_t> channels,
                         ParseChannels(info, kernels::kMaxUpsampledMaps));
  MUNJA_RETURN_IF_ERROR(CheckFloatOutput(info));
  MUNJA_ASSIGN_OR_RETURN(kernel->window_, ParseWindow(info.attributes()));
  MUNJA_ASSIGN_OR_RETURN(kernel->rule_, ParseNearestRule(info.attributes()));
  MUNJA_ASSIGN_OR_RETURN(kernel->activation_,
                         ParseActivation(info.attributes()));
  kernel->use_reference_ = info.options().reference_kernels;
  MUNJA_ASSIGN_OR_RETURN(kernel->weights_,
                         FloatOperand::Read(info, 0, "weights", false));
  if (!kernel->weights_.is_constant())
    return Unsupported("weights that are not constant are not implemented");
  const Shape& w = kernel->weights_.constant().shape();
  kernel->weights_shape_ = w;
  if (w.rank() != 4 || w.elements() < 1) {
    return Malformed("weights have shape " + w.ToString() +
                     ", want four dimensions");
  }
  MUNJA_ASSIGN_OR_RETURN(kernel->bias_, FloatConstant::ReadBias(info, 1, w[0]));
  int64_t left = w[3];
  for (size_t m = 0; m < channels.size(); ++m) {
    MUNJA_RETURN_IF_ERROR(CheckFloatInput(info, MapInput(m), "map"));
    if (channels[m] < 1 || channels[m] > left)
      return Malformed("the maps do not have the weights' " +
                       std::to_string(w[3]) + " channels");
    left -= channels[m];
    kernel->channels_.push_back(static_cast<int32_t>(channels[m]));
  }
  if (left != 0)
    return Malformed("the maps do not have the weights' " +
                     std::to_string(w[3]) + " channels");
  if (!kernel->use_reference_) MUNJA_RETURN_IF_ERROR(kernel->Pack(info));
  return std::unique_ptr<Kernel>(std::move(kernel));
}

}  // namespace munja::ops::concat_conv_2d
