// Convolutions and pooling.
#include <cstdint>
#include <string>
#include <utility>

#include "import/compose/pool_parts.h"
#include "import/paddle/writer.h"

namespace munja::importer::paddle {
namespace {

using Ints = std::vector<int64_t>;

// Programs that were optimized for one kind of processor have activations and
// sums inside their convolutions.
Status NeedPlain(const Operation& op) {
  for (const char* name :
       {"fuse_relu", "fuse_brelu", "fuse_residual_connection",
        "fuse_relu_before_depthwise_conv", "with_quant"}) {
    MUNJA_ASSIGN_OR_RETURN(const bool fused, Flag(op, {name}, false));
    if (fused) return Unsupported(op, ": ", name);
  }
  MUNJA_ASSIGN_OR_RETURN(const std::string activation,
                         op.attributes.Text("fuse_activation", ""));
  if (!activation.empty())
    return Unsupported(op, ": fuse_activation ", activation);
  return {};
}

// Strides, dilations and padding in the neutral form.
Status ReadWindowAttributes(const Operation& op, graph::Attributes* a) {
  MUNJA_RETURN_IF_ERROR(NeedChannelsFirst(op));
  for (const char* name : {"strides", "dilations"}) {
    MUNJA_ASSIGN_OR_RETURN(Ints v, op.attributes.Ints(name));
    if (!v.empty()) a->Set(name, std::move(v));
  }
  MUNJA_ASSIGN_OR_RETURN(const std::string algorithm,
                         op.attributes.Text("padding_algorithm", "EXPLICIT"));
  if (algorithm == "VALID") return {};
  if (algorithm == "SAME") {
    MUNJA_ASSIGN_OR_RETURN(const Ints dilations, a->Ints("dilations"));
    for (const int64_t d : dilations)
      if (d != 1) return Unsupported(op, ": padding SAME with dilation");
    a->Set("auto_pad", std::string("SAME_UPPER"));
    return {};
  }
  if (algorithm != "EXPLICIT")
    return Unsupported(op, ": padding_algorithm ", algorithm);
  MUNJA_ASSIGN_OR_RETURN(const Ints p, op.attributes.Ints("paddings"));
  if (p.size() == 2) {
    a->Set("pads", Ints{p[0], p[1], p[0], p[1]});
  } else if (p.size() == 4) {  // Top, bottom, left, right.
    a->Set("pads", Ints{p[0], p[2], p[1], p[3]});
  } else if (!p.empty()) {
    return Unsupported(op, ": paddings of ", p.size(), " values");
  }
  return {};
}

// Input, filter and the bias that some programs keep with them.
Result<std::vector<ValueId>> ConvolutionInputs(Context& context,
                                               const Operation& op) {
  std::vector<ValueId> inputs;
  for (const char* name : {"Input", "Filter"}) {
    MUNJA_ASSIGN_OR_RETURN(const ValueId v, context.One(op, name));
    inputs.push_back(v);
  }
  MUNJA_ASSIGN_OR_RETURN(const ValueId bias, context.Optional(op, "Bias"));
  if (bias != kNoValue) inputs.push_back(bias);
  for (size_t i = 1; i < inputs.size(); ++i)
    if (context.builder.constant(inputs[i]) == nullptr)
      return Unsupported(op, ": weights computed at run time");
  return inputs;
}

}  // namespace

Status Convolution(Context& context, const Operation& op) {
  MUNJA_RETURN_IF_ERROR(NeedPlain(op));
  MUNJA_ASSIGN_OR_RETURN(std::vector<ValueId> inputs,
                         ConvolutionInputs(context, op));
  graph::Attributes a;
  MUNJA_RETURN_IF_ERROR(ReadWindowAttributes(op, &a));
  MUNJA_ASSIGN_OR_RETURN(const int64_t groups, op.attributes.Int("groups", 1));
  a.Set("group", groups);
  return context.Emit(op, "Output", "Conv", std::move(inputs), std::move(a));
}

Status ConvolutionTranspose(Context& context, const Operation& op) {
  MUNJA_RETURN_IF_ERROR(NeedPlain(op));
  MUNJA_ASSIGN_OR_RETURN(std::vector<ValueId> inputs,
                         ConvolutionInputs(context, op));
  graph::Attributes a;
  MUNJA_RETURN_IF_ERROR(ReadWindowAttributes(op, &a));
  MUNJA_ASSIGN_OR_RETURN(const int64_t groups, op.attributes.Int("groups", 1));
  a.Set("group", groups);
  bool present = false;
  MUNJA_ASSIGN_OR_RETURN(const Ints size,
                         context.Ints(op, {"OutputSizeTensor", "OutputSize"},
                                      {"output_size"}, &present));
  if (!size.empty()) return Unsupported(op, ": output_size");
  MUNJA_ASSIGN_OR_RETURN(Ints extra, op.attributes.Ints("output_padding"));
  if (!extra.empty()) a.Set("output_padding", std::move(extra));
  return context.Emit(op, "Output", "ConvTranspose", std::move(inputs),
                      std::move(a));
}

namespace {

// A window larger than its input has one result, of the part that it covers.
Status ShrinkWindow(const Dims& x, const graph::Attributes& a, Ints* kernel) {
  MUNJA_ASSIGN_OR_RETURN(const Ints pads, a.Ints("pads"));
  MUNJA_ASSIGN_OR_RETURN(const Ints strides, a.Ints("strides"));
  for (const int64_t p : pads)
    if (p != 0) return {};
  for (size_t i = 0; i < 2 && strides.size() == 2; ++i) {
    const int64_t in = x[2 + i];
    // Counts of results are rounded towards zero in Paddle.
    if (in > 0 && in < (*kernel)[i] && (*kernel)[i] - in < strides[i])
      (*kernel)[i] = in;
  }
  return {};
}

}  // namespace

Status Pool(Context& context, const Operation& op) {
  MUNJA_ASSIGN_OR_RETURN(const ValueId x, context.One(op, "X"));
  MUNJA_ASSIGN_OR_RETURN(const std::string type,
                         op.attributes.Text("pooling_type", "max"));
  if (type != "max" && type != "avg")
    return Unsupported(op, ": pooling_type ", type);
  const bool is_max = type == "max";
  MUNJA_ASSIGN_OR_RETURN(const bool global,
                         Flag(op, {"global_pooling"}, false));
  MUNJA_ASSIGN_OR_RETURN(const bool adaptive, Flag(op, {"adaptive"}, false));
  bool present = false;
  MUNJA_ASSIGN_OR_RETURN(Ints size,
                         context.Ints(op, {"KernelSize"}, {"ksize"}, &present));
  const Dims& shape = context.ShapeOf(x);
  if (shape.size() != 4 || (!global && size.size() != 2))
    return Unsupported(op, ": only planes are pooled");
  graph::Attributes a;
  if (global || (adaptive && size == Ints{1, 1})) {
    MUNJA_RETURN_IF_ERROR(NeedChannelsFirst(op));
    a.Set("axes", Ints{2, 3});
    a.Set("keepdims", int64_t{1});
    return context.Emit(op, "Out", is_max ? "ReduceMax" : "ReduceMean", {x},
                        std::move(a));
  }
  if (adaptive) {
    MUNJA_RETURN_IF_ERROR(NeedChannelsFirst(op));
    // The size is that of the result. Windows are alike where it divides.
    if (shape[2] < 0 || shape[3] < 0 || size[0] < 1 || size[1] < 1 ||
        shape[2] % size[0] != 0 || shape[3] % size[1] != 0) {
      Writer w(context, op);
      ValueId y = PoolParts(w, x, 2, size[0], is_max);
      y = PoolParts(w, y, 3, size[1], is_max);
      return w.Done("Out", y);
    }
    for (int i = 0; i < 2; ++i) {
      const int64_t in = shape[2 + i];
      size[i] = in / size[i];
    }
    a.Set("strides", size);
  } else {
    MUNJA_RETURN_IF_ERROR(ReadWindowAttributes(op, &a));
    a.Remove("dilations");
    MUNJA_ASSIGN_OR_RETURN(const bool ceil, Flag(op, {"ceil_mode"}, false));
    if (ceil) {
      MUNJA_ASSIGN_OR_RETURN(const Ints pads, a.Ints("pads"));
      for (const int64_t p : pads)
        if (p != 0) return Unsupported(op, ": ceil_mode with pads");
      a.Set("ceil_mode", int64_t{1});
    }
  }
  MUNJA_RETURN_IF_ERROR(ShrinkWindow(shape, a, &size));
  a.Set("kernel_shape", std::move(size));
  if (!is_max) {
    MUNJA_ASSIGN_OR_RETURN(const bool exclusive, Flag(op, {"exclusive"}, true));
    a.Set("count_include_pad", int64_t{!exclusive});
  }
  return context.Emit(op, "Out", is_max ? "MaxPool" : "AveragePool", {x},
                      std::move(a));
}

// Each tap is displaced by an offset; the second version also weighs it.
Status DeformableConvolution(Context& context, const Operation& op) {
  Writer w(context, op);
  Values inputs = {w.Need("Input"), w.Need("Filter"), w.Need("Offset")};
  if (w.ok() && w.rank(inputs[0]) != 4)
    w.Refuse("maps of shape ", ToString(w.shape(inputs[0])));
  if (op.type == "deformable_conv") {
    inputs.push_back(kNoValue);  // The bias, which an operator behind it adds.
    inputs.push_back(w.Need("Mask"));
  }
  const auto two = [&](Int64s given, const char* name, int64_t fallback) {
    if (given.empty()) given = {fallback, fallback};
    if (given.size() != 2) w.Damaged(name, " ", ToString(given));
    given.resize(2);
    return given;
  };
  Int64s pads = two(w.Given(op.attributes.Ints("paddings")), "paddings", 0);
  pads.insert(pads.end(), {pads[0], pads[1]});
  graph::Attributes options;
  options.Set("strides",
              two(w.Given(op.attributes.Ints("strides")), "strides", 1));
  options.Set("dilations",
              two(w.Given(op.attributes.Ints("dilations")), "dilations", 1));
  options.Set("pads", std::move(pads));
  options.Set("group", w.Given(op.attributes.Int("groups", 1)));
  options.Set("offset_group",
              w.Given(op.attributes.Int("deformable_groups", 1)));
  return w.Done("Output",
                w.Custom("MunjaDeformConv", std::move(inputs), kF32, options));
}

}  // namespace munja::importer::paddle
