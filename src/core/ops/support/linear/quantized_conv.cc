#include "ops/support/linear/quantized_conv.h"

#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "base/buffer.h"
#include "kernels/conv/int_conv_2d.h"
#include "kernels/conv/int_narrow_conv.h"
#include "kernels/conv/int_transpose_conv.h"
#include "kernels/depthwise/int_depthwise.h"
#include "kernels/depthwise/line_depthwise.h"
#include "ops/support/linear/linear_shape.h"
#include "ops/support/linear/quantized_linear.h"
#include "ops/support/nearest_map.h"
#include "ops/support/operands.h"

namespace munja::ops {
namespace {

// By im2col: CONV_2D, and FULLY_CONNECTED as a convolution of 1x1 images.
class MatrixKernel : public QuantizedLinear {
 protected:
  // With few channels the weights are packed both ways: the input decides which
  // packing is used.
  static size_t PlainBytes(const kernels::Conv2dShape& s,
                           kernels::IntFormat format) {
    return RoundUp(kernels::IntConv2dWeightBytes(s, format), kBufferAlignment);
  }
  size_t PackedBytes(const kernels::Conv2dShape& s,
                     kernels::IntFormat format) const override {
    return PlainBytes(s, format) + kernels::IntNarrowConvWeightBytes(s, format);
  }
  void Pack(const int16_t* weights, const kernels::Conv2dShape& s,
            kernels::IntFormat format, void* packed) const override {
    kernels::PackIntConv2d(weights, s, format, packed);
    if (kernels::IntNarrowConvWeightBytes(s, format) == 0) return;
    kernels::PackIntNarrowConv(
        weights, s, format,
        static_cast<uint8_t*>(packed) + PlainBytes(s, format));
  }
  size_t ScratchBytes(const kernels::Conv2dShape& s, kernels::IntFormat format,
                      int threads) const override {
    return kernels::IsIntNarrowConv(s)
               ? kernels::IntNarrowConvScratchBytes(s, format, threads)
               : kernels::IntConv2dScratchBytes(s, format, threads);
  }
  void Run(const LinearRun& run) const override {
    const kernels::Conv2dShape& s = run.shape;
    if (kernels::IsIntNarrowConv(s)) {
      kernels::IntNarrowConv(
          s, run.in, run.format,
          static_cast<const uint8_t*>(run.weights) + PlainBytes(s, run.format),
          run.image_scales, run.epilogue, run.scratch, run.pool);
      return;
    }
    kernels::IntConv2d(
        run.shape, run.in,
        kernels::IntConv2dWeightsAt(run.shape, run.format, run.weights),
        run.image_scales, kernels::DenseStrides(run.shape), run.epilogue,
        run.scratch, run.pool);
  }
  void RunReference(const LinearRun& run) const override {
    kernels::reference::IntConv2d(run.shape, run.centered,
                                  static_cast<const int16_t*>(run.weights),
                                  run.image_scales, run.epilogue);
  }
};

class Conv2dKernel : public MatrixKernel {
 public:
  Status Make(const NodeInfo& info) {
    hybrid_ = HybridRule::kByWeights;
    MUNJA_ASSIGN_OR_RETURN(window_, ParseWindow(info.attributes()));
    return Init(info);
  }

 protected:
  Result<Geometry> Place(const PrepareContext& context) const override {
    MUNJA_ASSIGN_OR_RETURN(
        const kernels::Conv2dShape s,
        PlaceConv2d(window_, context.input(0).shape, context.input(1).shape));
    return Geometry{s, OutputShape(s)};
  }
  Result<kernels::Conv2dShape> WeightSizes(const NodeInfo& info,
                                           const Shape& w) const override {
    if (w.rank() != 4 || w.elements() < 1) {
      return Malformed("weights have shape " + w.ToString() +
                       ", want four dimensions");
    }
    kernels::Conv2dShape s;
    MUNJA_ASSIGN_OR_RETURN(s.groups, CountGroups(info, 0, w));
    s.out_c = w[0];
    s.kernel_h = w[1];
    s.kernel_w = w[2];
    s.in_c = w[3] * s.groups;
    s.stride_w = window_.stride_w;
    s.dilation_w = window_.dilation_w;
    return s;
  }

