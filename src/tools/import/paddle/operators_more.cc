// Operators that are written with others.
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "import/composed.h"
#include "import/paddle/context.h"
#include "tensor/shape.h"

namespace munja::foreign::paddle {
namespace {

// Beyond the threshold they are the number itself, which nobody can tell from
// 15 on.
Status CheckThreshold(const Operation& op) {
  MUNJA_ASSIGN_OR_RETURN(const double threshold,
                         op.attributes.Float("threshold", 20));
  if (threshold >= 15) return {};
  return Unsupported(op, ": threshold ", threshold);
}

// The channels of a map in this order.
Result<ValueId> Reorder(Context& context, const Operation& op, ValueId x,
                        const std::vector<int64_t>& order) {
  const ValueId indices = context.builder.AddConstant(
      op.name + "/order",
      Tensor::Integers({static_cast<int64_t>(order.size())}, order));
  graph::Attributes a;
  a.Set("axis", int64_t{1});
  return context.Step(op, "ordered", "Gather", {x, indices}, std::move(a));
}

// How many channels a map has, which must be a multiple of this.
Result<int64_t> Channels(Context& context, const Operation& op, ValueId x,
                         int64_t parts) {
  const Dims& shape = context.ShapeOf(x);
  if (shape.size() != 4 || shape[1] < 1)
    return Unsupported(op, ": a map of shape ", ToString(shape));
  if (parts < 1 || shape[1] % parts != 0)
    return Malformed(op, ": ", parts, " parts of ", shape[1], " channels");
  return shape[1];
}

// One number for each channel of a map, as it stands beside it.
Result<ValueId> PerChannel(Context& context, const Operation& op,
                           const char* parameter, int64_t channels) {
  MUNJA_ASSIGN_OR_RETURN(const Tensor* given, context.Constant(op, parameter));
  if (given == nullptr) return kNoValue;
  if (given->is_integer || given->elements() != static_cast<size_t>(channels))
    return Malformed(op, ": ", parameter, " is ", ToString(given->shape),
                     " for ", channels, " channels");
  Tensor t = *given;
  t.shape = {channels, 1, 1};
  return context.builder.AddConstant(op.name + "/" + parameter, std::move(t));
}

}  // namespace

Status Softplus(Context& context, const Operation& op) {
  MUNJA_ASSIGN_OR_RETURN(ValueId x, context.One(op, "X"));
  MUNJA_ASSIGN_OR_RETURN(const double beta, op.attributes.Float("beta", 1));
  MUNJA_RETURN_IF_ERROR(CheckThreshold(op));
  if (!(beta > 0)) return Malformed(op, ": beta ", beta);
  if (beta != 1) {
    MUNJA_ASSIGN_OR_RETURN(
        x, context.Step(op, "scaled", "Mul", {x, context.Number(beta)}));
  }
  MUNJA_ASSIGN_OR_RETURN(const ValueId y,
                         LogOnePlusExp(context, op, x, context.Number(1)));
  if (beta == 1) return context.Bind(op, "Out", y);
  return context.Emit(op, "Out", "Mul", {y, context.Number(1 / beta)});
}

// -log(1 + exp(-x))
Status LogSigmoid(Context& context, const Operation& op) {
  MUNJA_ASSIGN_OR_RETURN(ValueId y, context.One(op, "X"));
  MUNJA_ASSIGN_OR_RETURN(y, context.Step(op, "turned", "Neg", {y}));
  MUNJA_ASSIGN_OR_RETURN(y, LogOnePlusExp(context, op, y, context.Number(1)));
  return context.Emit(op, "Out", "Neg", {y});
}

Status Mish(Context& context, const Operation& op) {
  MUNJA_ASSIGN_OR_RETURN(const ValueId x, context.One(op, "X"));
  MUNJA_RETURN_IF_ERROR(CheckThreshold(op));
  MUNJA_ASSIGN_OR_RETURN(ValueId y,
                         LogOnePlusExp(context, op, x, context.Number(1)));
  MUNJA_ASSIGN_OR_RETURN(y, context.Step(op, "gate", "Tanh", {y}));
  return context.Emit(op, "Out", "Mul", {x, y});
}

Status LogSoftmax(Context& context, const Operation& op) {
  MUNJA_ASSIGN_OR_RETURN(const ValueId x, context.One(op, "X"));
  MUNJA_ASSIGN_OR_RETURN(const int64_t axis, op.attributes.Int("axis", -1));
  graph::Attributes largest, sum;
  for (graph::Attributes* a : {&largest, &sum}) {
    a->Set("axes", std::vector<int64_t>{axis});
    a->Set("keepdims", int64_t{1});
  }
  MUNJA_ASSIGN_OR_RETURN(ValueId y, context.Step(op, "largest", "ReduceMax",
                                                 {x}, std::move(largest)));
  MUNJA_ASSIGN_OR_RETURN(const ValueId below,
                         context.Step(op, "below", "Sub", {x, y}));
  MUNJA_ASSIGN_OR_RETURN(y, context.Step(op, "exp", "Exp", {below}));
  MUNJA_ASSIGN_OR_RETURN(
      y, context.Step(op, "sum", "ReduceSum", {y}, std::move(sum)));
  MUNJA_ASSIGN_OR_RETURN(y, context.Step(op, "log", "Log", {y}));
  return context.Emit(op, "Out", "Sub", {below, y});
}

// Of any number of tensors.
Status AddAll(Context& context, const Operation& op) {
  MUNJA_ASSIGN_OR_RETURN(const std::vector<ValueId> all, context.All(op, "X"));
  if (all.empty()) return Malformed(op, " lacks its input X");
  ValueId sum = all[0];
  for (size_t i = 1; i < all.size(); ++i) {
    MUNJA_ASSIGN_OR_RETURN(sum, context.Step(op, "sum", "Add", {sum, all[i]}));
  }
  return context.Bind(op, "Out", sum);
}

Status PixelShuffle(Context& context, const Operation& op) {
  MUNJA_ASSIGN_OR_RETURN(ValueId x, context.One(op, "X"));
  MUNJA_ASSIGN_OR_RETURN(const int64_t block,
                         op.attributes.Int("upscale_factor", 1));
  MUNJA_RETURN_IF_ERROR(NeedChannelsFirst(op));
  if (block < 1 || block > 1024)
    return Malformed(op, ": upscale_factor ", block);
  const int64_t places = block * block;
  MUNJA_ASSIGN_OR_RETURN(const int64_t channels,
                         Channels(context, op, x, places));
  const int64_t own = channels / places;
  std::vector<int64_t> order(static_cast<size_t>(channels));
  for (int64_t p = 0; p < places; ++p)
    for (int64_t c = 0; c < own; ++c)
      order[static_cast<size_t>(p * own + c)] = c * places + p;
  MUNJA_ASSIGN_OR_RETURN(x, Reorder(context, op, x, order));
  graph::Attributes a;
  a.Set("blocksize", block);
  return context.Emit(op, "Out", "DepthToSpace", {x}, std::move(a));
}

// instance_norm, where each channel is a group, too.
Status GroupNorm(Context& context, const Operation& op) {
  MUNJA_ASSIGN_OR_RETURN(const ValueId x, context.One(op, "X"));
  MUNJA_ASSIGN_OR_RETURN(const double epsilon,
                         op.attributes.Float("epsilon", 1e-5));
  MUNJA_RETURN_IF_ERROR(NeedChannelsFirst(op));
  MUNJA_ASSIGN_OR_RETURN(const int64_t groups, op.attributes.Int("groups", 1));
  const bool grouped = op.type == "group_norm";
  MUNJA_ASSIGN_OR_RETURN(const int64_t channels,
                         Channels(context, op, x, grouped ? groups : 1));
  const int64_t own = grouped ? channels / groups : 1;
  MUNJA_ASSIGN_OR_RETURN(const ValueId scale,
                         PerChannel(context, op, "Scale", channels));
  MUNJA_ASSIGN_OR_RETURN(const ValueId bias,
                         PerChannel(context, op, "Bias", channels));
  MUNJA_ASSIGN_OR_RETURN(const ValueId y,
                         NormalizeGroups(context, op, x, channels, own,
                                         context.Number(epsilon), scale, bias));
  return context.Bind(op, "Y", y);
}

Status ChannelShuffle(Context& context, const Operation& op) {
  MUNJA_ASSIGN_OR_RETURN(const ValueId x, context.One(op, "X"));
  MUNJA_ASSIGN_OR_RETURN(const int64_t groups, op.attributes.Int("groups", 1));
  MUNJA_RETURN_IF_ERROR(NeedChannelsFirst(op));
  MUNJA_ASSIGN_OR_RETURN(const int64_t channels,
                         Channels(context, op, x, groups));
  const int64_t own = channels / groups;
  std::vector<int64_t> order(static_cast<size_t>(channels));
  for (int64_t g = 0; g < groups; ++g)
    for (int64_t c = 0; c < own; ++c)
      order[static_cast<size_t>(groups * c + g)] = own * g + c;
  MUNJA_ASSIGN_OR_RETURN(const ValueId y, Reorder(context, op, x, order));
  return context.Bind(op, "Out", y);
}

// tile says how often an axis comes, expand_v2 how large it becomes (-1: as it
// is). Both count from the last axis, and may add axes in front.
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

}  // namespace munja::foreign::paddle
