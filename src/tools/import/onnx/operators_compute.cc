#include <string>
#include <utility>

#include "import/onnx/operators.h"

namespace munja::foreign::onnx {
namespace {

using Ints = std::vector<int64_t>;

// Kernel, strides, dilations and padding in the neutral form. One-dimensional
// windows get a height of 1.
Status ReadWindowAttributes(const Operator& op, bool widen,
                            graph::Attributes* a) {
  for (const char* name : {"kernel_shape", "strides", "dilations"}) {
    MUNJA_ASSIGN_OR_RETURN(Ints v, op.attributes.Ints(name));
    if (widen && v.size() == 1) v.insert(v.begin(), 1);
    if (!v.empty()) a->Set(name, std::move(v));
  }
  MUNJA_ASSIGN_OR_RETURN(Ints pads, op.attributes.Ints("pads"));
  if (widen && pads.size() == 2) pads = {0, pads[0], 0, pads[1]};
  MUNJA_ASSIGN_OR_RETURN(const std::string mode,
                         op.attributes.Text("auto_pad", "NOTSET"));
  if (mode == "SAME_UPPER" || mode == "SAME_LOWER") {
    a->Set("auto_pad", mode);
  } else if (mode == "NOTSET" || mode.empty()) {
    if (!pads.empty()) a->Set("pads", std::move(pads));
  } else if (mode != "VALID") {
    return Malformed(op, ": auto_pad is '", mode, "'");
  }
  return {};
}

graph::Attributes HeightAxis() {
  graph::Attributes a;
  a.Set("axes", Ints{2});
  return a;
}

}  // namespace

Status Convolution(Context& context, const Operator& op) {
  if (op.inputs.size() < 2 || op.inputs[1] == kNoValue)
    return Malformed(op, " has no weights");
  std::vector<ValueId> inputs = {op.inputs[0], op.inputs[1]};
  if (op.input(2) != kNoValue) inputs.push_back(op.inputs[2]);
  if (context.builder.constant(inputs[1]) == nullptr ||
      (inputs.size() > 2 && context.builder.constant(inputs[2]) == nullptr))
    return Unsupported(op, ": weights computed at run time");
  const bool flat = context.ShapeOf(inputs[0]).size() == 3;
  graph::Attributes a;
  MUNJA_RETURN_IF_ERROR(ReadWindowAttributes(op, flat, &a));
  MUNJA_ASSIGN_OR_RETURN(const int64_t group, op.attributes.Int("group", 1));
  a.Set("group", group);
  if (op.type == "ConvTranspose") {
    if (op.attributes.Has("output_shape"))
      return Unsupported(op, ": output_shape");
    MUNJA_ASSIGN_OR_RETURN(Ints extra, op.attributes.Ints("output_padding"));
    if (flat && extra.size() == 1) extra.insert(extra.begin(), 0);
    if (!extra.empty()) a.Set("output_padding", std::move(extra));
  }
  if (!flat) return context.Emit(op, op.type, std::move(inputs), std::move(a));
  MUNJA_ASSIGN_OR_RETURN(inputs[0], context.Step(op, "tall", "Unsqueeze",
                                                 {inputs[0]}, HeightAxis()));
  MUNJA_ASSIGN_OR_RETURN(inputs[1], context.Step(op, "weights", "Unsqueeze",
                                                 {inputs[1]}, HeightAxis()));
  MUNJA_ASSIGN_OR_RETURN(const ValueId y,
                         context.Step(op, "convolution", op.type,
                                      std::move(inputs), std::move(a)));
  return context.Emit(op, "Squeeze", {y}, HeightAxis());
}

Status Pool(Context& context, const Operator& op) {
  if (op.outputs.size() > 1 && !op.outputs[1].empty())
    return Unsupported(op, ": the indices of the maxima");
  const bool flat = context.ShapeOf(op.inputs[0]).size() == 3;
  graph::Attributes a;
  MUNJA_RETURN_IF_ERROR(ReadWindowAttributes(op, flat, &a));
  if (!a.Has("kernel_shape")) return Malformed(op, " has no kernel_shape");
  MUNJA_ASSIGN_OR_RETURN(const int64_t ceil, op.attributes.Int("ceil_mode", 0));
  MUNJA_ASSIGN_OR_RETURN(const int64_t include_pad,
                         op.attributes.Int("count_include_pad", 0));
  if (ceil != 0) {
    // Where padding meets rounding up, versions of ONNX disagree.
    MUNJA_ASSIGN_OR_RETURN(const Ints pads, a.Ints("pads"));
    for (const int64_t p : pads)
      if (p != 0) return Unsupported(op, ": ceil_mode with pads");
    a.Set("ceil_mode", int64_t{1});
    a.Set("drop_outside", int64_t{1});
  }
  if (op.type == "AveragePool")
    a.Set("count_include_pad", int64_t{include_pad != 0});
  if (!flat) return context.Emit(op, op.type, {op.inputs[0]}, std::move(a));
  MUNJA_ASSIGN_OR_RETURN(
      const ValueId x,
      context.Step(op, "tall", "Unsqueeze", {op.inputs[0]}, HeightAxis()));
  MUNJA_ASSIGN_OR_RETURN(const ValueId y,
                         context.Step(op, "pool", op.type, {x}, std::move(a)));
  return context.Emit(op, "Squeeze", {y}, HeightAxis());
}

Status GlobalPool(Context& context, const Operator& op) {
  Ints axes;
  for (size_t i = 2; i < context.ShapeOf(op.inputs[0]).size(); ++i)
    axes.push_back(static_cast<int64_t>(i));
  if (axes.empty()) return Malformed(op, ": no plane to pool");
  graph::Attributes a;
  a.Set("axes", std::move(axes));
  a.Set("keepdims", int64_t{1});
  return context.Emit(op,
                      op.type == "GlobalMaxPool" ? "ReduceMax" : "ReduceMean",
                      {op.inputs[0]}, std::move(a));
}

namespace {

// The last two of four factors or sizes; the first two must leave batch and
// channels alone.
Status ReadScales(Context& context, const Operator& op, ValueId id,
                  graph::Attributes* a) {
  std::vector<double> scales;
  if (id == kNoValue) {
    const graph::AttributeValue* v = op.attributes.Find("scales");
    if (v == nullptr || !std::holds_alternative<std::vector<double>>(*v))
      return Malformed(op, " has neither scales nor sizes");
    scales = std::get<std::vector<double>>(*v);
  } else {
    const Tensor* t = context.builder.constant(id);
    if (t == nullptr) return Unsupported(op, ": scales computed at run time");
    scales.assign(t->floats.begin(), t->floats.end());
  }
  if (scales.size() != 4 || scales[0] != 1 || scales[1] != 1)
    return Unsupported(op,
                       ": scales of other axes than height and "
                       "width");
  a->Set("scale_h", scales[2]);
  a->Set("scale_w", scales[3]);
  return {};
}

}  // namespace

Status Resize(Context& context, const Operator& op) {
  const bool upsample = op.type == "Upsample";
  const bool old = upsample || context.opset < 11;
  graph::Attributes a;
  MUNJA_ASSIGN_OR_RETURN(std::string mode,
                         op.attributes.Text("mode", "nearest"));
  MUNJA_ASSIGN_OR_RETURN(std::string coordinates,
                         op.attributes.Text("coordinate_transformation_mode",
                                            old ? "asymmetric" : "half_pixel"));
  MUNJA_ASSIGN_OR_RETURN(
      const std::string rounding,
      op.attributes.Text("nearest_mode", old ? "floor" : "round_prefer_floor"));
  MUNJA_ASSIGN_OR_RETURN(const int64_t antialias,
                         op.attributes.Int("antialias", 0));
  MUNJA_ASSIGN_OR_RETURN(
      const std::string policy,
      op.attributes.Text("keep_aspect_ratio_policy", "stretch"));
  if (policy != "stretch")
    return Unsupported(op, ": keep_aspect_ratio_policy ", policy);
  // Differs from half_pixel for a result of one element only.
  const bool first_of_one = coordinates == "pytorch_half_pixel";
  if (first_of_one) coordinates = "half_pixel";
  if ((mode != "nearest" && mode != "linear") || antialias != 0 ||
      op.attributes.Has("axes") ||
      (coordinates != "asymmetric" && coordinates != "half_pixel" &&
       coordinates != "align_corners") ||
      (mode == "nearest" && rounding != "floor" &&
       rounding != "round_prefer_floor" && rounding != "round_prefer_ceil"))
    return Unsupported(op, ": mode ", mode, ", ", coordinates, ", ", rounding);
  a.Set("mode", std::move(mode));
  a.Set("coordinates", std::move(coordinates));
  a.Set("rounding", rounding);
  const ValueId sizes = old ? kNoValue : op.input(3);
  if (sizes != kNoValue) {
    const std::vector<ShapeEntry> entries = context.builder.Entries(sizes);
    if (entries.size() != 4 || entries[2].tensor != kNoValue ||
        entries[3].tensor != kNoValue)
      return Unsupported(op, ": sizes computed at run time");
    a.Set("sizes", Ints{entries[2].number, entries[3].number});
    const Dims& shape = context.ShapeOf(op.inputs[0]);
    for (int i = 0; i < 2 && shape.size() == 4; ++i)
      if (entries[i].tensor == kNoValue && shape[i] >= 0 &&
          entries[i].number != shape[i])
        return Unsupported(op, ": other axes than height and width");
  } else {
    MUNJA_RETURN_IF_ERROR(ReadScales(
        context, op, upsample || old ? op.input(1) : op.input(2), &a));
  }
  MUNJA_ASSIGN_OR_RETURN(
      const ValueId y,
      context.Step(op, "resized", "Resize", {op.inputs[0]}, std::move(a)));
  const Dims &from = context.ShapeOf(op.inputs[0]), &to = context.ShapeOf(y);
  for (size_t i = 2; first_of_one && i < to.size(); ++i)
    if (to[i] == 1 && from[i] != 1)
      return Unsupported(op, ": pytorch_half_pixel to one element");
  context.builder.Rename(y, op.outputs[0]);
  return context.Bind(op, 0, y);
}

}  // namespace munja::foreign::onnx
