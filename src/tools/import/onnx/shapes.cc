// Shapes as data, and elements to other places.
#include <algorithm>
#include <string>

#include "import/onnx/operators.h"
#include "import/onnx/tensor_reader.h"
#include "import/onnx/writer.h"
#include "import/positions.h"

namespace munja::foreign::onnx {

// Of a part of the axes, too.
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

Status ExpandTo(Context& context, const Operator& op) {
  Writer w(context, op);
  const ValueId x = w.Need(0);
  const Int64s to = w.Ints("shape", 1);
  if (!w.ok()) return w.Done();
  // The shape is broadcast with that of the input.
  Dims dims = w.shape(x);
  while (dims.size() < to.size()) dims.insert(dims.begin(), 1);
  for (size_t i = 0; i < to.size(); ++i) {
    int64_t& d = dims[dims.size() - to.size() + i];
    if (d == 1) d = to[i];
  }
  if (!IsStatic(dims)) w.Refuse("an input of unknown size");
  if (w.ok() && dims == w.shape(x)) return context.Bind(op, 0, x);
  return w.Done(w.Expand(x, dims));
}

Status TileBy(Context& context, const Operator& op) {
  Writer w(context, op);
  const ValueId x = w.Need(0), repeats = w.Need(1);
  return w.Done(w.Tflite("TILE", {x, repeats}, w.type(x)));
}

Status GatherAny(Context& context, const Operator& op) {
  Writer w(context, op);
  const ValueId x = w.Need(0), indices = w.Need(1);
  const int64_t axis = w.Axis(w.Int("axis", 0), w.rank(x));
  if (w.ok() && w.constant(indices) != nullptr)
    return w.Done(w.Neutral("Gather", {x, indices}, {{"axis", axis}}));
  if (w.ok() && w.shape(x)[axis] < 0) return w.Done(w.Gather(x, indices, axis));
  if (!w.ok()) return w.Done();
  return w.Done(w.Gather(x, FromFront(w, indices, w.shape(x)[axis]), axis));
}

Status GatherElements(Context& context, const Operator& op) {
  Writer w(context, op);
  const ValueId x = w.Need(0), indices = w.Need(1);
  const int64_t axis = w.Axis(w.Int("axis", 0), w.rank(x));
  const Dims dims = w.Static(x);
  if (!w.ok()) return w.Done();
  const ValueId flat = FlatIndices(w, indices, dims, axis);
  return w.Done(w.Gather(w.Reshape(x, {ElementsOf(dims)}), flat, 0));
}

Status GatherNd(Context& context, const Operator& op) {
  Writer w(context, op);
  const ValueId x = w.Need(0), indices = w.Need(1);
  const size_t batch = static_cast<size_t>(w.Int("batch_dims", 0));
  const Dims dims = w.Static(x), at = w.Static(indices);
  if (!w.ok()) return w.Done();
  if (at.empty() || batch + static_cast<size_t>(at.back()) > dims.size() ||
      batch >= at.size())
    w.Damaged("indices of shape ", ToString(at));
  if (!w.ok()) return w.Done();
  const size_t k = static_cast<size_t>(at.back());
  ValueId position = RowPositions(w, indices, dims, batch);
  Dims flat(dims.begin(), dims.begin() + batch);
  int64_t inner = 1;
  for (size_t i = 0; i < k; ++i) inner *= dims[batch + i];
  int64_t outer = 1;
  for (size_t i = 0; i < batch; ++i) outer *= dims[i];
  // Batches lie one after the other.
  Dims rows = {outer * inner};
  rows.insert(rows.end(), dims.begin() + batch + k, dims.end());
  int64_t stride = inner;
  for (size_t i = batch; i-- > 0;) {
    position =
        w.Add(position, w.Mul(Count(w, dims[i], i, at.size() - 1),
                              w.Scalar(static_cast<double>(stride), kI32)));
    stride *= dims[i];
  }
  return w.Done(w.Gather(w.Reshape(x, rows), position, 0));
}

// ScatterElements (and Scatter, its old name) and ScatterND.
Status Scatter(Context& context, const Operator& op) {
  Writer w(context, op);
  const ValueId x = w.Need(0), indices = w.Need(1), updates = w.Need(2);
  const std::string reduction = w.Text("reduction", "none");
  const Dims dims = w.Static(x), at = w.Static(indices);
  if (!w.ok()) return w.Done();
  ValueId position = kNoValue;
  Dims rows;
  if (op.type == "ScatterND") {
    if (at.empty() || static_cast<size_t>(at.back()) > dims.size())
      w.Damaged("indices of shape ", ToString(at));
    if (!w.ok()) return w.Done();
    const size_t k = static_cast<size_t>(at.back());
    position = RowPositions(w, indices, dims, 0);
    int64_t inner = 1;
    for (size_t i = k; i < dims.size(); ++i) inner *= dims[i];
    rows = {ElementsOf(dims) / std::max<int64_t>(inner, 1), inner};
  } else {
    position =
        FlatIndices(w, indices, dims, w.Axis(w.Int("axis", 0), w.rank(x)));
    rows = {ElementsOf(dims), 1};
  }
  if (!w.ok()) return w.Done();
  return w.Done(ScatterRows(w, x, rows, position, updates, reduction));
}

Status NonZero(Context& context, const Operator& op) {
  Writer w(context, op);
  const ValueId x = w.Need(0);
  const int64_t rank = std::max<int64_t>(w.rank(x), 1);
  const ValueId set = w.type(x) == ElementType::kBool
                          ? x
                          : w.Compare("NOT_EQUAL", x, w.Like(x, 0));
  const ValueId rows =
      w.TfliteMany("WHERE", {set}, {kI64}, {}, {{kUnknown, rank}})[0];
  return w.Done(w.Transpose(rows, {1, 0}));
}

Status Compress(Context& context, const Operator& op) {
  Writer w(context, op);
  ValueId x = w.Need(0), condition = w.Need(1);
  const bool flat = !op.attributes.Has("axis");
  const Dims dims = w.Static(x);
  if (!w.ok()) return w.Done();
  if (flat) x = w.Reshape(x, {ElementsOf(dims)});
  const int64_t axis = flat ? 0 : w.Axis(w.Int("axis", 0), w.rank(x));
  const ValueId rows =
      w.TfliteMany("WHERE", {condition}, {kI64}, {}, {{kUnknown, 1}})[0];
  Dims result = w.shape(x);
  result[static_cast<size_t>(axis)] = kUnknown;
  const ValueId at = w.Squeeze(rows, {1});
  return w.Done(w.TfliteMany("GATHER", {x, at}, {w.type(x)},
                             {{"axis", axis}, {"batch_dims", int64_t{0}}},
                             {result})[0]);
}

Status OneHot(Context& context, const Operator& op) {
  Writer w(context, op);
  const ValueId indices = w.Need(0), values = w.Need(2);
  bool present = false;
  Int64s depth;
  if (w.ok() && w.constant(w.Need(1)) != nullptr &&
      !w.constant(w.in(1))->is_integer)
    depth = {static_cast<int64_t>(w.Number("depth", 1, 0))};
  else
    depth = w.Ints("depth", 1, &present);
  int64_t axis = w.Int("axis", -1);
  const int64_t rank = w.rank(indices);
  if (axis < -rank - 1 || axis > rank) w.Damaged("axis ", axis);
  if (axis < 0) axis += rank + 1;
  if (!w.ok() || depth.size() != 1) return w.Done();
  const ElementType type = w.type(values);
  const ValueId at = w.Cast(indices, kI64);
  const ValueId off = w.Reshape(w.Slice(values, 0, 0, 1), {});
  const ValueId on = w.Reshape(w.Slice(values, 0, 1, 2), {});
  // Counted from the end, too; what lies outside is nowhere on.
  const ValueId front =
      w.Unsqueeze(w.Cast(FromFront(w, at, depth[0]), kI32), {axis});
  const ValueId places = Count(w, depth[0], static_cast<size_t>(axis),
                               static_cast<size_t>(rank) + 1);
  (void)type;
  return w.Done(w.Select(w.Compare("EQUAL", front, places), on, off));
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

Status CumulativeSum(Context& context, const Operator& op) {
  Writer w(context, op);
  const ValueId x = w.Need(0);
  const ElementType own = w.type(x), wide = w.Wide(own);
  return w.Done(w.Cast(
      w.Tflite("CUMSUM", {w.Cast(x, wide), w.Cast(w.Need(1), kI32)}, wide,
               {{"exclusive", w.Int("exclusive", 0) != 0},
                {"reverse", w.Int("reverse", 0) != 0}}),
      own));
}

Status TopK(Context& context, const Operator& op) {
  Writer w(context, op);
  const ValueId x = w.Need(0);
  bool present = false;
  const Int64s k = w.Ints("k", 1, &present);
  const int64_t axis = w.Int("axis", -1);
  const bool largest = w.Int("largest", 1) != 0;
  if (!w.ok() || k.size() != 1) return w.Done();
  const Values both = w.TopK(x, k[0], axis, largest);
  w.Set(0, both[0]);
  w.Set(1, both[1]);
  return w.Done();
}

Status ReverseSequence(Context& context, const Operator& op) {
  Writer w(context, op);
  const ValueId x = w.Need(0);
  return w.Done(w.Tflite("REVERSE_SEQUENCE", {x, w.Need(1)}, w.type(x),
                         {{"seq_dim", w.Int("time_axis", 0)},
                          {"batch_dim", w.Int("batch_axis", 1)}}));
}

Status SpaceToDepth(Context& context, const Operator& op) {
  Writer w(context, op);
  const ValueId x = w.Need(0);
  const Dims d = w.Static(x);
  const int64_t b = w.Int("blocksize", 1);
  if (d.size() != 4 || b < 1 || d[2] % b != 0 || d[3] % b != 0)
    w.Damaged("blocks of ", b, " in ", ToString(d));
  if (!w.ok()) return w.Done();
  const ValueId parts = w.Transpose(
      w.Reshape(x, {d[0], d[1], d[2] / b, b, d[3] / b, b}), {0, 3, 5, 1, 2, 4});
  return w.Done(w.Reshape(parts, {d[0], d[1] * b * b, d[2] / b, d[3] / b}));
}

Status DepthToSpaceAny(Context& context, const Operator& op) {
  Writer w(context, op);
  const ValueId x = w.Need(0);
  const Dims d = w.Static(x);
  const int64_t b = w.Int("blocksize", 1);
  const bool columns_first = w.Text("mode", "DCR") == "DCR";
  if (d.size() != 4 || b < 1 || d[1] % (b * b) != 0)
    w.Damaged("blocks of ", b, " in ", ToString(d));
  if (!w.ok()) return w.Done();
  const int64_t c = d[1] / (b * b);
  const ValueId apart =
      columns_first ? w.Transpose(w.Reshape(x, {d[0], b, b, c, d[2], d[3]}),
                                  {0, 3, 4, 1, 5, 2})
                    : w.Transpose(w.Reshape(x, {d[0], c, b, b, d[2], d[3]}),
                                  {0, 1, 4, 2, 5, 3});
  return w.Done(w.Reshape(apart, {d[0], c, d[2] * b, d[3] * b}));
}

// Cut or filled with zeros, alike on both sides.
Status CenterCropPad(Context& context, const Operator& op) {
  Writer w(context, op);
  ValueId x = w.Need(0);
  const Int64s to = w.Ints("shape", 1);
  Int64s axes = w.Ints("axes");
  const Dims d = w.Static(x);
  if (!op.attributes.Has("axes"))
    for (size_t i = 0; i < d.size(); ++i)
      axes.push_back(static_cast<int64_t>(i));
  if (axes.size() != to.size()) w.Damaged("axes and shape differ in length");
  Int64s pads(2 * d.size(), 0);
  bool fills = false;
  for (size_t i = 0; w.ok() && i < axes.size(); ++i) {
    const int64_t a = w.Axis(axes[i], w.rank(x));
    const int64_t have = d[static_cast<size_t>(a)];
    if (to[i] < have) {
      const int64_t from = (have - to[i]) / 2;
      x = w.Slice(x, a, from, from + to[i]);
    } else if (to[i] > have) {
      pads[2 * static_cast<size_t>(a)] = (to[i] - have) / 2;
      pads[2 * static_cast<size_t>(a) + 1] = to[i] - have - (to[i] - have) / 2;
      fills = true;
    }
  }
  if (!w.ok() || !fills) return w.Done(x);
  const ValueId paddings = w.Constant(Tensor::Integers(
      {static_cast<int64_t>(d.size()), 2}, std::move(pads), kI32));
  return w.Done(w.Tflite("PAD", {x, paddings}, w.type(x)));
}

}  // namespace munja::foreign::onnx
