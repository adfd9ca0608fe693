#include <string>
#include <utility>

#include "import/onnx/operators.h"

namespace munja::foreign::onnx {
namespace {

using Ints = std::vector<int64_t>;

}  // namespace

Status Concat(Context& context, const Operator& op) {
  MUNJA_ASSIGN_OR_RETURN(const int64_t axis, op.attributes.Int("axis", 1));
  for (const ValueId v : op.inputs)
    if (v == kNoValue) return Malformed(op, " lacks an input");
  graph::Attributes a;
  a.Set("axis", axis);
  return context.Emit(op, "Concat", op.inputs, std::move(a));
}

Status Slice(Context& context, const Operator& op) {
  bool present = false;
  MUNJA_ASSIGN_OR_RETURN(Ints starts, context.Ints(op, "starts", 1, &present));
  MUNJA_ASSIGN_OR_RETURN(Ints ends, context.Ints(op, "ends", 2, &present));
  MUNJA_ASSIGN_OR_RETURN(Ints axes, context.Ints(op, "axes", 3, &present));
  if (!present)
    for (size_t i = 0; i < starts.size(); ++i)
      axes.push_back(static_cast<int64_t>(i));
  MUNJA_ASSIGN_OR_RETURN(Ints steps, context.Ints(op, "steps", 4, &present));
  if (!present) steps.assign(axes.size(), 1);
  graph::Attributes a;
  a.Set("starts", std::move(starts));
  a.Set("ends", std::move(ends));
  a.Set("axes", std::move(axes));
  a.Set("steps", std::move(steps));
  return context.Emit(op, "Slice", {op.inputs[0]}, std::move(a));
}

// Squeeze and Unsqueeze.
Status Squeeze(Context& context, const Operator& op) {
  bool present = false;
  MUNJA_ASSIGN_OR_RETURN(Ints axes, context.Ints(op, "axes", 1, &present));
  if (!present && op.type == "Unsqueeze") return Malformed(op, " has no axes");
  graph::Attributes a;
  a.Set("axes", std::move(axes));
  return context.Emit(op, op.type, {op.inputs[0]}, std::move(a));
}

Status Reshape(Context& context, const Operator& op) {
  MUNJA_ASSIGN_OR_RETURN(const int64_t allow_zero,
                         op.attributes.Int("allowzero", 0));
  if (op.input(1) == kNoValue) return Malformed(op, " has no shape");
  const std::vector<ShapeEntry> entries = context.builder.Entries(op.inputs[1]);
  if (entries.empty() || entries.size() > 8)
    return Unsupported(op, ": this shape, computed at run time");
  Ints shape;
  int open = 0;
  for (size_t i = 0; i < entries.size(); ++i) {
    const ShapeEntry& e = entries[i];
    if (e.tensor == kNoValue) {
      if (e.number == 0 && allow_zero != 0)
        return Unsupported(op, ": a size of zero");
      shape.push_back(e.number);
    } else if (e.tensor == op.inputs[0] && e.axis == static_cast<int64_t>(i)) {
      shape.push_back(0);  // The same axis of the input.
    } else {
      shape.push_back(-1);
    }
    if (shape.back() == -1) ++open;
  }
  if (open > 1)
    return Unsupported(op,
                       ": a shape with several sizes computed "
                       "at run time");
  graph::Attributes a;
  a.Set("shape", std::move(shape));
  return context.Emit(op, "Reshape", {op.inputs[0]}, std::move(a));
}

Status Flatten(Context& context, const Operator& op) {
  const Dims& x = context.ShapeOf(op.inputs[0]);
  const int64_t rank = static_cast<int64_t>(x.size());
  MUNJA_ASSIGN_OR_RETURN(int64_t axis, op.attributes.Int("axis", 1));
  if (axis < 0) axis += rank;
  if (axis < 0 || axis > rank) return Malformed(op, ": axis ", axis);
  graph::Attributes a;
  if (axis == 1) {
    a.Set("shape", Ints{0, -1});
  } else {
    MUNJA_ASSIGN_OR_RETURN(
        const int64_t outer,
        CountElements(Dims(x.begin(), x.begin() + axis)).With(op));
    a.Set("shape", Ints{outer, -1});
  }
  return context.Emit(op, "Reshape", {op.inputs[0]}, std::move(a));
}

Status Transpose(Context& context, const Operator& op) {
  MUNJA_ASSIGN_OR_RETURN(Ints perm, op.attributes.Ints("perm"));
  if (perm.empty())
    for (size_t i = context.ShapeOf(op.inputs[0]).size(); i-- > 0;)
      perm.push_back(static_cast<int64_t>(i));
  graph::Attributes a;
  a.Set("perm", std::move(perm));
  return context.Emit(op, "Transpose", {op.inputs[0]}, std::move(a));
}

}  // namespace munja::foreign::onnx