  Window window_;
};

// See concat_conv_2d.cc. A task joins the lines that it reads.
class ConcatConv2dKernel final : public Conv2dKernel {
 public:
  Status Make(const NodeInfo& info) {
    has_maps_ = true;
    operands_.weights = 0;
    operands_.bias = 1;
    operands_.input = kFirstMap;
    MUNJA_ASSIGN_OR_RETURN(channels_, info.attributes().Ints("channels"));
    if (channels_.empty() || channels_.size() > kMaxMaps)
      return Unsupported(std::to_string(channels_.size()) + " maps");
    if (info.inputs() > MapInput(channels_.size()) || info.outputs() != 1) {
      return Malformed("has " + std::to_string(info.inputs()) + " inputs for " +
                       std::to_string(channels_.size()) + " maps");
    }
    for (size_t m = 0; m < channels_.size(); ++m) {
      const graph::Value* map = info.input(MapInput(m));
      if (map == nullptr) return Malformed("has no map " + std::to_string(m));
      if (map->type != ElementType::kInt8 && map->type != ElementType::kUInt8)
        return Unsupported("maps that are not of 8 bits");
    }
    MUNJA_ASSIGN_OR_RETURN(rule_, ParseNearestRule(info.attributes()));
    const graph::Value* weights = info.input(operands_.weights);
    if (weights->shape.rank() == 4 && weights->shape[1] == 1 &&
        weights->shape[2] == 1)
      return Unsupported("a window of one pixel");
    return Conv2dKernel::Make(info);
  }

 protected:
  Result<Geometry> Place(const PrepareContext& context) const override {
    auto state = std::make_unique<MapsState>();
    const TensorView& first = context.input(kFirstMap);
    int64_t all = 0;
    for (size_t m = 0; m < channels_.size(); ++m) {
      const TensorView& map = context.input(MapInput(m));
      MUNJA_RETURN_IF_ERROR(CheckSameType(map, first));
      if (!SameQuantization(map, first))
        return Unsupported("maps are quantized differently");
      MUNJA_ASSIGN_OR_RETURN(
          NearestMap nearest,
          PlaceNearest(context, MapInput(m), MapInput(m) + 1, rule_));
      const Shape& shape = nearest.shape;
      if (shape[3] != channels_[m]) {
        return Malformed("map " + std::to_string(m) + " has " +
                         std::to_string(shape[3]) + " channels, wants " +
                         std::to_string(channels_[m]));
      }
      all += shape[3];
      state->maps.push_back(std::move(nearest));
      Shape other = state->maps.front().shape;
      other[3] = shape[3];
      if (other != shape) {
        return Malformed("map " + std::to_string(m) + ", " + shape.ToString() +
                         ", does not continue " +
                         state->maps.front().shape.ToString() +
                         " along dimension 3");
      }
    }
    Shape joined = state->maps.front().shape;
    MUNJA_ASSIGN_OR_RETURN(joined[3], CheckDim(all));
    const Shape& weights = context.input(operands_.weights).shape;
    if (weights.rank() == 4 && weights[3] != joined[3]) {
      return Malformed("the maps do not have the weights' " +
                       std::to_string(weights[3]) + " channels");
    }
    MUNJA_ASSIGN_OR_RETURN(const kernels::Conv2dShape s,
                           PlaceConv2d(window_, joined, weights));
    return Geometry{s, OutputShape(s), std::move(state)};
  }
  std::span<const kernels::IntMap> Maps(
      const EvalContext& context, const State& state,
      std::span<kernels::IntMap, kMaxMaps> memory) const override {
    const auto& maps = static_cast<const MapsState&>(state).maps;
    for (size_t m = 0; m < maps.size(); ++m) {
      const TensorView& map = context.input(MapInput(m));
      memory[m] = {static_cast<const uint8_t*>(map.data),
                   static_cast<size_t>(map.shape[3]),
                   static_cast<size_t>(map.shape[1]),
                   static_cast<size_t>(map.shape[2]),
                   maps[m].rows.data(),
                   maps[m].columns.data()};
    }
    return memory.first(maps.size());
  }
  RowRange MapRows(const State& state, size_t m, RowRange rows) const override {
    const NearestMap& map = static_cast<const MapsState&>(state).maps[m];
    return SourceRows(map.rows, map.height, rows);
  }

 private:
  struct MapsState final : State {
    std::vector<NearestMap> maps;
  };
  static constexpr int kFirstMap = 2;

  std::vector<int64_t> channels_;  // Channels of each map.
  NearestRule rule_;
};

class FullyConnectedKernel final : public MatrixKernel {
 public:
  Status Make(const NodeInfo& info) {
    operands_.rounds_product = true;
    MUNJA_ASSIGN_OR_RETURN(
        const bool is_asymmetric,
        info.attributes().Bool("asymmetric_quantize_inputs", false));
    hybrid_ = is_asymmetric ? HybridRule::kAsymmetric : HybridRule::kSymmetric;
    MUNJA_ASSIGN_OR_RETURN(keep_dims_,
                           info.attributes().Bool("keep_num_dims", false));
    MUNJA_ASSIGN_OR_RETURN(const auto format,
                           info.attributes().Text("weights_format", "DEFAULT"));
    if (format != "DEFAULT") {
      return Unsupported("weights of format " + format +
                         " are not implemented");
    }
    return Init(info);
  }

