#include <algorithm>
#include <string>
#include <utility>

#include "import/lower/lowering_context.h"

namespace munja::importer {

Status LowerReduce(LoweringContext& context, const Node& node) {
  const ValueId x = node.inputs[0];
  const size_t rank = context.ShapeOf(x).size();
  MUNJA_ASSIGN_OR_RETURN(const Dims given, node.attributes.Ints("axes"));
  MUNJA_ASSIGN_OR_RETURN(const int64_t keep,
                         node.attributes.Int("keepdims", 1));
  std::vector<bool> reduced(rank, given.empty());
  for (const int64_t axis : given) {
    MUNJA_ASSIGN_OR_RETURN(const int64_t a, NormalizeAxis(axis, rank));
    reduced[a] = true;
  }
  const Layout layout = context.LayoutOf(x);
  MUNJA_ASSIGN_OR_RETURN(const graph::ValueId in, context.In(x, layout));
  std::vector<int64_t> axes;
  Layout left;
  for (size_t i = 0; i < rank; ++i) {
    if (reduced[layout[i]])
      axes.push_back(static_cast<int64_t>(i));
    else  // Its number among the axes that remain.
      left.push_back(static_cast<int>(
          std::count(reduced.begin(), reduced.begin() + layout[i], false)));
  }
  const char* builtin = node.op == "ReduceMean"  ? "MEAN"
                        : node.op == "ReduceSum" ? "SUM"
                        : node.op == "ReduceMax" ? "REDUCE_MAX"
                                                 : "REDUCE_MIN";
  graph::Attributes a;
  a.Set("keep_dims", keep != 0);
  context.EmitTo(node, builtin, {in, context.Ints(node.name + "/axes", axes)},
                 keep != 0 ? layout : left, std::move(a));
  return {};
}

Status LowerArgMax(LoweringContext& context, const Node& node) {
  const ValueId x = node.inputs[0];
  MUNJA_ASSIGN_OR_RETURN(int64_t axis, node.attributes.Int("axis", 0));
  MUNJA_ASSIGN_OR_RETURN(axis, NormalizeAxis(axis, context.ShapeOf(x).size()));
  MUNJA_ASSIGN_OR_RETURN(const int64_t keep,
                         node.attributes.Int("keepdims", 1));
  const Layout layout = context.LayoutOf(x);
  MUNJA_ASSIGN_OR_RETURN(const graph::ValueId in, context.In(x, layout));
  const int at = Position(layout, axis);
  const graph::ValueId where =
      context.Ints(node.name + "/axis", {at}, /*scalar=*/true);
  graph::Attributes a;
  a.Set("output_type", std::string("INT64"));
  Layout left;  // The remaining axes.
  for (const int i : layout)
    if (i != axis) left.push_back(i > axis ? i - 1 : i);
  if (keep == 0) {
    const graph::ValueId out =
        context.Define(node.outputs[0], std::move(left), ElementType::kInt64);
    context.Emit(node, "ARG_MAX", {in, where}, {out}, std::move(a));
    return {};
  }
  Dims dims = Arrange(context.ShapeOf(x), layout);
  dims.erase(dims.begin() + at);
  const graph::ValueId index =
      context.Step(node, "index", "ARG_MAX", {in, where}, dims, std::move(a),
                   ElementType::kInt64);
  const graph::ValueId out =
      context.Define(node.outputs[0], layout, ElementType::kInt64);
  context.Emit(node, "EXPAND_DIMS", {index, where}, {out});
  return {};
}

// Integers to floats; all floats are one type here.
Status LowerCast(LoweringContext& context, const Node& node) {
  const ValueId x = node.inputs[0];
  if (context.constant(x) != nullptr) return Unsupported("a constant result");
  MUNJA_ASSIGN_OR_RETURN(const Placed at, context.At(x));
  graph::Attributes a;
  // The types are those of the tensors.
  context.EmitTo(node, "CAST", {at.id}, at.layout, std::move(a));
  return {};
}

Status LowerSoftmax(LoweringContext& context, const Node& node) {
  const ValueId x = node.inputs[0];
  MUNJA_ASSIGN_OR_RETURN(int64_t axis, node.attributes.Int("axis", -1));
  MUNJA_ASSIGN_OR_RETURN(axis, NormalizeAxis(axis, context.ShapeOf(x).size()));
  Layout layout = context.LayoutOf(x);
  if (layout.back() != axis) {
    std::erase(layout, static_cast<int>(axis));
    layout.push_back(static_cast<int>(axis));
  }
  MUNJA_ASSIGN_OR_RETURN(const graph::ValueId in, context.In(x, layout));
  graph::Attributes a;
  a.Set("beta", 1.0);
  context.EmitTo(node, "SOFTMAX", {in}, layout, std::move(a));
  return {};
}

Status LowerLayerNorm(LoweringContext& context, const Node& node) {
  const ValueId x = node.inputs[0];
  const Dims& shape = context.ShapeOf(x);
  const int last = static_cast<int>(shape.size()) - 1;
  MUNJA_ASSIGN_OR_RETURN(const double epsilon,
                         node.attributes.Float("epsilon", 1e-5));
  for (size_t i = 1; i < node.inputs.size(); ++i)
    if (node.inputs[i] != kNoValue && !context.constant(node.inputs[i]))
      return Unsupported("parameters computed at run time");
  Layout layout = context.LayoutOf(x);
  if (layout.back() != last) layout = IdentityLayout(shape.size());
  MUNJA_ASSIGN_OR_RETURN(const graph::ValueId in, context.In(x, layout));
  const Dims dims = Arrange(shape, layout);
  Dims row = dims;
  row.back() = 1;
  graph::Attributes keep;
  keep.Set("keep_dims", true);
  const graph::ValueId axis = context.Ints(node.name + "/axis", {last});
  const graph::ValueId mean =
      context.Step(node, "mean", "MEAN", {in, axis}, row, keep);
  const graph::ValueId squares =
      context.Step(node, "squares", "SQUARED_DIFFERENCE", {in, mean}, dims);
  graph::ValueId scale =
      context.Step(node, "variance", "MEAN", {squares, axis}, row, keep);
  const graph::ValueId small = context.Floats(node.name + "/epsilon", {1},
                                              {static_cast<float>(epsilon)});
  scale =
      context.Step(node, "moved", "ADD", {scale, small}, row, NoActivation());
  scale = context.Step(node, "scale", "RSQRT", {scale}, row);
  graph::ValueId y =
      context.Step(node, "centered", "SUB", {in, mean}, dims, NoActivation());
  y = context.Step(node, "normal", "MUL", {y, scale}, dims, NoActivation());
  const graph::ValueId gamma =
      context.BroadcastConstant(node.inputs[1], 1, {0});
  if (node.inputs.size() < 3 || node.inputs[2] == kNoValue) {
    context.EmitTo(node, "MUL", {y, gamma}, layout, NoActivation());
    return {};
  }
  y = context.Step(node, "scaled", "MUL", {y, gamma}, dims, NoActivation());
  const graph::ValueId beta = context.BroadcastConstant(node.inputs[2], 1, {0});
  context.EmitTo(node, "ADD", {y, beta}, layout, NoActivation());
  return {};
}

Status LowerMatMul(LoweringContext& context, const Node& node) {
  const ValueId x = node.inputs[0], w = node.inputs[1];
  const size_t rank = context.ShapeOf(x).size();
  const Tensor* weights = context.constant(w);
  if (weights != nullptr && weights->shape.size() == 2 &&
      context.constant(x) == nullptr) {
    // Rows may come in any order as long as each lies together.
    Layout layout = context.LayoutOf(x);
    if (layout.back() != static_cast<int>(rank) - 1)
      layout = IdentityLayout(rank);
    MUNJA_ASSIGN_OR_RETURN(const graph::ValueId in, context.In(x, layout));
    MUNJA_ASSIGN_OR_RETURN(const graph::ValueId turned,
                           context.In(w, Layout{1, 0}));
    const graph::ValueId bias =
        node.inputs.size() > 2
            ? context.BroadcastConstant(node.inputs[2], 1, {0})
            : context.Floats(node.name + "/bias", {weights->shape[1]},
                             std::vector<float>(weights->shape[1], 0.0f));
    graph::Attributes a = NoActivation();
    a.Set("weights_format", std::string("DEFAULT"));
    a.Set("keep_num_dims", rank > 2);
    a.Set("asymmetric_quantize_inputs", false);
    graph::Node& out = context.EmitTo(node, "FULLY_CONNECTED",
                                      {in, turned, bias}, layout, std::move(a));
    out.version = rank > 2 ? 5 : 1;
    return {};
  }
  if (node.inputs.size() > 2)
    return Internal("a product without constant weights has a bias");
  const size_t other = context.ShapeOf(w).size();
  if (std::max(rank, other) > 5) return Unsupported("more than 5 axes");
  MUNJA_ASSIGN_OR_RETURN(const graph::ValueId a,
                         context.In(x, IdentityLayout(rank)));
  MUNJA_ASSIGN_OR_RETURN(const graph::ValueId b,
                         context.In(w, IdentityLayout(other)));
  graph::Attributes attributes;
  attributes.Set("adj_x", false);
  attributes.Set("adj_y", false);
  attributes.Set("asymmetric_quantize_inputs", false);
  context.EmitTo(node, "BATCH_MATMUL", {a, b},
                 IdentityLayout(std::max(rank, other)), std::move(attributes));
  return {};
}

}  // namespace munja::importer
