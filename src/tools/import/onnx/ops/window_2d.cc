// The convolutions and pools that .tflite has as they are.
#include <string>
#include <utility>

#include "import/onnx/operators.h"

namespace munja::importer::onnx {
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
    // Versions of ONNX disagree on padding with ceil mode.
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

}  // namespace munja::importer::onnx