 protected:
  Result<Geometry> Place(const PrepareContext& context) const override {
    const Shape& weights = context.input(1).shape;
    MUNJA_ASSIGN_OR_RETURN(
        const Shape out,
        FullyConnectedOutput(context.input(0).shape, weights, keep_dims_));
    kernels::Conv2dShape s;
    const int64_t rows = out.elements() / weights[0];
    if (rows > INT32_MAX) return Malformed("the input has too many rows");
    s.batch = static_cast<int32_t>(rows);
    s.in_c = weights[1];
    s.out_c = weights[0];
    return Geometry{s, out};
  }
  Result<kernels::Conv2dShape> WeightSizes(const NodeInfo& info,
                                           const Shape& w) const override {
    (void)info;
    if (w.rank() != 2 || w[0] < 1 || w.elements() < 0) {
      return Malformed("weights have shape " + w.ToString() +
                       ", want units x inputs");
    }
    kernels::Conv2dShape s;
    s.out_c = w[0];
    s.in_c = w[1];
    return s;
  }

 private:
  bool keep_dims_ = false;
};

class DepthwiseKernel final : public QuantizedLinear {
 public:
  Status Make(const NodeInfo& info) {
    operands_.channel_axis = 3;
    operands_.is_always_wide = true;
    MUNJA_ASSIGN_OR_RETURN(window_, ParseWindow(info.attributes()));
    return Init(info);
  }

 protected:
  Result<Geometry> Place(const PrepareContext& context) const override {
    MUNJA_ASSIGN_OR_RETURN(const kernels::Conv2dShape s,
                           PlaceDepthwise(window_, context.input(0).shape,
                                          context.input(1).shape));
    return Geometry{s, OutputShape(s)};
  }
  Result<kernels::Conv2dShape> WeightSizes(const NodeInfo& info,
                                           const Shape& w) const override {
    (void)info;
    if (w.rank() != 4 || w[0] != 1 || w.elements() < 1) {
      return Malformed("weights have shape " + w.ToString() +
                       ", want 1 x height x width x channels");
    }
    kernels::Conv2dShape s;
    s.kernel_h = w[1];
    s.kernel_w = w[2];
    s.out_c = w[3];
    s.stride_h = window_.stride_h;
    s.dilation_h = window_.dilation_h;
    return s;
  }
  // The weights as stored, then in the order of LineDepthwise: the input says
  // which of the two kernels it will be.
  static size_t StoredBytes(const kernels::Conv2dShape& s) {
    return RoundUp(static_cast<size_t>(s.kernel_h) * s.kernel_w *
                       static_cast<size_t>(s.out_c) * sizeof(int16_t),
                   kBufferAlignment);
  }
  size_t PackedBytes(const kernels::Conv2dShape& s,
                     kernels::IntFormat format) const override {
    return StoredBytes(s) + kernels::LineDepthwiseWeightBytes(s, format);
  }
  void Pack(const int16_t* weights, const kernels::Conv2dShape& s,
            kernels::IntFormat format, void* packed) const override {
    auto* memory = static_cast<uint8_t*>(packed);
    std::memcpy(memory, weights,
                static_cast<size_t>(s.kernel_h) * s.kernel_w *
                    static_cast<size_t>(s.out_c) * sizeof(int16_t));
    kernels::PackLineDepthwise(weights, s, format, memory + StoredBytes(s));
  }
  size_t ScratchBytes(const kernels::Conv2dShape& s, kernels::IntFormat format,
                      int threads) const override {
    if (!kernels::IsLineDepthwise(s)) return 0;
    return kernels::LineDepthwiseScratchBytes(s, format, threads);
  }
  bool WantsCentered(const kernels::Conv2dShape& s,
                     kernels::IntFormat) const override {
    return !kernels::IsLineDepthwise(s);
  }
  void Run(const LinearRun& run) const override {
    const kernels::Conv2dShape& s = run.shape;
    // Sums of fewer taps have 32 bits.
    constexpr int64_t kExactTaps = 128;
    if (run.epilogue.is_wide &&
        int64_t{s.kernel_h} * s.kernel_w >= kExactTaps) {
      RunReference(run);
    } else if (kernels::IsLineDepthwise(s)) {
      kernels::LineDepthwise(
          s, run.in, run.format,
          static_cast<const uint8_t*>(run.weights) + StoredBytes(s),
          run.image_scales, run.epilogue, run.scratch, run.pool);
    } else {
      kernels::IntDepthwise(s, run.centered,
                            static_cast<const int16_t*>(run.weights),
                            run.image_scales, run.epilogue, run.pool);
    }
  }
  void RunReference(const LinearRun& run) const override {
    kernels::reference::IntDepthwise(run.shape, run.centered,
                                     static_cast<const int16_t*>(run.weights),
                                     run.image_scales, run.epilogue);
  }

