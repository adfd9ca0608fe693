#include "import/onnx/old_sets.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace munja::importer::onnx {
namespace {

bool IsOneOf(std::string_view type, std::span<const std::string_view> types) {
  return std::find(types.begin(), types.end(), type) != types.end();
}

// The second operand with axes of 1 behind it, so that its axis 0 meets axis
// `axis` of the first.
Status Align(Context& context, Operator* op, int64_t axis) {
  const int64_t rank =
      static_cast<int64_t>(context.ShapeOf(op->inputs[0]).size());
  const int64_t own =
      static_cast<int64_t>(context.ShapeOf(op->inputs[1]).size());
  if (axis < 0) axis += rank;
  if (axis < 0 || axis + own > rank)
    return Malformed(*op, ": axis ", axis, " for operands of ", rank, " and ",
                     own, " axes");
  if (axis + own == rank) return {};
  std::vector<int64_t> axes(rank - axis - own);
  std::iota(axes.begin(), axes.end(), own);
  graph::Attributes a;
  a.Set("axes", std::move(axes));
  MUNJA_ASSIGN_OR_RETURN(
      op->inputs[1],
      context.Step(*op, "aligned", "Unsqueeze", {op->inputs[1]}, std::move(a)));
  return {};
}

// Sets 1 to 5: attributes by other names, and defaults of their own.
Status FromFirstSets(Context& context, Operator* op) {
  if (op->type == "Pad" && op->attributes.Has("paddings")) {
    MUNJA_ASSIGN_OR_RETURN(std::vector<int64_t> pads,
                           op->attributes.Ints("paddings"));
    op->attributes.Set("pads", std::move(pads));
  }
  if (op->type == "Concat" && context.opset < 4 && !op->attributes.Has("axis"))
    op->attributes.Set("axis", int64_t{1});
  // A type by its name, counts in other inputs, scales in attributes.
  for (const char* type : {"Cast", "Tile", "Upsample"})
    if (op->type == type) return Unsupported(*op, ": as it was before set 6");
  return {};
}

}  // namespace

Status FromOldSet(Context& context, Operator* op) {
  if (context.opset >= 9) return {};
  if (op->type == "BatchNormalization") {
    MUNJA_ASSIGN_OR_RETURN(const int64_t spatial,
                           op->attributes.Int("spatial", 1));
    if (spatial == 0) return Unsupported(*op, ": a mean for each element");
  }
  if (context.opset < 6) MUNJA_RETURN_IF_ERROR(FromFirstSets(context, op));
  if (context.opset >= 7) return {};
  constexpr std::string_view kOfTwo[] = {"Add",   "Sub",  "Mul",    "Div",
                                         "Pow",   "And",  "Or",     "Xor",
                                         "Equal", "Less", "Greater"};
  constexpr std::string_view kTrained[] = {"BatchNormalization", "Dropout"};
  if (IsOneOf(op->type, kTrained)) {
    MUNJA_ASSIGN_OR_RETURN(const int64_t test,
                           op->attributes.Int("is_test", 0));
    if (test == 0)
      return Unsupported(*op, ": as it computes in training (is_test is 0)");
  }
  const bool has_two = op->input(0) != kNoValue && op->input(1) != kNoValue;
  if (has_two && IsOneOf(op->type, kOfTwo)) {
    MUNJA_ASSIGN_OR_RETURN(const int64_t broadcast,
                           op->attributes.Int("broadcast", 0));
    if (broadcast == 0 &&
        context.ShapeOf(op->inputs[0]) != context.ShapeOf(op->inputs[1]))
      return Malformed(*op, ": operands of different shapes without broadcast");
    if (broadcast == 0 || !op->attributes.Has("axis")) return {};
    MUNJA_ASSIGN_OR_RETURN(const int64_t axis, op->attributes.Int("axis", 0));
    return Align(context, op, axis);
  }
  // One slope for each channel.
  if (has_two && op->type == "PRelu" &&
      context.ShapeOf(op->inputs[1]).size() == 1 &&
      context.ShapeOf(op->inputs[1]) != Dims{1} &&
      context.ShapeOf(op->inputs[0]).size() > 1)
    return Align(context, op, 1);
  return {};
}

}  // namespace munja::importer::onnx
