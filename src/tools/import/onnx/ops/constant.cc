// Constants, shapes and ranges.
#include <algorithm>
#include <utility>

#include "import/compose/positions.h"
#include "import/onnx/operators.h"
#include "import/onnx/tensor_reader.h"
#include "import/onnx/writer.h"

namespace munja::importer::onnx {

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

namespace {

constexpr int64_t kMaxFilled = 1 << 26;  // Elements, in a whole model.

}  // namespace

// ConstantOfShape.
Status Filled(Context& context, const Operator& op) {
  Writer w(context, op);
  const Int64s shape = w.Ints("shape", 0);
  if (!w.ok()) return w.Done();
  MUNJA_ASSIGN_OR_RETURN(const int64_t count, CountElements(shape).With(op));
  // A network may have its weights so; but what a few bytes ask for is bounded
  // for all of its operators together.
  if (count > kMaxFilled - *context.filled) w.Refuse(count, " elements");
  if (!w.ok()) return w.Done();
  *context.filled += count;
  const size_t n = static_cast<size_t>(count);
  Tensor t = Tensor::Floats(shape, std::vector<float>(n, 0.0f));
  if (const Tensor* value = op.TensorAttribute("value")) {
    const Tensor& v = *value;
    if (v.elements() != 1) w.Damaged("its value is not a single value");
    if (!w.ok()) return w.Done();
    t = v.is_integer
            ? Tensor::Integers(shape, Int64s(n, v.integers[0]), v.type)
            : Tensor::Floats(shape, std::vector<float>(n, v.floats[0]));
  }
  return w.Done(
      context.builder.AddConstant("", std::move(t), ModelBuilder::kMade));
}

// The shape of all axes or of a part of them.
Status ShapeOf(Context& context, const Operator& op) {
  Writer w(context, op);
  const ValueId x = w.Need(0);
  const int64_t rank = w.rank(x);
  const auto clamp = [&](int64_t i) {
    return std::clamp<int64_t>(i < 0 ? i + rank : i, 0, rank);
  };
  const int64_t start = clamp(w.Int("start", 0));
  const int64_t end = clamp(w.Int("end", rank));
  ValueId y = w.Neutral("Shape", {x});
  if (start != 0 || end != rank) y = w.Slice(y, 0, start, std::max(start, end));
  return w.Done(y);
}

Status SizeOf(Context& context, const Operator& op) {
  Writer w(context, op);
  const ValueId x = w.Need(0);
  if (w.ok() && IsStatic(w.shape(x)))
    return w.Done(w.Scalar(static_cast<double>(ElementsOf(w.shape(x))), kI64));
  return w.Done(w.Reduce("REDUCE_PROD", w.Neutral("Shape", {x}), {0}, false));
}

Status Range(Context& context, const Operator& op) {
  Writer w(context, op);
  const ValueId start = w.Need(0);
  const ElementType own = w.type(start), wide = w.Wide(own);
  Values in;
  for (size_t i = 0; i < 3; ++i) in.push_back(w.Cast(w.Need(i), wide));
  return w.Done(
      w.Cast(w.TfliteMany("RANGE", in, {wide}, {}, {{kUnknown}})[0], own));
}

Status Trilu(Context& context, const Operator& op) {
  Writer w(context, op);
  const ValueId x = w.Need(0);
  const bool upper = w.Int("upper", 1) != 0;
  bool present = false;
  const Int64s k = w.Ints("k", 1, &present);
  const Dims dims = w.Static(x);
  if (dims.size() < 2) w.Damaged("an input of shape ", ToString(dims));
  if (!w.ok()) return w.Done();
  const int64_t shift = k.empty() ? 0 : k[0];
  const int64_t rows = dims[dims.size() - 2], columns = dims.back();
  if (rows * columns > (1 << 24)) w.Refuse("so large a matrix");
  if (!w.ok()) return w.Done();
  Int64s keep;
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < columns; ++c)
      keep.push_back(upper ? c - r >= shift : c - r <= shift);
  if (ElementsOf(dims) == 0) return context.Bind(op, 0, x);
  const ValueId mask = w.Constant(
      Tensor::Integers({rows, columns}, std::move(keep), ElementType::kBool));
  return w.Done(w.Select(mask, x, w.Like(x, 0)));
}

Status EyeLike(Context& context, const Operator& op) {
  Writer w(context, op);
  const ValueId x = w.Need(0);
  const Dims dims = w.Static(x);
  const int64_t k = w.Int("k", 0);
  ElementType type = w.type(x);
  if (op.attributes.Has("dtype")) {
    const auto wanted = ReadElementType(static_cast<int>(w.Int("dtype", 1)));
    if (!wanted) w.Refuse("this element type");
    type = wanted.value_or(kF32);
  }
  if (dims.size() != 2 || ElementsOf(dims) > (1 << 20))
    w.Refuse("an input of shape ", ToString(dims));
  if (!w.ok()) return w.Done();
  Int64s ones;
  for (int64_t r = 0; r < dims[0]; ++r)
    for (int64_t c = 0; c < dims[1]; ++c) ones.push_back(c - r == k);
  if (type == kF32)
    return w.Done(w.Constant(
        Tensor::Floats(dims, std::vector<float>(ones.begin(), ones.end()))));
  return w.Done(w.Constant(Tensor::Integers(dims, std::move(ones), type)));
}

}  // namespace munja::importer::onnx
