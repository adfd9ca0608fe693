#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "import/onnx/operators.h"

namespace munja::foreign::onnx {
namespace {

using Ints = std::vector<int64_t>;

// Absent or all zero, as the neutral operator begins.
Status NeedZero(const Context& context, const Operator& op, size_t input,
                const char* what) {
  const ValueId id = op.input(input);
  if (id == kNoValue) return {};
  const Tensor* t = context.builder.constant(id);
  if (t == nullptr) return Unsupported(op, ": ", what, " computed at run time");
  for (const float v : t->floats)
    if (v != 0) return Unsupported(op, ": ", what, " is not zero");
  return {};
}

// Y_h [directions, batch, hidden] of [steps, batch, directions * hidden]: what
// each direction gives at its last step.
Result<ValueId> LastStep(Context& context, const Operator& op, ValueId y,
                         int64_t directions, bool reverse) {
  const int64_t hidden = context.ShapeOf(y).back() / directions;
  std::vector<ValueId> parts;
  for (int64_t d = 0; d < directions; ++d) {
    const bool backward = d == 1 || reverse;
    graph::Attributes slice, axis;
    slice.Set("axes", Ints{0, 2});
    slice.Set("starts", Ints{backward ? 0 : -1, d * hidden});
    slice.Set("ends", Ints{backward ? 1 : INT64_MAX, (d + 1) * hidden});
    slice.Set("steps", Ints{1, 1});
    MUNJA_ASSIGN_OR_RETURN(
        const ValueId part,
        context.Step(op, "last", "Slice", {y}, std::move(slice)));
    parts.push_back(part);
  }
  if (directions == 1) return parts[0];
  graph::Attributes axis;
  axis.Set("axis", int64_t{0});
  return context.Step(op, "both", "Concat", std::move(parts), std::move(axis));
}

}  // namespace

bool HasDefaultActivations(const Operator& op) {
  const auto* given = op.Texts("activations");
  if (given == nullptr) return true;
  constexpr std::string_view kStandard[] = {"sigmoid", "tanh", "tanh"};
  for (size_t i = 0; i < given->size(); ++i) {
    std::string name = (*given)[i];
    for (char& c : name)
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    if (name != kStandard[i % 3]) return false;
  }
  return true;
}

Status Lstm(Context& context, const Operator& op) {
  MUNJA_ASSIGN_OR_RETURN(const std::string direction,
                         op.attributes.Text("direction", "forward"));
  MUNJA_ASSIGN_OR_RETURN(const int64_t layout, op.attributes.Int("layout", 0));
  MUNJA_ASSIGN_OR_RETURN(const int64_t coupled,
                         op.attributes.Int("input_forget", 0));
  if (direction != "forward" && direction != "reverse" &&
      direction != "bidirectional")
    return Malformed(op, ": direction ", direction);
  for (const char* name : {"clip", "activation_alpha", "activation_beta"})
    if (op.attributes.Has(name)) return Unsupported(op, ": ", name);
  if (layout != 0 || coupled != 0)
    return Unsupported(op, ": layout or input_forget");
  if (!HasDefaultActivations(op)) return Unsupported(op, ": activations");
  if (op.input(4) != kNoValue) return Unsupported(op, ": lengths of sequences");
  MUNJA_RETURN_IF_ERROR(NeedZero(context, op, 5, "the first state"));
  MUNJA_RETURN_IF_ERROR(NeedZero(context, op, 6, "the first cell"));
  MUNJA_RETURN_IF_ERROR(NeedZero(context, op, 7, "a peephole"));
  std::vector<ValueId> inputs;
  for (size_t i = 0; i < 4; ++i) {
    const ValueId id = op.input(i);
    if (id == kNoValue && i < 3) return Malformed(op, " lacks input ", i);
    if (id == kNoValue) continue;
    if (i > 0 && context.builder.constant(id) == nullptr)
      return Unsupported(op, ": weights computed at run time");
    inputs.push_back(id);
  }
  graph::Attributes a;
  a.Set("reverse", int64_t{direction == "reverse"});
  const Dims weights = context.ShapeOf(inputs[1]);
  MUNJA_ASSIGN_OR_RETURN(
      const ValueId y,
      context.Step(op, "sequence", "LSTM", std::move(inputs), std::move(a)));
  const int64_t directions = weights[0];
  if (op.outputs.size() > 1 && !op.outputs[1].empty()) {
    MUNJA_ASSIGN_OR_RETURN(
        const ValueId last,
        LastStep(context, op, y, directions, direction == "reverse"));
    context.builder.Rename(last, op.outputs[1]);
    MUNJA_RETURN_IF_ERROR(context.Bind(op, 1, last));
  }
  if (op.outputs[0].empty()) return {};
  // [steps, batch, directions * hidden] -> [steps, directions, batch, hidden].
  graph::Attributes apart, turned;
  apart.Set("shape",
            Ints{0, 0, directions, context.ShapeOf(y).back() / directions});
  MUNJA_ASSIGN_OR_RETURN(
      const ValueId parts,
      context.Step(op, "directions", "Reshape", {y}, std::move(apart)));
  turned.Set("perm", Ints{0, 2, 1, 3});
  return context.Emit(op, "Transpose", {parts}, std::move(turned));
}

}  // namespace munja::foreign::onnx
