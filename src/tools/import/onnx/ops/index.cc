// Gathering, scattering and sorting.
#include <algorithm>
#include <string>

#include "import/compose/positions.h"
#include "import/onnx/operators.h"
#include "import/onnx/writer.h"

namespace munja::importer::onnx {

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

Status Unique(Context& context, const Operator& op) {
  Writer w(context, op);
  const ValueId x = w.Need(0);
  graph::Attributes options;
  options.Set("sorted", w.Int("sorted", 1));
  Dims shape = {kUnknown};
  if (op.attributes.Has("axis")) {
    const int64_t axis = w.Axis(w.Int("axis", 0), w.rank(x));
    options.Set("axis", axis);
    shape = w.shape(x);
    if (w.ok()) shape[static_cast<size_t>(axis)] = kUnknown;
  }
  const Values y =
      w.CustomMany("MunjaUnique", {x}, {w.type(x), kI64, kI64, kI64}, options,
                   {shape, {kUnknown}, {kUnknown}, {kUnknown}});
  for (size_t i = 0; i < y.size(); ++i) w.Set(i, y[i]);
  return w.Done();
}

}  // namespace munja::importer::onnx
