// Gathering, scattering and sorting.
#include <cstdint>
#include <string>

#include "import/compose/positions.h"
#include "import/paddle/ops/helpers.h"
#include "import/paddle/writer.h"

namespace munja::importer::paddle {

// A row of zeros with a one at each index.
Status OneHot(Context& context, const Operation& op) {
  Writer w(context, op);
  const ValueId x = w.Need("X");
  const int64_t depth =
      w.Number("depth_tensor", w.Given(op.attributes.Int("depth", 0)));
  if (depth < 1 || depth > INT32_MAX) w.Damaged("a depth of ", depth);
  return w.Done("Out", w.Tflite("ONE_HOT",
                                {w.Cast(x, kI32),
                                 w.Scalar(static_cast<double>(depth), kI32),
                                 w.Scalar(1), w.Scalar(0)},
                                kF32, {{"axis", int64_t{-1}}}));
}

Status IndexSelect(Context& context, const Operation& op) {
  Writer w(context, op);
  const ValueId x = w.Need("X"), index = w.Need("Index");
  const int64_t axis = FromFront(w, w.Given(op.attributes.Int("dim", 0)), x);
  return w.Done("Out", w.Gather(x, index, axis));
}

// Looks up rows of a table; one padding id gives zeros.
Status Embedding(Context& context, const Operation& op) {
  Writer w(context, op);
  const ValueId table = w.Need("W");
  ValueId places = w.Need("Ids");
  if (!w.ok()) return w.Done();
  // The first version has an axis of size 1 at the end.
  if (op.type == "lookup_table" && w.rank(places) > 1)
    places = w.Squeeze(places, {w.rank(places) - 1});
  const ValueId rows = w.Gather(table, places, 0);
  const int64_t empty = w.Given(op.attributes.Int("padding_idx", -1));
  if (empty == -1) return w.Done("Out", rows);
  const ValueId is_empty = w.Unsqueeze(
      w.Compare("EQUAL", places, w.Like(places, static_cast<double>(empty))),
      {w.ok() ? w.rank(places) : 0});
  return w.Done("Out", w.Select(is_empty, w.Like(rows, 0), rows));
}

// Selects elements of each row by index.
Status IndexSample(Context& context, const Operation& op) {
  Writer w(context, op);
  const ValueId x = w.Need("X"), index = w.Need("Index");
  if (w.ok() && (w.rank(x) != 2 || w.rank(index) != 2))
    w.Damaged("of shape ", ToString(w.shape(x)));
  return w.Done("Out",
                w.Tflite("GATHER", {x, index}, w.ok() ? w.type(x) : kF32,
                         {{"axis", int64_t{1}}, {"batch_dims", int64_t{1}}}));
}

// The elements where the mask holds, one after the other.
Status MaskedSelect(Context& context, const Operation& op) {
  Writer w(context, op);
  const ValueId x = w.Need("X"), mask = w.Need("Mask");
  if (!w.ok()) return w.Done();
  if (w.type(mask) != ElementType::kBool)
    w.Damaged("a mask that is not boolean");
  if (w.shape(x) != w.shape(mask)) w.Refuse("a mask of a different shape");
  if (!w.ok()) return w.Done();
  const ValueId places =
      w.TfliteMany("WHERE", {mask}, {kI64}, {}, {{kUnknown, w.rank(mask)}})[0];
  return w.Done("Y", w.Tflite("GATHER_ND", {x, places}, w.type(x)));
}

Status TakeAlongAxis(Context& context, const Operation& op) {
  Writer w(context, op);
  const ValueId x = w.Need("Input"), index = w.Need("Index");
  const int64_t axis = w.Given(op.attributes.Int("Axis", 0));
  const Dims dims = w.Static(x);
  if (!w.ok()) return w.Done();
  if (w.rank(index) != w.rank(x)) w.Damaged("indices of a different rank");
  const int64_t along = w.Axis(axis, w.rank(x));
  if (!w.ok()) return w.Done();
  const ValueId flat = FlatIndices(w, index, dims, along);
  return w.Done("Result", w.Gather(w.Reshape(x, {ElementsOf(dims)}), flat, 0));
}

Status PutAlongAxis(Context& context, const Operation& op) {
  Writer w(context, op);
  const ValueId x = w.Need("Input"), index = w.Need("Index");
  ValueId value = w.Need("Value");
  const int64_t axis = w.Given(op.attributes.Int("Axis", 0));
  const std::string given = w.Given(op.attributes.Text("Reduce", "assign"));
  const bool itself = w.Given(Flag(op, {"Include_self", "include_self"}, true));
  const Dims dims = w.Static(x), at = w.Static(index);
  if (!itself && given != "assign") w.Refuse("a sum without what was there");
  const std::string reduction = given == "assign"                       ? "none"
                                : given == "add"                        ? "add"
                                : given == "mul" || given == "multiply" ? "mul"
                                                                        : "";
  if (reduction.empty()) w.Refuse("Reduce ", given);
  if (!w.ok()) return w.Done();
  if (at.size() != dims.size()) w.Damaged("indices of a different rank");
  const int64_t along = w.Axis(axis, w.rank(x));
  if (!w.ok()) return w.Done();
  value = w.Expand(value, at);
  const ValueId flat = FlatIndices(w, index, dims, along);
  return w.Done("Result", ScatterRows(w, x, {ElementsOf(dims), 1}, flat, value,
                                      reduction));
}

// Replaces rows, or, without `overwrite`, sums updates into the indexed rows.
Status ScatterByRow(Context& context, const Operation& op) {
  Writer w(context, op);
  const ValueId x = w.Need("X");
  ValueId ids = w.Need("Ids");
  const ValueId updates = w.Need("Updates");
  const bool overwrite = w.Given(Flag(op, {"overwrite"}, true));
  const Dims dims = w.Static(x), at = w.Static(ids);
  if (!w.ok()) return w.Done();
  const int64_t count = ElementsOf(at);
  if (dims.empty() || dims[0] < 1 || at.size() > 2 ||
      (at.size() == 2 && at[1] != 1))
    w.Damaged("indices of shape ", ToString(at));
  if (!w.ok()) return w.Done();
  const Dims rows = {dims[0], ElementsOf(dims) / dims[0]};
  ids = w.Cast(FromFront(w, w.Reshape(ids, {count}), dims[0]), kI32);
  if (overwrite)
    return w.Done("Out", ScatterRows(w, x, rows, ids, updates, "none"));
  // Indexed elements start at 0.
  const ValueId none = w.Mul(updates, 0.0);
  const ValueId empty = ScatterRows(w, x, rows, ids, none, "none");
  return w.Done("Out", ScatterRows(w, empty, rows, ids, updates, "add"));
}

Status ScatterNdAdd(Context& context, const Operation& op) {
  Writer w(context, op);
  const ValueId x = w.Need("X"), index = w.Need("Index");
  const ValueId updates = w.Need("Updates");
  const Dims dims = w.Static(x), at = w.Static(index);
  if (!w.ok()) return w.Done();
  if (at.empty() || at.back() < 1 ||
      static_cast<size_t>(at.back()) > dims.size())
    w.Damaged("indices of shape ", ToString(at));
  if (!w.ok()) return w.Done();
  int64_t inner = 1;
  for (size_t i = static_cast<size_t>(at.back()); i < dims.size(); ++i)
    inner *= dims[i];
  if (inner < 1) w.Refuse("empty rows");
  if (!w.ok()) return w.Done();
  return w.Done("Out",
                ScatterRows(w, x, {ElementsOf(dims) / inner, inner},
                            RowPositions(w, index, dims, 0), updates, "add"));
}

// The first version knows the last axis and the largest alone.
Status TopK(Context& context, const Operation& op) {
  Writer w(context, op);
  const ValueId x = w.Need("X");
  const int64_t k = w.Number("K", w.Given(op.attributes.Int("k", 1)));
  const bool any = op.type == "top_k_v2";
  const int64_t axis = any ? w.Given(op.attributes.Int("axis", -1)) : -1;
  const bool largest = any ? w.Given(Flag(op, {"largest"}, true)) : true;
  const Values both = w.TopK(x, k, axis, largest);
  w.Set("Out", both[0]);
  w.Set("Indices", both[1]);
  return w.Done();
}

// Gathers by index vectors, one index for each of the first axes.
Status GatherNd(Context& context, const Operation& op) {
  Writer w(context, op);
  const ValueId x = w.Need("X"), index = w.Need("Index");
  return w.Done("Out", w.Tflite("GATHER_ND", {x, index}, w.type(x)));
}

// Sorts along an axis, stably.
Status ArgSort(Context& context, const Operation& op) {
  Writer w(context, op);
  const ValueId x = w.Need("X");
  const int64_t axis =
      w.Axis(w.Given(op.attributes.Int("axis", -1)), w.rank(x));
  const bool descending = w.Given(Flag(op, {"descending"}, false));
  if (!w.ok()) return w.Done();
  const int64_t size = w.shape(x)[static_cast<size_t>(axis)];
  if (size < 0) w.Refuse("an element count that is not static");
  const Values both = w.TopK(x, size, axis, descending);
  w.Set("Out", both[0]);
  w.Set("Indices", both[1]);
  return w.Done();
}

}  // namespace munja::importer::paddle
