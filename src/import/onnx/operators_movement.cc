#include <string>
#include <utility>

#include "import/onnx/context.h"

namespace munja::foreign::onnx {
namespace {

using Ints = std::vector<int64_t>;

}  // namespace

Status Concat(Context& context, const Operator& op) {
  MUNJA_ASSIGN_OR_RETURN(const int64_t axis, op.attributes.Int("axis", 1));
  for (const ValueId v : op.inputs)
    if (v == kNoValue) return Malformed(Describe(op) + " lacks an input");
  graph::Attributes a;
  a.Set("axis", axis);
  return context.Emit(op, "Concat", op.inputs, std::move(a));
}

Status Split(Context& context, const Operator& op) {
  bool present = false;
  MUNJA_ASSIGN_OR_RETURN(Ints sizes, context.Ints(op, "split", 1, &present));
  MUNJA_ASSIGN_OR_RETURN(const int64_t axis, op.attributes.Int("axis", 0));
  Node node;
  node.op = "Split";
  node.name = op.name;
  node.inputs = {op.inputs[0]};
  node.attributes.Set("axis", axis);
  node.attributes.Set("sizes", std::move(sizes));
  MUNJA_ASSIGN_OR_RETURN(const std::vector<ValueId> parts,
                         context.builder.AddNode(std::move(node), op.outputs));
  for (size_t i = 0; i < parts.size(); ++i)
    MUNJA_RETURN_IF_ERROR(context.Bind(op, i, parts[i]));
  return {};
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
  if (!present && op.type == "Unsqueeze")
    return Malformed(Describe(op) + " has no axes");
  graph::Attributes a;
  a.Set("axes", std::move(axes));
  return context.Emit(op, op.type, {op.inputs[0]}, std::move(a));
}

Status Reshape(Context& context, const Operator& op) {
  MUNJA_ASSIGN_OR_RETURN(const int64_t allow_zero,
                         op.attributes.Int("allowzero", 0));
  if (op.input(1) == kNoValue) return Malformed(Describe(op) + " has no shape");
  const std::vector<ShapeEntry> entries = context.builder.Entries(op.inputs[1]);
  if (entries.empty() || entries.size() > 8)
    return Unsupported(Describe(op) + ": this shape, computed at run time");
  Ints shape;
  int open = 0;
  for (size_t i = 0; i < entries.size(); ++i) {
    const ShapeEntry& e = entries[i];
    if (e.tensor == kNoValue) {
      if (e.number == 0 && allow_zero != 0)
        return Unsupported(Describe(op) + ": a size of zero");
      shape.push_back(e.number);
    } else if (e.tensor == op.inputs[0] && e.axis == static_cast<int64_t>(i)) {
      shape.push_back(0);  // The same axis of the input.
    } else {
      shape.push_back(-1);
    }
    if (shape.back() == -1) ++open;
  }
  if (open > 1)
    return Unsupported(Describe(op) +
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
  if (axis < 0 || axis > rank)
    return Malformed(Describe(op) + ": axis " + std::to_string(axis));
  graph::Attributes a;
  if (axis == 1) {
    a.Set("shape", Ints{0, -1});
  } else {
    MUNJA_ASSIGN_OR_RETURN(
        const int64_t outer,
        CountElements(Dims(x.begin(), x.begin() + axis)).With(Describe(op)));
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

Status Pad(Context& context, const Operator& op) {
  bool present = false;
  MUNJA_ASSIGN_OR_RETURN(Ints pads, context.Ints(op, "pads", 1, &present));
  MUNJA_ASSIGN_OR_RETURN(const double value, context.Number(op, "value", 2, 0));
  MUNJA_ASSIGN_OR_RETURN(std::string mode,
                         op.attributes.Text("mode", "constant"));
  if (op.input(3) != kNoValue)
    return Unsupported(Describe(op) + ": chosen axes");
  graph::Attributes a;
  a.Set("pads", std::move(pads));
  a.Set("value", value);
  a.Set("mode", std::move(mode));
  return context.Emit(op, "Pad", {op.inputs[0]}, std::move(a));
}

// Copies side by side: of axes that are known to be repeated so often.
Status Tile(Context& context, const Operator& op) {
  bool present = false;
  MUNJA_ASSIGN_OR_RETURN(const Ints repeats,
                         context.Ints(op, "repeats", 1, &present));
  ValueId x = op.inputs[0];
  if (repeats.size() != context.ShapeOf(x).size())
    return Malformed(Describe(op) + ": " + std::to_string(repeats.size()) +
                     " repeats");
  for (size_t i = 0; i < repeats.size(); ++i) {
    if (repeats[i] == 1) continue;
    if (repeats[i] < 1 || repeats[i] > 1024)
      return Unsupported(Describe(op) + ": repeated " +
                         std::to_string(repeats[i]) + " times");
    graph::Attributes a;
    a.Set("axis", static_cast<int64_t>(i));
    MUNJA_ASSIGN_OR_RETURN(
        x, context.Step(op, "copies", "Concat",
                        std::vector<ValueId>(repeats[i], x), std::move(a)));
  }
  return context.Bind(op, 0, x);
}

Status ConstantOfShape(Context& context, const Operator& op) {
  bool present = false;
  MUNJA_ASSIGN_OR_RETURN(Ints shape, context.Ints(op, "shape", 0, &present));
  MUNJA_ASSIGN_OR_RETURN(const int64_t count,
                         CountElements(shape).With(Describe(op)));
  if (count > (1 << 20))
    return Unsupported(Describe(op) + ": " + std::to_string(count) +
                       " elements");
  Tensor t = Tensor::Floats(shape, std::vector<float>(count, 0.0f));
  if (const auto it = op.tensors.find("value"); it != op.tensors.end()) {
    if (it->second.elements() != 1)
      return Malformed(Describe(op) + ": its value is not one number");
    t = it->second.is_integer
            ? Tensor::Integers(shape, Ints(count, it->second.integers[0]))
            : Tensor::Floats(shape,
                             std::vector<float>(count, it->second.floats[0]));
  }
  if (op.outputs.empty()) return Malformed(Describe(op) + " has no output");
  return context.Bind(op, 0,
                      context.builder.AddConstant(op.outputs[0], std::move(t)));
}

// Broadcasting to a known shape: plus zeros of that shape.
Status Expand(Context& context, const Operator& op) {
  bool present = false;
  MUNJA_ASSIGN_OR_RETURN(const Ints shape,
                         context.Ints(op, "shape", 1, &present));
  if (!present) return Malformed(Describe(op) + " has no shape");
  MUNJA_ASSIGN_OR_RETURN(const int64_t count,
                         CountElements(shape).With(Describe(op)));
  if (count > (1 << 20))
    return Unsupported(Describe(op) + ": to " + ToString(shape));
  const bool integer = context.builder.value(op.inputs[0]).is_integer;
  const ValueId zeros = context.builder.AddConstant(
      "", integer ? Tensor::Integers(shape, Ints(count, 0))
                  : Tensor::Floats(shape, std::vector<float>(count, 0.0f)));
  return context.Emit(op, "Add", {op.inputs[0], zeros});
}

Status DepthToSpace(Context& context, const Operator& op) {
  MUNJA_ASSIGN_OR_RETURN(const int64_t block,
                         op.attributes.Int("blocksize", 0));
  MUNJA_ASSIGN_OR_RETURN(const std::string mode,
                         op.attributes.Text("mode", "DCR"));
  const Dims& shape = context.ShapeOf(op.inputs[0]);
  if (shape.size() != 4 || block < 1 || block > 64 || shape[1] < 1 ||
      shape[1] % (block * block) != 0)
    return Malformed(Describe(op) + ": blocks of " + std::to_string(block) +
                     " in " + ToString(shape));
  ValueId x = op.inputs[0];
  if (mode == "CRD") {
    // Channels of one block lie together: bring them into the other order.
    const int64_t area = block * block, channels = shape[1] / area;
    Ints order;
    for (int64_t p = 0; p < area; ++p)
      for (int64_t c = 0; c < channels; ++c) order.push_back(c * area + p);
    const ValueId index = context.builder.AddConstant(
        "", Tensor::Integers({shape[1]}, std::move(order)));
    graph::Attributes axis;
    axis.Set("axis", int64_t{1});
    MUNJA_ASSIGN_OR_RETURN(
        x, context.Step(op, "order", "Gather", {x, index}, std::move(axis)));
  } else if (mode != "DCR") {
    return Malformed(Describe(op) + ": mode " + mode);
  }
  graph::Attributes a;
  a.Set("blocksize", block);
  return context.Emit(op, "DepthToSpace", {x}, std::move(a));
}

Status Gather(Context& context, const Operator& op) {
  MUNJA_ASSIGN_OR_RETURN(const int64_t axis, op.attributes.Int("axis", 0));
  if (op.input(1) == kNoValue || !context.builder.constant(op.inputs[1]))
    return Unsupported(Describe(op) + ": indices computed at run time");
  graph::Attributes a;
  a.Set("axis", axis);
  return context.Emit(op, "Gather", {op.inputs[0], op.inputs[1]}, std::move(a));
}

}  // namespace munja::foreign::onnx
