// Operators on groups of channels.
#include <cstdint>
#include <utility>
#include <vector>

#include "import/compose/composed.h"
#include "import/paddle/context.h"

namespace munja::importer::paddle {
namespace {

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

// The channel count of a map, which must be a multiple of this.
Result<int64_t> Channels(Context& context, const Operation& op, ValueId x,
                         int64_t parts) {
  const Dims& shape = context.ShapeOf(x);
  if (shape.size() != 4 || shape[1] < 1)
    return Unsupported(op, ": a map of shape ", ToString(shape));
  if (parts < 1 || shape[1] % parts != 0)
    return Malformed(op, ": ", parts, " parts of ", shape[1], " channels");
  return shape[1];
}

// One value per channel of a map, shaped for broadcasting.
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

}  // namespace munja::importer::paddle
