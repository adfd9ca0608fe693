#include <algorithm>
#include <string>
#include <utility>

#include "import/lower/lowering_context.h"

namespace munja::importer {
namespace {

using Ints = std::vector<int64_t>;

constexpr int64_t kFar = INT32_MAX;  // Starts and ends beyond: "to the end".

}  // namespace

Status LowerDepthToSpace(LoweringContext& context, const Node& node) {
  const Layout layout = ChannelsLast(4);
  MUNJA_ASSIGN_OR_RETURN(const int64_t block,
                         node.attributes.Int("blocksize", 1));
  MUNJA_ASSIGN_OR_RETURN(const graph::ValueId in,
                         context.In(node.inputs[0], layout));
  graph::Attributes a;
  a.Set("block_size", block);
  context.EmitTo(node, "DEPTH_TO_SPACE", {in}, layout, std::move(a));
  return {};
}

Status LowerConcat(LoweringContext& context, const Node& node) {
  const size_t rank = context.ShapeOf(node.outputs[0]).size();
  MUNJA_ASSIGN_OR_RETURN(int64_t axis, node.attributes.Int("axis", 0));
  MUNJA_ASSIGN_OR_RETURN(axis, NormalizeAxis(axis, rank));
  Layout layout = ChannelsLast(rank);
  for (const ValueId v : node.inputs) {
    if (context.constant(v) != nullptr) continue;
    layout = context.LayoutOf(v);
    break;
  }
  std::vector<graph::ValueId> inputs;
  for (const ValueId v : node.inputs) {
    MUNJA_ASSIGN_OR_RETURN(const graph::ValueId in, context.In(v, layout));
    inputs.push_back(in);
  }
  graph::Attributes a;
  a.Set("axis", int64_t{Position(layout, axis)});
  a.Set("fused_activation_function", std::string("NONE"));
  context.EmitTo(node, "CONCATENATION", std::move(inputs), layout,
                 std::move(a));
  return {};
}

Status LowerSplit(LoweringContext& context, const Node& node) {
  const ValueId x = node.inputs[0];
  MUNJA_ASSIGN_OR_RETURN(int64_t axis, node.attributes.Int("axis", 0));
  MUNJA_ASSIGN_OR_RETURN(axis, NormalizeAxis(axis, context.ShapeOf(x).size()));
  MUNJA_ASSIGN_OR_RETURN(const Ints sizes, node.attributes.Ints("sizes"));
  const Layout layout = context.LayoutOf(x);
  MUNJA_ASSIGN_OR_RETURN(const graph::ValueId in, context.In(x, layout));
  const graph::ValueId where =
      context.Ints(node.name + "/axis", {Position(layout, axis)}, true);
  std::vector<graph::ValueId> outputs;
  for (const ValueId v : node.outputs)
    outputs.push_back(context.Define(v, layout));
  graph::Attributes a;
  a.Set("num_splits", static_cast<int64_t>(outputs.size()));
  if (sizes.empty()) {
    context.Emit(node, "SPLIT", {where, in}, std::move(outputs), std::move(a));
  } else {
    context.Emit(node, "SPLIT_V",
                 {in, context.Ints(node.name + "/sizes", sizes), where},
                 std::move(outputs), std::move(a));
  }
  return {};
}

Status LowerSlice(LoweringContext& context, const Node& node) {
  const ValueId x = node.inputs[0];
  const size_t rank = context.ShapeOf(x).size();
  MUNJA_ASSIGN_OR_RETURN(const Ints axes, node.attributes.Ints("axes"));
  MUNJA_ASSIGN_OR_RETURN(const Ints starts, node.attributes.Ints("starts"));
  MUNJA_ASSIGN_OR_RETURN(const Ints ends, node.attributes.Ints("ends"));
  MUNJA_ASSIGN_OR_RETURN(const Ints steps, node.attributes.Ints("steps"));
  const Layout layout = context.LayoutOf(x);
  MUNJA_ASSIGN_OR_RETURN(const graph::ValueId in, context.In(x, layout));
  Ints begin(rank, 0), end(rank, 0), step(rank, 1);
  int64_t begin_mask = (int64_t{1} << rank) - 1, end_mask = begin_mask;
  for (size_t i = 0; i < axes.size(); ++i) {
    MUNJA_ASSIGN_OR_RETURN(const int64_t a, NormalizeAxis(axes[i], rank));
    const int at = Position(layout, a);
    const int64_t bit = int64_t{1} << at;
    step[at] = steps[i];
    const bool forward = steps[i] > 0;
    if (forward ? starts[i] > -kFar : starts[i] < kFar) {
      begin[at] = starts[i];
      begin_mask &= ~bit;
    }
    if (forward ? ends[i] < kFar : ends[i] > -kFar) {
      end[at] = ends[i];
      end_mask &= ~bit;
    }
  }
  graph::Attributes a;
  a.Set("begin_mask", begin_mask);
  a.Set("end_mask", end_mask);
  for (const char* mask :
       {"ellipsis_mask", "new_axis_mask", "shrink_axis_mask"})
    a.Set(mask, int64_t{0});
  context.EmitTo(node, "STRIDED_SLICE",
                 {in, context.Ints(node.name + "/begin", begin),
                  context.Ints(node.name + "/end", end),
                  context.Ints(node.name + "/step", step)},
                 layout, std::move(a));
  return {};
}

Status LowerSqueeze(LoweringContext& context, const Node& node) {
  const ValueId x = node.inputs[0];
  const Dims& shape = context.ShapeOf(x);
  MUNJA_ASSIGN_OR_RETURN(const Ints given, node.attributes.Ints("axes"));
  std::vector<bool> gone(shape.size(), false);
  for (const int64_t axis : given) {
    MUNJA_ASSIGN_OR_RETURN(const int64_t a, NormalizeAxis(axis, shape.size()));
    gone[a] = true;
  }
  if (given.empty())
    for (size_t i = 0; i < shape.size(); ++i) gone[i] = shape[i] == 1;
  const Layout layout = context.LayoutOf(x);
  MUNJA_ASSIGN_OR_RETURN(const graph::ValueId in, context.In(x, layout));
  Ints axes;
  Layout left;
  for (size_t i = 0; i < layout.size(); ++i) {
    if (gone[layout[i]])
      axes.push_back(static_cast<int64_t>(i));
    else
      left.push_back(static_cast<int>(
          std::count(gone.begin(), gone.begin() + layout[i], false)));
  }
  if (axes.empty()) {
    MUNJA_ASSIGN_OR_RETURN(Placed placed, context.At(x));
    context.Alias(node.outputs[0], std::move(placed));
    return {};
  }
  graph::Attributes a;
  a.Set("squeeze_dims", std::move(axes));
  context.EmitTo(node, "SQUEEZE", {in}, std::move(left), std::move(a));
  return {};
}

Status LowerUnsqueeze(LoweringContext& context, const Node& node) {
  const ValueId x = node.inputs[0];
  const Dims& out = context.ShapeOf(node.outputs[0]);
  MUNJA_ASSIGN_OR_RETURN(const Ints given, node.attributes.Ints("axes"));
  std::vector<bool> added(out.size(), false);
  for (const int64_t axis : given) {
    MUNJA_ASSIGN_OR_RETURN(const int64_t a, NormalizeAxis(axis, out.size()));
    added[a] = true;
  }
  // Neutral axis i of the input is axis kept[i] of the output.
  Layout kept;
  for (size_t i = 0; i < out.size(); ++i)
    if (!added[i]) kept.push_back(static_cast<int>(i));
  const Layout before = context.LayoutOf(x);
  MUNJA_ASSIGN_OR_RETURN(graph::ValueId in, context.In(x, before));
  Layout now;
  for (const int axis : before) now.push_back(kept[axis]);
  // New axes may go anywhere: where the channels come last if that is possible
  // without moving the others, else in front.
  const Layout wanted = ChannelsLast(out.size());
  Layout rest;
  for (const int axis : wanted)
    if (!added[axis]) rest.push_back(axis);
  Layout layout = wanted;
  if (rest != now) {
    layout = now;
    for (size_t i = out.size(); i-- > 0;)
      if (added[i]) layout.insert(layout.begin(), static_cast<int>(i));
  }
  Dims dims = Arrange(context.ShapeOf(x), before);
  Ints positions;
  for (size_t i = 0; i < layout.size(); ++i)
    if (added[layout[i]]) positions.push_back(static_cast<int64_t>(i));
  if (positions.empty()) {
    MUNJA_ASSIGN_OR_RETURN(Placed placed, context.At(x));
    context.Alias(node.outputs[0], std::move(placed));
    return {};
  }
  for (size_t i = 0; i < positions.size(); ++i) {
    const graph::ValueId axis =
        context.Ints(node.name + "/axis", {positions[i]}, true);
    if (i + 1 == positions.size()) {
      context.EmitTo(node, "EXPAND_DIMS", {in, axis}, layout);
    } else {
      dims.insert(dims.begin() + positions[i], 1);
      in = context.Step(node, "expanded", "EXPAND_DIMS", {in, axis}, dims);
    }
  }
  return {};
}

Status LowerReshape(LoweringContext& context, const Node& node) {
  const ValueId x = node.inputs[0];
  const Dims& from = context.ShapeOf(x);
  const Dims& to = context.ShapeOf(node.outputs[0]);
  MUNJA_ASSIGN_OR_RETURN(const Ints given, node.attributes.Ints("shape"));
  // A reshape keeps the neutral order of the elements, so the tensor must have
  // that order; axes of size 1 may lie anywhere.
  Layout in_layout = context.LayoutOf(x);
  if (!SameOrder(from, in_layout, IdentityLayout(from.size())))
    in_layout = IdentityLayout(from.size());
  Layout out_layout = ChannelsLast(to.size());
  if (!SameOrder(to, out_layout, IdentityLayout(to.size())))
    out_layout = IdentityLayout(to.size());
  MUNJA_ASSIGN_OR_RETURN(const graph::ValueId in, context.In(x, in_layout));
  const int open = static_cast<int>(std::count(to.begin(), to.end(), kUnknown));
  std::vector<RuntimeSize> sizes;
  int inferred = 0;
  for (const int axis : out_layout) {
    RuntimeSize size;
    size.number = to[axis];
    if (to[axis] < 0 && open > 1) {
      // Copied axes are looked up; the one that is left is inferred.
      if (given[axis] == 0) {
        size.tensor = in;
        size.axis = Position(in_layout, axis);
      } else if (++inferred > 1) {
        return Unsupported("a shape with several unknown sizes");
      }
    }
    sizes.push_back(size);
  }
  const graph::ValueId shape = context.SizeVector(node, "shape", sizes);
  graph::Attributes a;
  if (open <= 1) a.Set("new_shape", Arrange(to, out_layout));
  context.EmitTo(node, "RESHAPE", {in, shape}, out_layout, std::move(a));
  return {};
}

Status LowerTranspose(LoweringContext& context, const Node& node) {
  const ValueId x = node.inputs[0];
  MUNJA_ASSIGN_OR_RETURN(const Ints perm, node.attributes.Ints("perm"));
  MUNJA_ASSIGN_OR_RETURN(Placed placed, context.At(x));
  // Axis j of the result is axis perm[j] of the input.
  for (int& axis : placed.layout)
    axis = static_cast<int>(std::find(perm.begin(), perm.end(), axis) -
                            perm.begin());
  context.Alias(node.outputs[0], std::move(placed));
  return {};
}

Status LowerPad(LoweringContext& context, const Node& node) {
  const ValueId x = node.inputs[0];
  const size_t rank = context.ShapeOf(x).size();
  MUNJA_ASSIGN_OR_RETURN(const Ints given, node.attributes.Ints("pads"));
  MUNJA_ASSIGN_OR_RETURN(const double value, node.attributes.Float("value", 0));
  MUNJA_ASSIGN_OR_RETURN(const std::string mode,
                         node.attributes.Text("mode", "constant"));
  const Layout layout = context.LayoutOf(x);
  MUNJA_ASSIGN_OR_RETURN(const graph::ValueId in, context.In(x, layout));
  Ints pads;
  for (const int axis : layout) {
    pads.push_back(given[axis]);
    pads.push_back(given[axis + rank]);
  }
  const graph::ValueId paddings = context.Ints(node.name + "/paddings", pads);
  context.subgraph.values[paddings].shape =
      Shape({static_cast<int32_t>(rank), 2});
  if (mode == "reflect") {
    graph::Attributes a;
    a.Set("mode", std::string("REFLECT"));
    context.EmitTo(node, "MIRROR_PAD", {in, paddings}, layout, std::move(a));
  } else if (value == 0) {
    context.EmitTo(node, "PAD", {in, paddings}, layout);
  } else {
    const graph::ValueId with = context.Floats(node.name + "/padding", {1},
                                               {static_cast<float>(value)});
    context.EmitTo(node, "PADV2", {in, paddings, with}, layout);
  }
  return {};
}

Status LowerGather(LoweringContext& context, const Node& node) {
  const ValueId x = node.inputs[0];
  const Dims& shape = context.ShapeOf(x);
  const Tensor* indices = context.constant(node.inputs[1]);
  if (indices == nullptr) return Unsupported("indices computed at run time");
  MUNJA_ASSIGN_OR_RETURN(int64_t axis, node.attributes.Int("axis", 0));
  MUNJA_ASSIGN_OR_RETURN(axis, NormalizeAxis(axis, shape.size()));
  Ints positions = indices->integers;
  for (int64_t& i : positions) {
    if (i < 0 && shape[axis] < 0)
      return Unsupported("an index from the end of an axis of unknown size");
    if (i < 0) i += shape[axis];
  }
  MUNJA_ASSIGN_OR_RETURN(const graph::ValueId in,
                         context.In(x, IdentityLayout(shape.size())));
  const graph::ValueId where = context.Ints(node.name + "/indices", positions);
  Shape index_shape;
  for (const int64_t d : indices->shape)
    index_shape.Append(static_cast<int32_t>(d));
  context.subgraph.values[where].shape = index_shape;
  graph::Attributes a;
  a.Set("axis", axis);
  a.Set("batch_dims", int64_t{0});
  context.EmitTo(node, "GATHER", {in, where},
                 IdentityLayout(context.ShapeOf(node.outputs[0]).size()),
                 std::move(a));
  return {};
}

}  // namespace munja::importer
