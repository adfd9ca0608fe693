// Activation functions.
#include <string>
#include <utility>

#include "import/compose/composed.h"
#include "import/ncnn/context.h"
#include "import/ncnn/layers/helpers.h"
#include "import/ncnn/writer.h"

namespace munja::importer::ncnn {

Status Activation(Context& context, const Layer& layer) {
  const Blob in = context.In(layer);
  const std::string& type = layer.type;
  graph::Attributes a;
  const auto emit = [&](const char* op) {
    return context.Emit(layer, op, {in.value}, std::move(a), in.rank);
  };
  if (type == "Sigmoid") return emit("Sigmoid");
  if (type == "TanH") return emit("Tanh");
  if (type == "AbsVal") return emit("Abs");
  if (type == "ReLU") {
    MUNJA_ASSIGN_OR_RETURN(const double slope, layer.Float(0, 0));
    if (slope == 0) return emit("Relu");
    a.Set("alpha", slope);
    return emit("LeakyRelu");
  }
  if (type == "GELU") {
    MUNJA_ASSIGN_OR_RETURN(const int fast, layer.Int(0, 0));
    a.Set("approximate", int64_t{fast != 0});
    return emit("Gelu");
  }
  if (type == "HardSigmoid" || type == "HardSwish") {
    MUNJA_ASSIGN_OR_RETURN(const double alpha, layer.Float(0, 0.2));
    MUNJA_ASSIGN_OR_RETURN(const double beta, layer.Float(1, 0.5));
    a.Set("alpha", alpha);
    a.Set("beta", beta);
    return emit(type.c_str());
  }
  if (type == "Clip") {
    MUNJA_ASSIGN_OR_RETURN(const double low, layer.Float(0, -3.4028235e38));
    MUNJA_ASSIGN_OR_RETURN(const double high, layer.Float(1, 3.4028235e38));
    a.Set("min", low);
    a.Set("max", high);
    return emit("Clip");
  }
  if (type == "ELU") {
    MUNJA_ASSIGN_OR_RETURN(const double alpha, layer.Float(0, 0.1));
    a.Set("alpha", alpha);
    return emit("Elu");
  }
  MUNJA_ASSIGN_OR_RETURN(const ValueId gate,
                         context.Step(layer, "sigmoid", "Sigmoid", {in.value}));
  return context.Emit(layer, "Mul", {in.value, gate}, {}, in.rank);  // Swish
}

Status PRelu(Context& context, const Layer& layer) {
  const Blob in = context.In(layer);
  MUNJA_ASSIGN_OR_RETURN(
      const ValueId slope,
      PerChannel(context, layer, "slope", "the number of slopes"));
  return context.Emit(layer, "PRelu", {in.value, slope}, {}, in.rank);
}

Status Softplus(Context& context, const Layer& layer) {
  const Blob in = context.In(layer);
  MUNJA_ASSIGN_OR_RETURN(
      const ValueId y,
      LogOnePlusExp(context, layer, in.value, Number(context, layer, 1)));
  return context.Set(layer, 0, {y, in.rank});
}

// lambda * elu(x)
Status Selu(Context& context, const Layer& layer) {
  const Blob in = context.In(layer);
  MUNJA_ASSIGN_OR_RETURN(const double alpha, layer.Float(0, 1.67326324));
  MUNJA_ASSIGN_OR_RETURN(const double lambda, layer.Float(1, 1.050700987));
  graph::Attributes a;
  a.Set("alpha", alpha);
  MUNJA_ASSIGN_OR_RETURN(
      const ValueId y,
      context.Step(layer, "elu", "Elu", {in.value}, std::move(a)));
  return context.Emit(layer, "Mul", {y, Number(context, layer, lambda)}, {},
                      in.rank);
}

Status Mish(Context& context, const Layer& layer) {
  const Blob in = context.In(layer);
  MUNJA_ASSIGN_OR_RETURN(ValueId y, LogOnePlusExp(context, layer, in.value,
                                                  Number(context, layer, 1)));
  MUNJA_ASSIGN_OR_RETURN(y, context.Step(layer, "gate", "Tanh", {y}));
  return context.Emit(layer, "Mul", {in.value, y}, {}, in.rank);
}

// max(x, 0) + min(alpha (e^(x / alpha) - 1), 0)
Status Celu(Context& context, const Layer& layer) {
  Writer w(context, layer);
  const double alpha = w.Given(layer.Float(0, 1));
  if (!(alpha > 0)) w.Damaged("alpha is not positive");
  const ValueId x = w.in();
  // The exponential of a positive value could overflow.
  const ValueId low = w.Binary("Min", x, w.Scalar(0));
  const ValueId tail =
      w.Neutral("Elu", {w.Mul(low, 1 / alpha)}, {{"alpha", 1.0}});
  return w.Done(w.Add(w.Binary("Max", x, w.Scalar(0)), w.Mul(tail, alpha)),
                w.in_rank());
}

// The first half times the logistic function of the second.
Status Glu(Context& context, const Layer& layer) {
  Writer w(context, layer);
  const int rank = w.in_rank();
  const int given = w.Given(layer.Int(0, 0));
  const int64_t axis = rank == 1 ? 1 : AxisOf(w, given);
  if (!w.ok()) return w.Done(kNoValue, rank);
  const int64_t size = w.shape(w.in())[static_cast<size_t>(axis)];
  if (size < 0) w.Refuse("an axis of unknown size");
  if (w.ok() && size % 2 != 0) w.Damaged("halves of ", size);
  const ValueId gate =
      w.Unary("Sigmoid", w.Slice(w.in(), axis, size / 2, size));
  return w.Done(w.Mul(w.Slice(w.in(), axis, 0, size / 2), gate), rank);
}

// Soft shrinkage: values near 0 become 0, others move toward 0.
Status Shrink(Context& context, const Layer& layer) {
  Writer w(context, layer);
  const double bias = w.Given(layer.Float(0, 0));
  const double lambda = w.Given(layer.Float(1, 0.5));
  const ValueId x = w.in();
  const ValueId above = w.Select(w.Compare("GREATER", x, w.Scalar(lambda)),
                                 w.Add(x, -bias), w.Mul(x, 0.0));
  return w.Done(
      w.Select(w.Compare("LESS", x, w.Scalar(-lambda)), w.Add(x, bias), above),
      w.in_rank());
}

}  // namespace munja::importer::ncnn
