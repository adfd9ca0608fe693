#include <cmath>
#include <string>
#include <utility>

#include "import/lower/lowering_context.h"

namespace munja::importer {
namespace {

// The layout a node without constraints takes: that of its input.
Layout Follow(LoweringContext& context, ValueId v) {
  return context.constant(v) != nullptr
             ? ChannelsLast(context.ShapeOf(v).size())
             : context.LayoutOf(v);
}

// The builtin has an alpha of 1: max(x, 0) + alpha * (elu(x) - max(x, 0)).
Status LowerScaledElu(LoweringContext& context, const Node& node,
                      graph::ValueId in, const Layout& layout, double alpha) {
  const Dims dims = Arrange(context.ShapeOf(node.outputs[0]), layout);
  const graph::ValueId top = context.Step(node, "top", "RELU", {in}, dims);
  graph::ValueId below = context.Step(node, "elu", "ELU", {in}, dims);
  below =
      context.Step(node, "below", "SUB", {below, top}, dims, NoActivation());
  const graph::ValueId factor = context.Number(
      node.name + "/alpha", dims.size(), static_cast<float>(alpha));
  below = context.Step(node, "scaled", "MUL", {below, factor}, dims,
                       NoActivation());
  context.EmitTo(node, "ADD", {top, below}, layout, NoActivation());
  return {};
}

}  // namespace

Status LowerUnary(LoweringContext& context, const Node& node) {
  struct Row {
    const char* op;
    const char* builtin;
  };
  static constexpr Row kRows[] = {
      {"Relu", "RELU"},   {"LeakyRelu", "LEAKY_RELU"},
      {"Elu", "ELU"},     {"Sigmoid", "LOGISTIC"},
      {"Tanh", "TANH"},   {"Exp", "EXP"},
      {"Log", "LOG"},     {"Sqrt", "SQRT"},
      {"Rsqrt", "RSQRT"}, {"Square", "SQUARE"},
      {"Abs", "ABS"},     {"Neg", "NEG"},
      {"Floor", "FLOOR"}, {"Ceil", "CEIL"},
      {"Sin", "SIN"},     {"Cos", "COS"},
      {"Gelu", "GELU"},
  };
  const ValueId x = node.inputs[0];
  if (node.op == "Relu" && context.FuseActivation(x, node.outputs[0], "RELU"))
    return {};
  const Layout layout = Follow(context, x);
  MUNJA_ASSIGN_OR_RETURN(const graph::ValueId in, context.In(x, layout));
  if (node.op == "Reciprocal") {
    const graph::ValueId one = context.Number("one", layout.size(), 1.0f);
    context.EmitTo(node, "DIV", {one, in}, layout, NoActivation());
    return {};
  }
  graph::Attributes a;
  if (node.op == "LeakyRelu") {
    MUNJA_ASSIGN_OR_RETURN(const double alpha,
                           node.attributes.Float("alpha", 0.01));
    a.Set("alpha", alpha);
  } else if (node.op == "Elu") {
    MUNJA_ASSIGN_OR_RETURN(const double alpha,
                           node.attributes.Float("alpha", 1));
    if (alpha != 1) return LowerScaledElu(context, node, in, layout, alpha);
  } else if (node.op == "Gelu") {
    MUNJA_ASSIGN_OR_RETURN(const int64_t approximate,
                           node.attributes.Int("approximate", 0));
    a.Set("approximate", approximate != 0);
  }
  for (const Row& row : kRows) {
    if (node.op != row.op) continue;
    context.EmitTo(node, row.builtin, {in}, layout, std::move(a));
    return {};
  }
  return Internal("no builtin name");
}

// QUANTIZE and DEQUANTIZE: integer execution finds them there.
Status LowerFakeQuantize(LoweringContext& context, const Node& node) {
  const graph::Attributes& given = node.attributes;
  MUNJA_ASSIGN_OR_RETURN(const double scale, given.Float("scale", 1));
  MUNJA_ASSIGN_OR_RETURN(const double zero, given.Float("zero", 0));
  MUNJA_ASSIGN_OR_RETURN(const double low, given.Float("min", -128));
  const Layout layout = Follow(context, node.inputs[0]);
  MUNJA_ASSIGN_OR_RETURN(const graph::ValueId in,
                         context.In(node.inputs[0], layout));
  const graph::ValueId stored =
      context.Step(node, "stored", "QUANTIZE", {in},
                   Arrange(context.ShapeOf(node.outputs[0]), layout), {},
                   ElementType::kInt8);
  // uint8 holds the same values shifted by 128.
  context.subgraph.values[stored].quantization = {
      {static_cast<float>(scale)},
      {static_cast<int64_t>(zero - (low + 128))},
      0};
  context.EmitTo(node, "DEQUANTIZE", {stored}, layout).version = 2;
  return {};
}

Status LowerIdentity(LoweringContext& context, const Node& node) {
  if (context.constant(node.inputs[0]) != nullptr)
    return Unsupported("a constant result");
  MUNJA_ASSIGN_OR_RETURN(Placed placed, context.At(node.inputs[0]));
  context.Alias(node.outputs[0], std::move(placed));
  return {};
}

// 2 * Gelu(t) / t - 1 where t = sqrt(2) x, and the slope at 0 near it.
Status LowerErf(LoweringContext& context, const Node& node) {
  const ValueId x = node.inputs[0];
  const Layout layout = Follow(context, x);
  const Dims dims = Arrange(context.ShapeOf(x), layout);
  MUNJA_ASSIGN_OR_RETURN(const graph::ValueId in, context.In(x, layout));
  const auto number = [&](float v) {
    return context.Number(node.name + "/number", layout.size(), v);
  };
  const auto binary = [&](const char* op, graph::ValueId a, graph::ValueId b) {
    return context.Step(node, "erf", op, {a, b}, dims, NoActivation());
  };
  const graph::ValueId t = binary("MUL", in, number(1.41421356f));
  const graph::ValueId size = context.Step(node, "erf", "ABS", {in}, dims);
  const graph::ValueId near =
      context.Step(node, "near", "LESS", {size, number(1e-3f)}, dims, {},
                   ElementType::kBool);
  const graph::ValueId safe =
      context.Step(node, "erf", "SELECT_V2", {near, number(1.0f), t}, dims);
  graph::Attributes exact;
  exact.Set("approximate", false);
  graph::ValueId y =
      context.Step(node, "erf", "GELU", {safe}, dims, std::move(exact));
  y = binary("MUL", binary("DIV", y, safe), number(2.0f));
  y = binary("SUB", y, number(1.0f));
  const graph::ValueId slope = binary("MUL", in, number(1.12837917f));
  context.EmitTo(node, "SELECT_V2", {near, slope, y}, layout);
  return {};
}

Status LowerCopy(LoweringContext& context, const Node& node) {
  const ValueId x = node.inputs[0];
  const Dims& shape = context.ShapeOf(x);
  const Layout layout = ChannelsLast(shape.size());
  MUNJA_ASSIGN_OR_RETURN(const graph::ValueId in, context.In(x, layout));
  std::vector<RuntimeSize> sizes;
  for (const int axis : layout) {
    RuntimeSize size;
    size.number = shape[axis];
    if (shape[axis] < 0) {
      size.tensor = in;
      size.axis = Position(layout, axis);
    }
    sizes.push_back(size);
  }
  graph::Attributes a;
  if (IsStatic(shape)) a.Set("new_shape", Arrange(shape, layout));
  context.EmitTo(node, "RESHAPE",
                 {in, context.SizeVector(node, "shape", sizes)}, layout,
                 std::move(a));
  return {};
}

// The sizes as the neutral model orders them.
Status LowerShape(LoweringContext& context, const Node& node) {
  const ValueId x = node.inputs[0];
  const Layout layout = Follow(context, x);
  MUNJA_ASSIGN_OR_RETURN(const graph::ValueId in, context.In(x, layout));
  graph::Attributes a;
  a.Set("out_type", std::string("INT64"));
  if (layout == IdentityLayout(layout.size())) {
    context.EmitTo(node, "SHAPE", {in}, {0}, std::move(a));
    return {};
  }
  const Dims count = {static_cast<int64_t>(layout.size())};
  const graph::ValueId sizes =
      context.Step(node, "sizes", "SHAPE", {in}, count, std::move(a));
  std::vector<int64_t> order;
  for (size_t i = 0; i < layout.size(); ++i)
    order.push_back(Position(layout, static_cast<int64_t>(i)));
  graph::Attributes axis;
  axis.Set("axis", int64_t{0});
  axis.Set("batch_dims", int64_t{0});
  context.EmitTo(node, "GATHER",
                 {sizes, context.Ints(node.name + "/order", order)}, {0},
                 std::move(axis));
  return {};
}

Status LowerClip(LoweringContext& context, const Node& node) {
  constexpr double kMost = 3.4e38;
  const ValueId x = node.inputs[0], y = node.outputs[0];
  MUNJA_ASSIGN_OR_RETURN(const double low,
                         node.attributes.Float("min", -kMost));
  MUNJA_ASSIGN_OR_RETURN(const double high,
                         node.attributes.Float("max", kMost));
  const char* builtin = low == 0 && high == 6       ? "RELU6"
                        : low == -1 && high == 1    ? "RELU_N1_TO_1"
                        : low == 0 && high == 1     ? "RELU_0_TO_1"
                        : low == 0 && high >= kMost ? "RELU"
                                                    : nullptr;
  if (builtin != nullptr && std::string(builtin) != "RELU_0_TO_1" &&
      context.FuseActivation(x, y, builtin))
    return {};
  const Layout layout = Follow(context, x);
  MUNJA_ASSIGN_OR_RETURN(graph::ValueId in, context.In(x, layout));
  if (builtin != nullptr) {
    context.EmitTo(node, builtin, {in}, layout);
    return {};
  }
  const Dims dims = Arrange(context.ShapeOf(x), layout);
  const graph::ValueId lowest = context.Number(
      node.name + "/min", layout.size(), static_cast<float>(low));
  const graph::ValueId highest = context.Number(
      node.name + "/max", layout.size(), static_cast<float>(high));
  in = context.Step(node, "raised", "MAXIMUM", {in, lowest}, dims);
  context.EmitTo(node, "MINIMUM", {in, highest}, layout);
  return {};
}

Status LowerHardSwish(LoweringContext& context, const Node& node) {
  const ValueId x = node.inputs[0];
  MUNJA_ASSIGN_OR_RETURN(const double alpha,
                         node.attributes.Float("alpha", 1.0 / 6));
  MUNJA_ASSIGN_OR_RETURN(const double beta, node.attributes.Float("beta", 0.5));
  const Layout layout = Follow(context, x);
  MUNJA_ASSIGN_OR_RETURN(const graph::ValueId in, context.In(x, layout));
  // Files round 1/6 to six digits or more.
  if (std::fabs(alpha - 1.0 / 6) < 1e-5 && beta == 0.5) {
    context.EmitTo(node, "HARD_SWISH", {in}, layout);
    return {};
  }
  const Dims dims = Arrange(context.ShapeOf(x), layout);
  const graph::ValueId a = context.Number(node.name + "/alpha", layout.size(),
                                          static_cast<float>(alpha));
  const graph::ValueId b = context.Number(node.name + "/beta", layout.size(),
                                          static_cast<float>(beta));
  graph::ValueId gate =
      context.Step(node, "scaled", "MUL", {in, a}, dims, NoActivation());
  gate = context.Step(node, "moved", "ADD", {gate, b}, dims, NoActivation());
  gate = context.Step(node, "gate", "RELU_0_TO_1", {gate}, dims);
  context.EmitTo(node, "MUL", {in, gate}, layout, NoActivation());
  return {};
}

Status LowerPRelu(LoweringContext& context, const Node& node) {
  const ValueId x = node.inputs[0];
  const size_t rank = context.ShapeOf(x).size();
  if (context.constant(node.inputs[1]) == nullptr)
    return Unsupported("slopes computed at run time");
  const Layout layout = Follow(context, x);
  MUNJA_ASSIGN_OR_RETURN(const graph::ValueId in, context.In(x, layout));
  const graph::ValueId slope =
      context.BroadcastConstant(node.inputs[1], rank, layout);
  context.EmitTo(node, "PRELU", {in, slope}, layout);
  return {};
}

Status LowerBinary(LoweringContext& context, const Node& node) {
  const size_t rank = context.ShapeOf(node.outputs[0]).size();
  Layout layout = ChannelsLast(rank);
  for (int i = 1; i >= 0; --i) {
    const ValueId v = node.inputs[i];
    if (context.constant(v) == nullptr && context.ShapeOf(v).size() == rank)
      layout = context.LayoutOf(v);
  }
  std::vector<graph::ValueId> inputs;
  for (const ValueId v : node.inputs) {
    const Dims& shape = context.ShapeOf(v);
    if (context.constant(v) != nullptr) {
      inputs.push_back(context.BroadcastConstant(v, rank, layout));
      continue;
    }
    if (shape.size() == rank) {
      MUNJA_ASSIGN_OR_RETURN(const graph::ValueId in, context.In(v, layout));
      inputs.push_back(in);
      continue;
    }
    // Fewer axes: add them in front, then transpose.
    MUNJA_ASSIGN_OR_RETURN(graph::ValueId in,
                           context.In(v, IdentityLayout(shape.size())));
    Dims wide = shape;
    while (wide.size() < rank) {
      wide.insert(wide.begin(), 1);
      const graph::ValueId axis = context.Ints(node.name + "/axis", {0}, true);
      in = context.Step(node, "wide", "EXPAND_DIMS", {in, axis}, wide);
    }
    if (layout != IdentityLayout(rank)) {
      const graph::ValueId perm =
          context.Ints(node.name + "/perm",
                       std::vector<int64_t>(layout.begin(), layout.end()));
      in = context.Step(node, "turned", "TRANSPOSE", {in, perm},
                        Arrange(wide, layout));
    }
    inputs.push_back(in);
  }
  const bool fuses = node.op != "Max" && node.op != "Min" && node.op != "Pow";
  const char* builtin = node.op == "Add"   ? "ADD"
                        : node.op == "Sub" ? "SUB"
                        : node.op == "Mul" ? "MUL"
                        : node.op == "Div" ? "DIV"
                        : node.op == "Max" ? "MAXIMUM"
                        : node.op == "Min" ? "MINIMUM"
                                           : "POW";
  context.EmitTo(node, builtin, std::move(inputs), std::move(layout),
                 fuses ? NoActivation() : graph::Attributes());
  return {};
}

}  // namespace munja::importer
