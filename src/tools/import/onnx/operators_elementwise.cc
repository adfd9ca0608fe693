#include <limits>
#include <string>
#include <utility>

#include "import/onnx/operators.h"
#include "import/onnx/tensor_reader.h"
#include "import/onnx/writer.h"

namespace munja::foreign::onnx {

Status Plain(Context& context, const Operator& op) {
  if (op.attributes.Has("start") || op.attributes.Has("end"))
    return Unsupported(op, ": a part of the shape");
  return context.Emit(op, op.type, op.inputs);
}

Status Alias(Context& context, const Operator& op) {
  return context.Bind(op, 0, op.inputs[0]);
}

// Which does nothing outside training; its mask then lets all through.
Status Dropout(Context& context, const Operator& op) {
  if (op.input(2) != kNoValue) {
    MUNJA_ASSIGN_OR_RETURN(const double training,
                           context.Number(op, "training_mode", 2, 0));
    MUNJA_ASSIGN_OR_RETURN(const double ratio,
                           context.Number(op, "ratio", 1, 0.5));
    if (training != 0 && ratio != 0) return Unsupported(op, ": training_mode");
  }
  if (op.outputs.size() > 1 && !op.outputs[1].empty()) {
    Writer w(context, op);
    const ValueId x = w.Need(0);
    w.Set(1, w.Compare("EQUAL", x, x));
    return w.Done(x);
  }
  return context.Bind(op, 0, op.inputs[0]);
}

Status Constant(Context& context, const Operator& op) {
  Tensor tensor;
  if (const Tensor* value = op.TensorAttribute("value")) {
    tensor = *value;
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
    return Unsupported(op, ": this form of constant");
  }
  if (op.outputs.empty()) return Malformed(op, " has no output");
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

}  // namespace munja::foreign::onnx
