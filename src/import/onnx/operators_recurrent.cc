#include <string>
#include <utility>

#include "import/onnx/context.h"

namespace munja::foreign::onnx {
namespace {

using Ints = std::vector<int64_t>;

// Absent or all zero, as the neutral operator begins.
Status NeedZero(const Context& context, const Operator& op, size_t input,
                const char* what) {
  const ValueId id = op.input(input);
  if (id == kNoValue) return {};
  const Tensor* t = context.builder.constant(id);
  if (t == nullptr)
    return Unsupported(Describe(op) + ": " + what + " computed at run time");
  for (const float v : t->floats)
    if (v != 0) return Unsupported(Describe(op) + ": " + what + " is not zero");
  return {};
}

}  // namespace

Status Lstm(Context& context, const Operator& op) {
  MUNJA_ASSIGN_OR_RETURN(const std::string direction,
                         op.attributes.Text("direction", "forward"));
  MUNJA_ASSIGN_OR_RETURN(const int64_t layout, op.attributes.Int("layout", 0));
  MUNJA_ASSIGN_OR_RETURN(const int64_t coupled,
                         op.attributes.Int("input_forget", 0));
  if (direction != "forward" && direction != "reverse" &&
      direction != "bidirectional")
    return Malformed(Describe(op) + ": direction " + direction);
  for (const char* name : {"clip", "activation_alpha", "activation_beta"})
    if (op.attributes.Has(name)) return Unsupported(Describe(op) + ": " + name);
  if (op.has_texts || layout != 0 || coupled != 0)
    return Unsupported(Describe(op) + ": activations, layout or input_forget");
  if (op.input(4) != kNoValue)
    return Unsupported(Describe(op) + ": lengths of sequences");
  MUNJA_RETURN_IF_ERROR(NeedZero(context, op, 5, "the first state"));
  MUNJA_RETURN_IF_ERROR(NeedZero(context, op, 6, "the first cell"));
  MUNJA_RETURN_IF_ERROR(NeedZero(context, op, 7, "a peephole"));
  std::vector<ValueId> inputs;
  for (size_t i = 0; i < 4; ++i) {
    const ValueId id = op.input(i);
    if (id == kNoValue && i < 3)
      return Malformed(Describe(op) + " lacks input " + std::to_string(i));
    if (id == kNoValue) continue;
    if (i > 0 && context.builder.constant(id) == nullptr)
      return Unsupported(Describe(op) + ": weights computed at run time");
    inputs.push_back(id);
  }
  graph::Attributes a;
  a.Set("reverse", int64_t{direction == "reverse"});
  const Dims weights = context.ShapeOf(inputs[1]);
  MUNJA_ASSIGN_OR_RETURN(
      const ValueId y,
      context.Step(op, "sequence", "LSTM", std::move(inputs), std::move(a)));
  const int64_t directions = weights[0];
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
