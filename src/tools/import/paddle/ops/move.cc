// Operators that move elements or change a shape.
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "import/paddle/context.h"
#include "import/paddle/ops/helpers.h"
#include "import/paddle/writer.h"
#include "tensor/shape.h"

namespace munja::importer::paddle {
namespace {

using Ints = std::vector<int64_t>;

// An axis given by a constant tensor or an attribute.
Result<int64_t> Axis(Context& context, const Operation& op) {
  bool present = false;
  MUNJA_ASSIGN_OR_RETURN(
      const Ints axis,
      context.Ints(op, {"AxisTensor", "Axis"}, {"axis"}, &present));
  if (!present) return int64_t{0};
  if (axis.size() != 1)
    return Malformed(op, ": ", axis.size(), " axes, one is expected");
  return axis[0];
}

}  // namespace

Status Concat(Context& context, const Operation& op) {
  MUNJA_ASSIGN_OR_RETURN(std::vector<ValueId> inputs, context.All(op, "X"));
  if (inputs.empty()) return Malformed(op, " lacks its input X");
  MUNJA_ASSIGN_OR_RETURN(const int64_t axis, Axis(context, op));
  graph::Attributes a;
  a.Set("axis", axis);
  return context.Emit(op, "Out", "Concat", std::move(inputs), std::move(a));
}

Status Stack(Context& context, const Operation& op) {
  MUNJA_ASSIGN_OR_RETURN(std::vector<ValueId> inputs, context.All(op, "X"));
  if (inputs.empty()) return Malformed(op, " lacks its input X");
  MUNJA_ASSIGN_OR_RETURN(const int64_t axis, Axis(context, op));
  for (ValueId& v : inputs) {
    graph::Attributes a;
    a.Set("axes", Ints{axis});
    MUNJA_ASSIGN_OR_RETURN(
        v, context.Step(op, "layer", "Unsqueeze", {v}, std::move(a)));
  }
  graph::Attributes a;
  a.Set("axis", axis);
  return context.Emit(op, "Y", "Concat", std::move(inputs), std::move(a));
}

Status Split(Context& context, const Operation& op) {
  MUNJA_ASSIGN_OR_RETURN(const ValueId x, context.One(op, "X"));
  MUNJA_ASSIGN_OR_RETURN(const int64_t axis, Axis(context, op));
  bool present = false;
  MUNJA_ASSIGN_OR_RETURN(Ints sizes, context.Ints(op, {"SectionsTensorList"},
                                                  {"sections"}, &present));
  const auto outputs = op.outputs.find("Out");
  if (outputs == op.outputs.end()) return Malformed(op, " has no output");
  // One part may be "the rest".
  const Dims& shape = context.ShapeOf(x);
  MUNJA_ASSIGN_OR_RETURN(const int64_t at,
                         NormalizeAxis(axis, shape.size()).With(op));
  int64_t rest = shape[at], open = 0;
  for (const int64_t s : sizes) {
    if (s < -1 || s > kMaxElements)
      return Malformed(op, ": a part of size ", s);
    open += s == -1;
    if (s > 0) rest -= s;
  }
  if (open > 1 || (open == 1 && (shape[at] < 0 || rest < 0)))
    return Unsupported(op, ": parts ", ToString(sizes), " of ",
                       ToString(shape));
  for (int64_t& s : sizes)
    if (s == -1) s = rest;
  Node node;
  node.op = "Split";
  node.name = op.name;
  node.inputs = {x};
  node.attributes.Set("axis", axis);
  node.attributes.Set("sizes", std::move(sizes));
  MUNJA_ASSIGN_OR_RETURN(
      const std::vector<ValueId> parts,
      context.builder.AddNode(std::move(node), outputs->second));
  for (size_t i = 0; i < parts.size(); ++i)
    MUNJA_RETURN_IF_ERROR(context.Bind(op, "Out", parts[i], i));
  return {};
}

Status Slice(Context& context, const Operation& op) {
  for (const char* parameter :
       {"StartsTensor", "StartsTensorList", "EndsTensor", "EndsTensorList"}) {
    MUNJA_ASSIGN_OR_RETURN(const std::vector<ValueId> all,
                           context.All(op, parameter));
    for (const ValueId v : all)
      if (context.builder.constant(v) == nullptr)
        return SliceOfRun(context, op);
  }
  MUNJA_ASSIGN_OR_RETURN(ValueId x, context.One(op, "Input"));
  bool present = false;
  MUNJA_ASSIGN_OR_RETURN(Ints axes, op.attributes.Ints("axes"));
  MUNJA_ASSIGN_OR_RETURN(Ints starts,
                         context.Ints(op, {"StartsTensor", "StartsTensorList"},
                                      {"starts"}, &present));
  MUNJA_ASSIGN_OR_RETURN(
      Ints ends,
      context.Ints(op, {"EndsTensor", "EndsTensorList"}, {"ends"}, &present));
  Ints steps(axes.size(), 1);
  if (op.type == "strided_slice") {
    MUNJA_ASSIGN_OR_RETURN(
        steps, context.Ints(op, {"StridesTensor", "StridesTensorList"},
                            {"strides"}, &present));
  }
  MUNJA_ASSIGN_OR_RETURN(Ints gone, op.attributes.Ints("decrease_axis"));
  // [-1:0] of an axis that is taken away means the last element.
  for (size_t i = 0; i < axes.size() && i < starts.size() && i < ends.size();
       ++i)
    for (const int64_t axis : gone)
      if (axis == axes[i] && starts[i] == -1 && ends[i] == 0)
        ends[i] = std::numeric_limits<int32_t>::max();
  graph::Attributes a;
  a.Set("axes", std::move(axes));
  a.Set("starts", std::move(starts));
  a.Set("ends", std::move(ends));
  a.Set("steps", std::move(steps));
  if (gone.empty()) return context.Emit(op, "Out", "Slice", {x}, std::move(a));
  MUNJA_ASSIGN_OR_RETURN(x,
                         context.Step(op, "part", "Slice", {x}, std::move(a)));
  graph::Attributes squeeze;
  squeeze.Set("axes", std::move(gone));
  return context.Emit(op, "Out", "Squeeze", {x}, std::move(squeeze));
}

// Squeeze and unsqueeze. Axes that are not 1 stay where they are squeezed.
Status Squeeze(Context& context, const Operation& op) {
  MUNJA_ASSIGN_OR_RETURN(const ValueId x, context.One(op, "X"));
  const bool add = op.type.starts_with("un");
  bool present = false;
  MUNJA_ASSIGN_OR_RETURN(Ints axes,
                         context.Ints(op, {"AxesTensor", "AxesTensorList"},
                                      {"axes", "axis"}, &present));
  if (add && axes.empty()) return Malformed(op, " has no axes");
  const Dims& shape = context.ShapeOf(x);
  if (!add && !axes.empty()) {
    Ints ones;
    for (const int64_t axis : axes) {
      MUNJA_ASSIGN_OR_RETURN(const int64_t at,
                             NormalizeAxis(axis, shape.size()).With(op));
      if (shape[at] < 0)
        return Unsupported(op, ": axis ", axis, " of ", ToString(shape),
                           " may be 1 or not");
      if (shape[at] == 1) ones.push_back(at);
    }
    if (ones.empty()) return context.Bind(op, "Out", x);
    axes = std::move(ones);
  }
  if (add) {
    // Each axis counts in the shape that those before it gave.
    ValueId y = x;
    for (const int64_t axis : axes) {
      graph::Attributes a;
      a.Set("axes", Ints{axis});
      MUNJA_ASSIGN_OR_RETURN(
          y, context.Step(op, "wide", "Unsqueeze", {y}, std::move(a)));
    }
    return context.Bind(op, "Out", y);
  }
  graph::Attributes a;
  a.Set("axes", std::move(axes));
  return context.Emit(op, "Out", "Squeeze", {x}, std::move(a));
}

Status Reshape(Context& context, const Operation& op) {
  MUNJA_ASSIGN_OR_RETURN(const ValueId x, context.One(op, "X"));
  // Several tensors of one element, one tensor, or an attribute.
  std::vector<ShapeEntry> entries;
  for (const char* name : {"ShapeTensor", "Shape"}) {
    if (!entries.empty()) break;
    MUNJA_ASSIGN_OR_RETURN(const std::vector<ValueId> all,
                           context.All(op, name));
    for (const ValueId v : all) {
      const std::vector<ShapeEntry> part = context.builder.Entries(v);
      if (part.empty() || (all.size() > 1 && part.size() != 1))
        return Unsupported(op, ": this shape, computed at run time");
      entries.insert(entries.end(), part.begin(), part.end());
    }
  }
  if (entries.empty()) {
    MUNJA_ASSIGN_OR_RETURN(const Ints given, op.attributes.Ints("shape"));
    for (const int64_t n : given) entries.push_back({kNoValue, 0, n});
  }
  if (entries.empty() || entries.size() > 8)
    return Unsupported(op, ": a shape of ", entries.size(), " sizes");
  Ints shape;
  int open = 0;
  for (size_t i = 0; i < entries.size(); ++i) {
    const ShapeEntry& e = entries[i];
    const bool same = e.tensor == x && e.axis == static_cast<int64_t>(i);
    shape.push_back(e.tensor == kNoValue ? e.number : same ? 0 : -1);
    open += shape.back() == -1;
  }
  if (open > 1)
    return Unsupported(op, ": a shape with several sizes computed at run time");
  graph::Attributes a;
  a.Set("shape", std::move(shape));
  return context.Emit(op, "Out", "Reshape", {x}, std::move(a));
}

Status Flatten(Context& context, const Operation& op) {
  MUNJA_ASSIGN_OR_RETURN(const ValueId x, context.One(op, "X"));
  const Dims& shape = context.ShapeOf(x);
  const int64_t rank = static_cast<int64_t>(shape.size());
  Ints to;
  if (op.type == "flatten_contiguous_range") {
    MUNJA_ASSIGN_OR_RETURN(int64_t start, op.attributes.Int("start_axis", 1));
    MUNJA_ASSIGN_OR_RETURN(int64_t stop, op.attributes.Int("stop_axis", 1));
    MUNJA_ASSIGN_OR_RETURN(start, NormalizeAxis(start, rank).With(op));
    MUNJA_ASSIGN_OR_RETURN(stop, NormalizeAxis(stop, rank).With(op));
    if (stop < start) return Malformed(op, ": from axis ", start, " to ", stop);
    if (start == stop) return context.Bind(op, "Out", x);
    for (int64_t i = 0; i < start; ++i) to.push_back(0);
    to.push_back(-1);
    // 0 copies the axis of the same index only.
    for (int64_t i = stop + 1; i < rank; ++i) {
      if (shape[i] < 0)
        return Unsupported(op,
                           ": a size known at run time only "
                           "behind the axes that are joined");
      to.push_back(shape[i]);
    }
  } else {
    MUNJA_ASSIGN_OR_RETURN(const int64_t axis, op.attributes.Int("axis", 1));
    if (axis < 0 || axis > rank) return Malformed(op, ": axis ", axis);
    if (axis == 1) {
      to = {0, -1};
    } else {
      MUNJA_ASSIGN_OR_RETURN(
          const int64_t outer,
          CountElements(Dims(shape.begin(), shape.begin() + axis)).With(op));
      to = {outer, -1};
    }
  }
  graph::Attributes a;
  a.Set("shape", std::move(to));
  return context.Emit(op, "Out", "Reshape", {x}, std::move(a));
}

Status Transpose(Context& context, const Operation& op) {
  MUNJA_ASSIGN_OR_RETURN(const ValueId x, context.One(op, "X"));
  bool present = false;
  MUNJA_ASSIGN_OR_RETURN(Ints perm,
                         context.Ints(op, {}, {"axis", "perm"}, &present));
  const int64_t rank = static_cast<int64_t>(context.ShapeOf(x).size());
  for (int64_t& p : perm)
    if (p < 0) p += rank;
  graph::Attributes a;
  a.Set("perm", std::move(perm));
  return context.Emit(op, "Out", "Transpose", {x}, std::move(a));
}

Status Gather(Context& context, const Operation& op) {
  MUNJA_ASSIGN_OR_RETURN(const ValueId x, context.One(op, "X"));
  MUNJA_ASSIGN_OR_RETURN(const ValueId index, context.One(op, "Index"));
  MUNJA_ASSIGN_OR_RETURN(const int64_t axis, Axis(context, op));
  if (context.builder.constant(index) == nullptr) {
    Writer w(context, op);
    ValueId places = index;
    if (w.rank(places) == 2 && w.shape(places)[1] == 1)
      places = w.Squeeze(places, {1});
    return w.Done("Out", w.Gather(x, places, w.Axis(axis, w.rank(x))));
  }
  graph::Attributes a;
  a.Set("axis", axis);
  return context.Emit(op, "Out", "Gather", {x, index}, std::move(a));
}

Status ShapeOp(Context& context, const Operation& op) {
  MUNJA_ASSIGN_OR_RETURN(const ValueId x, context.One(op, "Input"));
  return context.Emit(op, "Out", "Shape", {x});
}

// tile gives the repeats of an axis, expand_v2 its new size (-1: unchanged).
// Both count from the last axis, and may add axes in front.
Status Repeat(Context& context, const Operation& op) {
  MUNJA_ASSIGN_OR_RETURN(ValueId x, context.One(op, "X"));
  const bool is_tile = op.type == "tile";
  bool present = false;
  MUNJA_ASSIGN_OR_RETURN(
      std::vector<int64_t> given,
      is_tile ? context.Ints(op, {"RepeatTimes", "repeat_times_tensor"},
                             {"repeat_times"}, &present)
              : context.Ints(op, {"Shape", "expand_shapes_tensor"}, {"shape"},
                             &present));
  if (!present || given.size() > static_cast<size_t>(kMaxRank))
    return Malformed(op, " does not say how large it becomes");
  const size_t rank = context.ShapeOf(x).size();
  if (given.size() < rank)
    given.insert(given.begin(), rank - given.size(), is_tile ? 1 : -1);
  if (given.size() > rank) {
    std::vector<int64_t> axes;
    for (size_t i = 0; i < given.size() - rank; ++i)
      axes.push_back(static_cast<int64_t>(i));
    graph::Attributes a;
    a.Set("axes", std::move(axes));
    MUNJA_ASSIGN_OR_RETURN(
        x, context.Step(op, "wide", "Unsqueeze", {x}, std::move(a)));
  }
  const Dims shape = context.ShapeOf(x);
  for (size_t i = 0; i < given.size(); ++i) {
    if (!is_tile) {
      if (shape[i] == kUnknown && given[i] != -1)
        return Unsupported(op, ": an axis of unknown size becomes ", given[i]);
      if (given[i] == -1 || given[i] == shape[i])
        given[i] = 1;
      else if (shape[i] != 1)
        return Malformed(op, ": ", shape[i], " elements become ", given[i]);
    }
    if (given[i] < 1 || given[i] > INT32_MAX)
      return Malformed(op, ": ", given[i], " times");
  }
  auto direct = std::make_shared<Direct>();
  direct->types = {context.builder.value(x).type};
  Node node;
  node.op = "TILE";
  node.name = op.name;
  node.direct = std::move(direct);
  const auto axes = static_cast<int64_t>(given.size());
  node.inputs = {
      x, context.builder.AddConstant(
             op.name + "/times",
             Tensor::Integers({axes}, std::move(given), ElementType::kInt32))};
  MUNJA_ASSIGN_OR_RETURN(const std::vector<ValueId> made,
                         context.builder.AddNode(
                             std::move(node), {context.OutputName(op, "Out")}));
  return context.Bind(op, "Out", made[0]);
}

Status Flip(Context& context, const Operation& op) {
  Writer w(context, op);
  ValueId x = w.Need("X");
  for (const int64_t axis : w.Given(op.attributes.Ints("axis"))) {
    if (!w.ok()) break;
    x = w.Tflite("REVERSE_V2", {x, w.List({FromFront(w, axis, x)})}, w.type(x));
  }
  return w.Done("Out", x);
}

// Slices along an axis, each without it.
Status Unstack(Context& context, const Operation& op) {
  Writer w(context, op);
  const char* output = op.type == "unbind" ? "Out" : "Y";
  const ValueId x = w.Need("X");
  const int64_t axis = FromFront(w, w.Given(op.attributes.Int("axis", 0)), x);
  const auto names = op.outputs.find(output);
  const size_t count = names == op.outputs.end() ? 0 : names->second.size();
  if (w.ok() &&
      w.shape(x)[static_cast<size_t>(axis)] != static_cast<int64_t>(count))
    w.Damaged(count, " slices of ", ToString(w.shape(x)));
  for (size_t i = 0; i < count && w.ok(); ++i) {
    const auto at = static_cast<int64_t>(i);
    const ValueId slice = w.Squeeze(w.Slice(x, axis, at, at + 1), {axis});
    if (w.ok()) w.Keep(context.Bind(op, output, slice, i));
  }
  return w.Done();
}

// Broadcasts to the shape of another tensor or to a given shape.
Status ExpandAs(Context& context, const Operation& op) {
  Writer w(context, op);
  const ValueId x = w.Need("X");
  Dims to = w.has("Y") ? w.Static(w.Need("Y"))
                       : w.Given(op.attributes.Ints("target_shape"));
  if (w.ok() && !IsStatic(to)) w.Refuse("a size that is not known");
  return w.Done("Out", w.Expand(x, to));
}

// Elements move along an axis; what leaves at its end comes in at its front.
Status Roll(Context& context, const Operation& op) {
  Writer w(context, op);
  ValueId x = w.Need("X");
  bool present = false;
  const Int64s by =
      w.Given(context.Ints(op, {"ShiftsTensor"}, {"shifts"}, &present));
  Int64s axes = w.Given(op.attributes.Ints("axis"));
  const Dims dims = w.Static(x);
  if (!w.ok()) return w.Done();
  // Without axes the elements are one row.
  const bool is_flat = axes.empty();
  if (is_flat) {
    x = w.Reshape(x, {-1});
    axes = {0};
  }
  if (axes.size() != by.size())
    w.Damaged(by.size(), " shifts of ", axes.size(), " axes");
  for (size_t i = 0; i < axes.size() && w.ok(); ++i) {
    const int64_t axis = FromFront(w, axes[i], x);
    if (!w.ok()) break;
    const int64_t size = w.shape(x)[static_cast<size_t>(axis)];
    const int64_t shift = size > 0 ? (by[i] % size + size) % size : 0;
    if (shift != 0)
      x = w.Concat({w.Slice(x, axis, size - shift, size),
                    w.Slice(x, axis, 0, size - shift)},
                   axis);
  }
  return w.Done("Out", is_flat ? w.Reshape(x, dims) : x);
}

}  // namespace munja::importer::paddle
