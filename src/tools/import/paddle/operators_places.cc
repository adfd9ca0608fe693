// Elements at places that indices or a mask give, and triangles of matrices.
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "import/paddle/writer.h"
#include "import/positions.h"

namespace munja::foreign::paddle {

// The elements where the mask holds, one after the other.
Status MaskedSelect(Context& context, const Operation& op) {
  Writer w(context, op);
  const ValueId x = w.Need("X"), mask = w.Need("Mask");
  if (!w.ok()) return w.Done();
  if (w.type(mask) != ElementType::kBool) w.Damaged("a mask of numbers");
  if (w.shape(x) != w.shape(mask)) w.Refuse("a mask of another shape");
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
  if (w.rank(index) != w.rank(x)) w.Damaged("indices of another rank");
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
  if (at.size() != dims.size()) w.Damaged("indices of another rank");
  const int64_t along = w.Axis(axis, w.rank(x));
  if (!w.ok()) return w.Done();
  value = w.Expand(value, at);
  const ValueId flat = FlatIndices(w, index, dims, along);
  return w.Done("Result", ScatterRows(w, x, {ElementsOf(dims), 1}, flat, value,
                                      reduction));
}

// Rows in the place of others, or, where `overwrite` is not set, sums in the
// place of the rows that are named.
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
  // What is named begins at 0.
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

// What lies above a diagonal of matrices, or below it, becomes 0.
Status Triangle(Context& context, const Operation& op) {
  Writer w(context, op);
  const ValueId x = w.Need("X");
  const int64_t diagonal = w.Given(op.attributes.Int("diagonal", 0));
  const bool lower = op.type == "tril_triu"
                         ? w.Given(Flag(op, {"lower"}, false))
                         : op.type == "tril";
  const Dims dims = w.Static(x);
  if (!w.ok()) return w.Done();
  if (dims.size() < 2) w.Damaged("no matrix");
  if (!w.ok()) return w.Done();
  const int64_t rows = dims[dims.size() - 2], columns = dims.back();
  constexpr int64_t kMostPlaces = 1 << 22;
  if (rows > kMostPlaces || columns > kMostPlaces ||
      rows * columns > kMostPlaces)
    w.Refuse("so large a matrix");
  if (!w.ok()) return w.Done();
  Int64s stays;
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < columns; ++c)
      stays.push_back(lower ? c - r <= diagonal : c - r >= diagonal);
  const ValueId mask = w.Constant(
      Tensor::Integers({rows, columns}, std::move(stays), ElementType::kBool));
  return w.Done("Out", w.Select(mask, x, w.Like(x, 0)));
}

// Each number of X times all of Y.
Status Kronecker(Context& context, const Operation& op) {
  Writer w(context, op);
  ValueId x = w.Need("X"), y = w.Need("Y");
  if (!w.ok()) return w.Done();
  w.Match(&x, &y);
  Dims a = w.Static(x), b = w.Static(y);
  if (!w.ok()) return w.Done();
  const size_t rank = std::max(a.size(), b.size());
  if (rank > 4) w.Refuse("more than four axes");
  if (!w.ok()) return w.Done();
  a.insert(a.begin(), rank - a.size(), 1);
  b.insert(b.begin(), rank - b.size(), 1);
  Dims apart_a, apart_b, all;
  for (size_t i = 0; i < rank; ++i) {
    apart_a.insert(apart_a.end(), {a[i], 1});
    apart_b.insert(apart_b.end(), {1, b[i]});
    all.push_back(a[i] * b[i]);
  }
  return w.Done(
      "Out",
      w.Reshape(w.Mul(w.Reshape(x, apart_a), w.Reshape(y, apart_b)), all));
}

// So many numbers from the first to the last.
Status Linspace(Context& context, const Operation& op) {
  Writer w(context, op);
  const auto number = [&](const char* name) {
    const Tensor* t = w.Given(context.Constant(op, name));
    if (t == nullptr || t->elements() != 1) {
      w.Damaged(name, " is not one number");
      return 0.0;
    }
    return t->is_integer ? static_cast<double>(t->integers[0])
                         : static_cast<double>(t->floats[0]);
  };
  const double first = number("Start"), last = number("Stop");
  const double count = number("Num");
  if (w.Given(IsIntegerConstant(op))) w.Refuse("of integers");
  if (!(count >= 1) || count > (1 << 24)) w.Damaged("Num ", count);
  if (!w.ok()) return w.Done();
  const auto n = static_cast<int64_t>(count);
  std::vector<float> values;
  for (int64_t i = 0; i < n; ++i)
    values.push_back(static_cast<float>(
        n == 1 ? first
               : first + (last - first) * static_cast<double>(i) /
                             static_cast<double>(n - 1)));
  return w.Done("Out", w.Constant(Tensor::Floats({n}, std::move(values))));
}

// x (k + alpha * the squares of the channels around)^-beta
Status LocalResponse(Context& context, const Operation& op) {
  MUNJA_RETURN_IF_ERROR(NeedChannelsFirst(op));
  Writer w(context, op);
  const int64_t size = w.Given(op.attributes.Int("n", 5));
  const double k = w.Given(op.attributes.Float("k", 2));
  const double alpha = w.Given(op.attributes.Float("alpha", 0.0001));
  const double beta = w.Given(op.attributes.Float("beta", 0.75));
  const ValueId x = w.Need("X");
  if (!w.ok()) return w.Done();
  const int64_t channels = w.rank(x) == 4 ? w.shape(x)[1] : kUnknown;
  constexpr int64_t kMostChannels = 2048;
  if (channels < 1 || channels > kMostChannels)
    w.Refuse("a map of shape ", ToString(w.shape(x)));
  if (size < 1) w.Damaged("n ", size);
  if (!w.ok()) return w.Done();
  // The sums of neighbors are a 1x1 convolution with ones.
  const int64_t before = (size - 1) / 2;
  std::vector<float> ones;
  for (int64_t r = 0; r < channels; ++r)
    for (int64_t c = 0; c < channels; ++c)
      ones.push_back(c >= r - before && c < r - before + size ? 1.0f : 0.0f);
  const ValueId sum =
      w.Neutral("Conv", {w.Unary("Square", x),
                         w.Constant(Tensor::Floats({channels, channels, 1, 1},
                                                   std::move(ones)))});
  return w.Done("Out", w.Div(x, w.Binary("Pow", w.Add(w.Mul(sum, alpha), k),
                                         w.Scalar(beta))));
}

}  // namespace munja::foreign::paddle