 private:
  Window window_;
};

class TransposeConvKernel final : public QuantizedLinear {
 public:
  Status Make(const NodeInfo& info) {
    operands_.input = 2;
    operands_.bias = 3;
    operands_.is_narrow_without_bias = true;
    if (info.input(0) == nullptr) return Malformed("has no output shape");
    MUNJA_ASSIGN_OR_RETURN(window_, ParseWindow(info.attributes()));
    if (window_.dilation_h != 1 || window_.dilation_w != 1)
      return Unsupported("dilation is not implemented");
    return Init(info);
  }
  int64_t MultiplyAccumulates(std::span<const TensorView> inputs,
                              std::span<const TensorView>) const override {
    const Shape& weights = inputs[1].shape;
    return inputs[2].shape.elements() * weights.elements(0, 3);
  }

 protected:
  Result<Geometry> Place(const PrepareContext& context) const override {
    MUNJA_ASSIGN_OR_RETURN(
        const kernels::Conv2dShape s,
        PlaceTransposeConv(window_, context.input(0), context.input(2).shape,
                           context.input(1).shape));
    return Geometry{s, OutputShape(s)};
  }
  Result<kernels::Conv2dShape> WeightSizes(const NodeInfo& info,
                                           const Shape& w) const override {
    (void)info;
    if (w.rank() != 4 || w.elements() < 1) {
      return Malformed("weights have shape " + w.ToString() +
                       ", want four dimensions");
    }
    kernels::Conv2dShape s;
    s.out_c = w[0];
    s.kernel_h = w[1];
    s.kernel_w = w[2];
    s.in_c = w[3];
    s.stride_h = window_.stride_h;
    s.stride_w = window_.stride_w;
    return s;
  }
  size_t PackedBytes(const kernels::Conv2dShape& s,
                     kernels::IntFormat format) const override {
    return kernels::IntTransposeConvWeightBytes(s, format);
  }
  void Pack(const int16_t* weights, const kernels::Conv2dShape& s,
            kernels::IntFormat format, void* packed) const override {
    kernels::PackIntTransposeConv(weights, s, format, packed);
  }
  size_t ScratchBytes(const kernels::Conv2dShape& s, kernels::IntFormat format,
                      int threads) const override {
    return kernels::IntTransposeConvScratchBytes(s, format, threads);
  }
  // Output rows come from one input row each, and none is cut off.
  bool SplitsRows(const kernels::Conv2dShape& s) const override {
    return s.kernel_h == s.stride_h && s.pad_top == 0 &&
           int64_t{s.in_h} * s.stride_h == s.out_h;
  }
  int32_t StepOfRows(const kernels::Conv2dShape& s) const override {
    return s.stride_h;
  }
  RowRange RowsRead(const kernels::Conv2dShape& s,
                    RowRange rows) const override {
    return {rows.begin / s.stride_h, (rows.end - 1) / s.stride_h + 1};
  }
  kernels::Conv2dShape ShapeOf(const kernels::Conv2dShape& s,
                               RowRange rows) const override {
    kernels::Conv2dShape of_rows = s;
    of_rows.in_h = RowsRead(s, rows).size();
    of_rows.out_h = rows.size();
    return of_rows;
  }
  void Run(const LinearRun& run) const override {
    kernels::IntTransposeConv(run.shape, run.in, run.format, run.weights,
                              run.image_scales, run.epilogue, run.scratch,
                              run.pool);
  }
  void RunReference(const LinearRun& run) const override {
    kernels::reference::IntTransposeConv(
        run.shape, run.centered, static_cast<const int16_t*>(run.weights),
        run.image_scales, run.epilogue);
  }

 private:
  Window window_;
};

template <class K>
Result<std::unique_ptr<Kernel>> MakeKernel(const NodeInfo& info) {
  auto kernel = std::make_unique<K>();
  MUNJA_RETURN_IF_ERROR(kernel->Make(info));
  return std::unique_ptr<Kernel>(std::move(kernel));
}

}  // namespace

Result<std::unique_ptr<Kernel>> MakeQuantizedConv2d(const NodeInfo& info) {
  return MakeKernel<Conv2dKernel>(info);
}

Result<std::unique_ptr<Kernel>> MakeQuantizedConcatConv2d(
    const NodeInfo& info) {
  return MakeKernel<ConcatConv2dKernel>(info);
}

Result<std::unique_ptr<Kernel>> MakeQuantizedFullyConnected(
    const NodeInfo& info) {
  return MakeKernel<FullyConnectedKernel>(info);
}

Result<std::unique_ptr<Kernel>> MakeQuantizedDepthwise(const NodeInfo& info) {
  return MakeKernel<DepthwiseKernel>(info);
}

Result<std::unique_ptr<Kernel>> MakeQuantizedTransposeConv(
    const NodeInfo& info) {
  return MakeKernel<TransposeConvKernel>(info);
}

}  // namespace munja::ops
