#include <limits>
#include <string>
#include <utility>

#include "import/onnx/context.h"
#include "import/onnx/tensor_reader.h"

namespace munja::foreign::onnx {

Status Plain(Context& context, const Operator& op) {
  if (op.attributes.Has("start") || op.attributes.Has("end"))
    return Unsupported(Describe(op) + ": a part of the shape");
  return context.Emit(op, op.type, op.inputs);
}

// Identity, and dropout, which does nothing outside training.
Status Alias(Context& context, const Operator& op) {
  if (op.type == "Dropout" && op.input(2) != kNoValue) {
    MUNJA_ASSIGN_OR_RETURN(const double training,
                           context.Number(op, "training_mode", 2, 0));
    MUNJA_ASSIGN_OR_RETURN(const double ratio,
                           context.Number(op, "ratio", 1, 0.5));
    if (training != 0 && ratio != 0)
      return Unsupported(Describe(op) + ": training_mode");
  }
  return context.Bind(op, 0, op.inputs[0]);
}

Status Cast(Context& context, const Operator& op) {
  MUNJA_ASSIGN_OR_RETURN(const int64_t to, op.attributes.Int("to", 0));
  const int type = to > 0 && to < 64 ? static_cast<int>(to) : 0;
  if (!IsFloatType(type) && !IsIntegerType(type))
    return Unsupported(Describe(op) + ": to element type " +
                       std::to_string(to));
  // All floats are one type here, and so are all integers.
  if (IsIntegerType(type) == context.builder.value(op.inputs[0]).is_integer)
    return context.Bind(op, 0, op.inputs[0]);
  graph::Attributes a;
  a.Set("to_integer", int64_t{IsIntegerType(type)});
  return context.Emit(op, "Cast", {op.inputs[0]}, std::move(a));
}

Status Constant(Context& context, const Operator& op) {
  Tensor tensor;
  if (const auto it = op.tensors.find("value"); it != op.tensors.end()) {
    tensor = it->second;
  } else if (op.attributes.Has("value_float")) {
    MUNJA_ASSIGN_OR_RETURN(const double v,
                           op.attributes.Float("value_float", 0));
    tensor = Tensor::Floats({}, {static_cast<float>(v)});
  } else if (op.attributes.Has("value_int")) {
    MUNJA_ASSIGN_OR_RETURN(const int64_t v, op.attributes.Int("value_int", 0));
    tensor = Tensor::Integers({}, {v});
  } else if (op.attributes.Has("value_ints")) {
    MUNJA_ASSIGN_OR_RETURN(std::vector<int64_t> v,
                           op.attributes.Ints("value_ints"));
    const int64_t n = static_cast<int64_t>(v.size());
    tensor = Tensor::Integers({n}, std::move(v));
  } else {
    return Unsupported(Describe(op) + ": this form of constant");
  }
  if (op.outputs.empty()) return Malformed(Describe(op) + " has no output");
  return context.Bind(
      op, 0, context.builder.AddConstant(op.outputs[0], std::move(tensor)));
}

Status Activation(Context& context, const Operator& op) {
  graph::Attributes a;
  const bool hard = op.type == "HardSigmoid";
  if (op.type == "Gelu") {
    const Result<std::string> form = op.attributes.Text("approximate", "none");
    if (!form.ok()) return form.status().Clone();
    a.Set("approximate", int64_t{*form == "tanh"});
  } else if (op.type == "HardSwish") {
    a.Set("alpha", 1.0 / 6);
    a.Set("beta", 0.5);
  } else {
    const double fallback = hard ? 0.2 : op.type == "Elu" ? 1.0 : 0.01;
    MUNJA_ASSIGN_OR_RETURN(const double alpha,
                           op.attributes.Float("alpha", fallback));
    a.Set("alpha", alpha);
    if (hard) {
      MUNJA_ASSIGN_OR_RETURN(const double beta,
                             op.attributes.Float("beta", 0.5));
      a.Set("beta", beta);
    }
  }
  return context.Emit(op, op.type, {op.inputs[0]}, std::move(a));
}

Status Clip(Context& context, const Operator& op) {
  constexpr double kMost = std::numeric_limits<float>::max();
  MUNJA_ASSIGN_OR_RETURN(const double low,
                         context.Number(op, "min", 1, -kMost));
  MUNJA_ASSIGN_OR_RETURN(const double high,
                         context.Number(op, "max", 2, kMost));
  graph::Attributes a;
  a.Set("min", low);
  a.Set("max", high);
  return context.Emit(op, "Clip", {op.inputs[0]}, std::move(a));
}

Status Binary(Context& context, const Operator& op) {
  for (const ValueId v : op.inputs)
    if (v == kNoValue) return Malformed(Describe(op) + " lacks an input");
  if (op.inputs.size() == 1) return context.Bind(op, 0, op.inputs[0]);
  // Max and Min take any number of inputs.
  if (op.inputs.size() != 2 && op.type != "Max" && op.type != "Min")
    return Malformed(Describe(op) + " has " + std::to_string(op.inputs.size()) +
                     " inputs");
  ValueId sum = op.inputs[0];
  for (size_t i = 1; i + 1 < op.inputs.size(); ++i) {
    MUNJA_ASSIGN_OR_RETURN(
        sum, context.Step(op, "step", op.type, {sum, op.inputs[i]}));
  }
  return context.Emit(op, op.type, {sum, op.inputs.back()});
}

}  // namespace munja::foreign::onnx
