// Operators that move elements or change a shape.
#include <algorithm>
#include <string>
#include <utility>

#include "import/onnx/operators.h"
#include "import/onnx/writer.h"

namespace munja::importer::onnx {
namespace {

using Ints = std::vector<int64_t>;

}  // namespace

Status Concat(Context& context, const Operator& op) {
  MUNJA_ASSIGN_OR_RETURN(const int64_t axis, op.attributes.Int("axis", 1));
  for (const ValueId v : op.inputs)
    if (v == kNoValue) return Malformed(op, " lacks an input");
  graph::Attributes a;
  a.Set("axis", axis);
  return context.Emit(op, "Concat", op.inputs, std::move(a));
}

Status Slice(Context& context, const Operator& op) {
  bool present = false;
  MUNJA_ASSIGN_OR_RETURN(Ints starts, context.Ints(op, "starts", 1, &present));
  MUNJA_ASSIGN_OR_RETURN(Ints ends, context.Ints(op, "ends", 2, &present));
  MUNJA_ASSIGN_OR_RETURN(Ints axes, context.Ints(op, "axes", 3, &present));
  if (!present)
    for (size_t i = 0; i < starts.size(); ++i)
      axes.push_back(static_cast<int64_t>(i));
  MUNJA_ASSIGN_OR_RETURN(Ints steps, context.Ints(op, "steps", 4, &present));
  if (!present) steps.assign(axes.size(), 1);
  graph::Attributes a;
  a.Set("starts", std::move(starts));
  a.Set("ends", std::move(ends));
  a.Set("axes", std::move(axes));
  a.Set("steps", std::move(steps));
  return context.Emit(op, "Slice", {op.inputs[0]}, std::move(a));
}

// Squeeze and Unsqueeze.
Status Squeeze(Context& context, const Operator& op) {
  bool present = false;
  MUNJA_ASSIGN_OR_RETURN(Ints axes, context.Ints(op, "axes", 1, &present));
  if (!present && op.type == "Unsqueeze") return Malformed(op, " has no axes");
  graph::Attributes a;
  a.Set("axes", std::move(axes));
  return context.Emit(op, op.type, {op.inputs[0]}, std::move(a));
}

Status Reshape(Context& context, const Operator& op) {
  MUNJA_ASSIGN_OR_RETURN(const int64_t allow_zero,
                         op.attributes.Int("allowzero", 0));
  if (op.input(1) == kNoValue) return Malformed(op, " has no shape");
  const std::vector<ShapeEntry> entries = context.builder.Entries(op.inputs[1]);
  // A shape of no sizes makes a scalar.
  const bool is_scalar = context.ShapeOf(op.inputs[1]) == Dims{0};
  if ((entries.empty() && !is_scalar) || entries.size() > 8)
    return Unsupported(op, ": this shape, computed at run time");
  Ints shape;
  int open = 0;
  for (size_t i = 0; i < entries.size(); ++i) {
    const ShapeEntry& e = entries[i];
    if (e.tensor == kNoValue) {
      if (e.number == 0 && allow_zero != 0)
        return Unsupported(op, ": a size of zero");
      shape.push_back(e.number);
    } else if (e.tensor == op.inputs[0] && e.axis == static_cast<int64_t>(i)) {
      shape.push_back(0);  // The same axis of the input.
    } else {
      shape.push_back(-1);
    }
    if (shape.back() == -1) ++open;
  }
  if (open > 1)
    return Unsupported(op,
                       ": a shape with several sizes computed "
                       "at run time");
  graph::Attributes a;
  a.Set("shape", std::move(shape));
  return context.Emit(op, "Reshape", {op.inputs[0]}, std::move(a));
}

Status Flatten(Context& context, const Operator& op) {
  const Dims& x = context.ShapeOf(op.inputs[0]);
  const int64_t rank = static_cast<int64_t>(x.size());
  MUNJA_ASSIGN_OR_RETURN(int64_t axis, op.attributes.Int("axis", 1));
  if (axis < 0) axis += rank;
  if (axis < 0 || axis > rank) return Malformed(op, ": axis ", axis);
  graph::Attributes a;
  if (axis == 1) {
    a.Set("shape", Ints{0, -1});
  } else {
    MUNJA_ASSIGN_OR_RETURN(
        const int64_t outer,
        CountElements(Dims(x.begin(), x.begin() + axis)).With(op));
    a.Set("shape", Ints{outer, -1});
  }
  return context.Emit(op, "Reshape", {op.inputs[0]}, std::move(a));
}

Status Transpose(Context& context, const Operator& op) {
  MUNJA_ASSIGN_OR_RETURN(Ints perm, op.attributes.Ints("perm"));
  if (perm.empty())
    for (size_t i = context.ShapeOf(op.inputs[0]).size(); i-- > 0;)
      perm.push_back(static_cast<int64_t>(i));
  graph::Attributes a;
  a.Set("perm", std::move(perm));
  return context.Emit(op, "Transpose", {op.inputs[0]}, std::move(a));
}

namespace {

constexpr int64_t kMaxPlaces = 1 << 22;  // Indices of one axis.

// The source of the element at `i` (from -before on).
int64_t Source(const std::string& mode, int64_t i, int64_t n) {
  if (mode == "edge") return std::clamp<int64_t>(i, 0, n - 1);
  if (mode == "wrap") return ((i % n) + n) % n;
  if (n == 1) return 0;
  const int64_t period = 2 * (n - 1);  // reflect
  const int64_t at = ((i % period) + period) % period;
  return at < n ? at : period - at;
}

}  // namespace

Status PadAny(Context& context, const Operator& op) {
  Writer w(context, op);
  ValueId x = w.Need(0);
  bool present = false;
  const Int64s given = w.Ints("pads", 1, &present);
  const std::string mode = w.Text("mode", "constant");
  const double value = w.has(2) && !w.is_float(x)
                           ? [&] {
                               const Int64s v = w.Ints("value", 2, &present);
                               return v.empty() ? 0.0
                                                : static_cast<double>(v[0]);
                             }()
                           : w.Number("value", 2, 0);
  const size_t rank = w.shape(x).size();
  Int64s axes;
  if (w.has(3))
    axes = w.Ints("axes", 3, &present);
  else
    for (size_t i = 0; i < rank; ++i) axes.push_back(static_cast<int64_t>(i));
  if (given.size() != 2 * axes.size())
    w.Damaged("pads has ", given.size(), " values");
  if (!w.ok()) return w.Done();
  Int64s pads(2 * rank, 0);
  bool cuts = false;
  for (size_t i = 0; i < axes.size(); ++i) {
    const size_t a = static_cast<size_t>(w.Axis(axes[i], w.rank(x)));
    if (!w.ok()) return w.Done();
    pads[a] = given[i];
    pads[a + rank] = given[i + axes.size()];
    cuts = cuts || pads[a] < 0 || pads[a + rank] < 0;
    for (const int64_t pad : {pads[a], pads[a + rank]})
      if (pad > (1 << 20) || pad < -kMaxElements) w.Damaged("padding of ", pad);
    if (!w.ok()) return w.Done();
  }
  if (w.is_float(x) && !cuts && (mode == "constant" || mode == "reflect"))
    return w.Done(w.Neutral(
        "Pad", {x}, {{"pads", pads}, {"value", value}, {"mode", mode}}));
  if (mode != "constant" && mode != "reflect" && mode != "edge" &&
      mode != "wrap")
    w.Damaged("mode ", mode);
  const Dims d = w.Static(x);
  if (!w.ok()) return w.Done();
  if (mode != "constant") {
    for (size_t a = 0; a < rank && w.ok(); ++a) {
      if (pads[a] == 0 && pads[a + rank] == 0) continue;
      if (d[a] < 1) w.Damaged("an empty input");
      const int64_t count = pads[a] + d[a] + pads[a + rank];
      if (count < 0) w.Damaged("more is cut off than there is");
      if (count > kMaxPlaces) w.Refuse(mode, " to ", count, " elements");
      if (!w.ok()) break;
      Int64s places;
      for (int64_t i = -pads[a]; i < d[a] + pads[a + rank]; ++i)
        places.push_back(Source(mode, i, d[a]));
      x = w.Gather(x, w.List(places), static_cast<int64_t>(a));
    }
    return w.Done(x);
  }
  Int64s around(2 * rank, 0), all, starts, ends;
  for (size_t a = 0; a < rank; ++a) {
    around[2 * a] = std::max<int64_t>(pads[a], 0);
    around[2 * a + 1] = std::max<int64_t>(pads[a + rank], 0);
    all.push_back(static_cast<int64_t>(a));
    starts.push_back(std::max<int64_t>(-pads[a], 0));
    ends.push_back(d[a] + std::min<int64_t>(pads[a + rank], 0));
  }
  if (cuts) x = w.Slice(x, all, starts, ends, Int64s(rank, 1));
  const ElementType own = w.type(x);
  Tensor with = own == ElementType::kFloat32
                    ? Tensor::Floats({1}, {static_cast<float>(value)})
                    : Tensor::Integers({1}, {static_cast<int64_t>(value)}, own);
  const ValueId paddings = w.Constant(Tensor::Integers(
      {static_cast<int64_t>(rank), 2}, std::move(around), ElementType::kInt32));
  if (value == 0) return w.Done(w.Tflite("PAD", {x, paddings}, own));
  return w.Done(
      w.Tflite("PADV2", {x, paddings, w.Constant(std::move(with))}, own));
}

// Splits by sizes, or evenly into N parts, of which the last may be smaller.
Status SplitAny(Context& context, const Operator& op) {
  Writer w(context, op);
  const ValueId x = w.Need(0);
  bool present = false;
  Int64s sizes = w.Ints("split", 1, &present);
  const int64_t axis = w.Axis(w.Int("axis", 0), w.rank(x));
  if (!w.ok()) return w.Done();
  const int64_t n = w.shape(x)[static_cast<size_t>(axis)];
  const int64_t parts = static_cast<int64_t>(op.outputs.size());
  if (sizes.empty() && n >= 0 && op.attributes.Has("num_outputs") &&
      parts > 0 && n % parts != 0) {
    const int64_t each = (n + parts - 1) / parts;
    for (int64_t i = 0; i < parts; ++i)
      sizes.push_back(std::clamp<int64_t>(n - i * each, 0, each));
  }
  Node node;
  node.op = "Split";
  node.name = op.name;
  node.inputs = {x};
  node.attributes.Set("axis", axis);
  node.attributes.Set("sizes", std::move(sizes));
  MUNJA_ASSIGN_OR_RETURN(const std::vector<ValueId> made,
                         context.builder.AddNode(std::move(node), op.outputs));
  for (size_t i = 0; i < made.size(); ++i) w.Set(i, made[i]);
  return w.Done();
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

}  // namespace munja::importer::onnx
