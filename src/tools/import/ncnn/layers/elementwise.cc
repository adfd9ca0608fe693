// Functions of single elements and of pairs of elements.
#include <cmath>
#include <utility>
#include <vector>

#include "import/ncnn/context.h"
#include "import/ncnn/layers/helpers.h"
#include "import/ncnn/writer.h"

namespace munja::importer::ncnn {

Result<ValueId> PerChannel(Context& context, const Layer& layer,
                           const char* name, const char* what) {
  MUNJA_ASSIGN_OR_RETURN(const int given, layer.Int(0, 0));
  MUNJA_ASSIGN_OR_RETURN(const int64_t count, Positive(layer, given, what));
  MUNJA_ASSIGN_OR_RETURN(std::vector<float> values,
                         context.weights.Untagged(count).With(layer));
  Dims shape(context.In(layer).rank == 2 ? 3 : 4, 1);
  shape[1] = count;
  return context.Constant(layer, name, std::move(shape), std::move(values));
}

namespace {

// Brings the blob of the lower rank to the other's rank: ncnn puts a vector as
// long as the other's outermost axis there, else on the innermost axis; a
// plane goes to the two outermost axes.
Result<ValueId> Widen(Context& context, const Layer& layer, const Blob& low,
                      const Blob& high, const char* what) {
  if (low.rank >= high.rank) return low.value;
  graph::Attributes a;
  if (low.rank == 2) {  // [1, h, w] -> [1, h, w, 1]
    a.Set("axes", std::vector<int64_t>{3});
    return context.Step(layer, what, "Unsqueeze", {low.value}, std::move(a));
  }
  const int64_t length = context.ShapeOf(low)[1];
  const int64_t outer = context.ShapeOf(high)[1];
  if (length < 0 || outer < 0)
    return Unsupported(layer, ": a broadcast of a vector of unknown length");
  if (high.rank == 3 && (length == outer || length == 1)) return low.value;
  if (high.rank == 3)
    a.Set("shape", std::vector<int64_t>{1, 1, 1, length});
  else if (length == outer)
    a.Set("shape", std::vector<int64_t>{1, length, 1});
  else
    a.Set("shape", std::vector<int64_t>{1, 1, length});
  return context.Step(layer, what, "Reshape", {low.value}, std::move(a));
}

}  // namespace

Status BinaryOp(Context& context, const Layer& layer) {
  static constexpr const char* kOps[] = {"Add", "Sub", "Mul", "Div", "Max",
                                         "Min", "Pow", "Sub", "Div"};
  MUNJA_ASSIGN_OR_RETURN(const int op, layer.Int(0, 0));
  MUNJA_ASSIGN_OR_RETURN(const int with_scalar, layer.Int(1, 0));
  if (op < 0 || op > 8) return Unsupported(layer, ": operation ", op);
  Blob a = context.In(layer), b;
  if (with_scalar != 0) {
    MUNJA_ASSIGN_OR_RETURN(const double scalar, layer.Float(2, 0));
    if (layer.inputs.size() != 1)
      return Malformed(layer, ": a scalar and two inputs");
    b = {context.Constant(layer, "scalar", {}, {static_cast<float>(scalar)}),
         a.rank};
  } else {
    if (layer.inputs.size() != 2)
      return Malformed(layer, ": two inputs are expected");
    b = context.In(layer, 1);
    MUNJA_ASSIGN_OR_RETURN(const ValueId wide_a,
                           Widen(context, layer, a, b, "a"));
    MUNJA_ASSIGN_OR_RETURN(const ValueId wide_b,
                           Widen(context, layer, b, a, "b"));
    const int rank = std::max(a.rank, b.rank);
    a = {wide_a, rank};
    b = {wide_b, rank};
  }
  if (op >= 7) std::swap(a, b);
  return context.Emit(layer, kOps[op], {a.value, b.value}, {}, a.rank);
}

Status UnaryOp(Context& context, const Layer& layer) {
  MUNJA_ASSIGN_OR_RETURN(const int op, layer.Int(0, 0));
  const char* name = nullptr;
  switch (op) {
    case 0:
      name = "Abs";
      break;
    case 1:
      name = "Neg";
      break;
    case 2:
      name = "Floor";
      break;
    case 3:
      name = "Ceil";
      break;
    case 4:
      name = "Square";
      break;
    case 5:
      name = "Sqrt";
      break;
    case 6:
      name = "Rsqrt";
      break;
    case 7:
      name = "Exp";
      break;
    case 8:
      name = "Log";
      break;
    case 9:
      name = "Sin";
      break;
    case 10:
      name = "Cos";
      break;
    case 15:
      name = "Reciprocal";
      break;
    case 16:
      name = "Tanh";
      break;
    default:
      return Unsupported(layer, ": operation ", op);
  }
  const Blob in = context.In(layer);
  return context.Emit(layer, name, {in.value}, {}, in.rank);
}

Status Eltwise(Context& context, const Layer& layer) {
  static constexpr const char* kOps[] = {"Mul", "Add", "Max"};
  MUNJA_ASSIGN_OR_RETURN(const int op, layer.Int(0, 0));
  MUNJA_ASSIGN_OR_RETURN(const std::vector<double> factors, layer.Floats(1));
  if (op < 0 || op > 2 || layer.inputs.size() < 2)
    return Malformed(layer, ": operation ", op);
  for (const double f : factors)
    if (f != 1) return Unsupported(layer, ": coefficients");
  const Blob first = context.In(layer);
  ValueId sum = first.value;
  for (size_t i = 1; i < layer.inputs.size(); ++i) {
    const Blob next = context.In(layer, i);
    if (next.rank != first.rank)
      return Malformed(layer, ": inputs of different rank");
    if (i + 1 == layer.inputs.size())
      return context.Emit(layer, kOps[op], {sum, next.value}, {}, first.rank);
    MUNJA_ASSIGN_OR_RETURN(
        sum, context.Step(layer, "step", kOps[op], {sum, next.value}));
  }
  return {};
}

// (shift + x * scale) ^ power
Status Power(Context& context, const Layer& layer) {
  const Blob in = context.In(layer);
  MUNJA_ASSIGN_OR_RETURN(const double power, layer.Float(0, 1));
  MUNJA_ASSIGN_OR_RETURN(const double scale, layer.Float(1, 1));
  MUNJA_ASSIGN_OR_RETURN(const double shift, layer.Float(2, 0));
  MUNJA_ASSIGN_OR_RETURN(
      ValueId y, context.Step(layer, "scaled", "Mul",
                              {in.value, Number(context, layer, scale)}));
  MUNJA_ASSIGN_OR_RETURN(y, context.Step(layer, "moved", "Add",
                                         {y, Number(context, layer, shift)}));
  if (power == 1) return context.Set(layer, 0, {y, in.rank});
  return context.Emit(layer, "Pow", {y, Number(context, layer, power)}, {},
                      in.rank);
}

namespace {

// Parameter 2 + x * parameter 1.
Result<ValueId> AffineInput(Context& context, const Layer& layer) {
  MUNJA_ASSIGN_OR_RETURN(const double scale, layer.Float(1, 1));
  MUNJA_ASSIGN_OR_RETURN(const double shift, layer.Float(2, 0));
  ValueId y = context.In(layer).value;
  if (scale != 1) {
    MUNJA_ASSIGN_OR_RETURN(y, context.Step(layer, "scaled", "Mul",
                                           {y, Number(context, layer, scale)}));
  }
  if (shift == 0) return y;
  return context.Step(layer, "moved", "Add",
                      {y, Number(context, layer, shift)});
}

}  // namespace

// base ^ (shift + x * scale); -1 means e.
Status Exponential(Context& context, const Layer& layer) {
  const int rank = context.In(layer).rank;
  MUNJA_ASSIGN_OR_RETURN(const double base, layer.Float(0, -1));
  MUNJA_ASSIGN_OR_RETURN(const ValueId y, AffineInput(context, layer));
  if (base == -1) return context.Emit(layer, "Exp", {y}, {}, rank);
  return context.Emit(layer, "Pow", {Number(context, layer, base), y}, {},
                      rank);
}

// log(shift + x * scale) to that base; -1 means e.
Status Logarithm(Context& context, const Layer& layer) {
  const int rank = context.In(layer).rank;
  MUNJA_ASSIGN_OR_RETURN(const double base, layer.Float(0, -1));
  MUNJA_ASSIGN_OR_RETURN(const ValueId x, AffineInput(context, layer));
  if (base == -1) return context.Emit(layer, "Log", {x}, {}, rank);
  if (!(base > 0) || base == 1) return Malformed(layer, ": base ", base);
  MUNJA_ASSIGN_OR_RETURN(const ValueId y,
                         context.Step(layer, "log", "Log", {x}));
  return context.Emit(
      layer, "Mul", {y, Number(context, layer, 1 / std::log(base))}, {}, rank);
}

Status ErrorFunction(Context& context, const Layer& layer) {
  const Blob in = context.In(layer);
  return context.Emit(layer, "Erf", {in.value}, {}, in.rank);
}

Status Bias(Context& context, const Layer& layer) {
  const Blob in = context.In(layer);
  MUNJA_ASSIGN_OR_RETURN(
      const ValueId bias,
      PerChannel(context, layer, "bias", "the number of biases"));
  return context.Emit(layer, "Add", {in.value, bias}, {}, in.rank);
}

Status Threshold(Context& context, const Layer& layer) {
  Writer w(context, layer);
  const double threshold = w.Given(layer.Float(0, 0));
  const ValueId is_more = w.Compare("GREATER", w.in(), w.Scalar(threshold));
  return w.Done(w.Cast(is_more, kF32), w.in_rank());
}

}  // namespace munja::importer::ncnn
