// Matrix products.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "import/paddle/context.h"
#include "import/paddle/writer.h"

namespace munja::importer::paddle {
namespace {

using Ints = std::vector<int64_t>;

// Transposes the last two axes.
Result<ValueId> TurnLast(Context& context, const Operation& op,
                         const char* what, ValueId v) {
  const size_t rank = context.ShapeOf(v).size();
  if (rank < 2)
    return Unsupported(op, ": operand of shape ", ToString(context.ShapeOf(v)));
  Ints perm;
  for (size_t i = 0; i < rank; ++i) perm.push_back(static_cast<int64_t>(i));
  std::swap(perm[rank - 1], perm[rank - 2]);
  graph::Attributes a;
  a.Set("perm", std::move(perm));
  return context.Step(op, what, "Transpose", {v}, std::move(a));
}

// A matrix whose columns are the axes from `columns` on.
Result<ValueId> ToMatrix(Context& context, const Operation& op,
                         const char* what, ValueId v, int64_t columns) {
  const Dims& shape = context.ShapeOf(v);
  if (columns < 1 || columns >= static_cast<int64_t>(shape.size()))
    return Malformed(op, ": ", columns, " axes of rows in ", ToString(shape));
  if (shape.size() == 2) return v;
  graph::Attributes a;
  if (columns == 1) {
    a.Set("shape", Ints{0, -1});
  } else {
    MUNJA_ASSIGN_OR_RETURN(
        const int64_t width,
        CountElements(Dims(shape.begin() + columns, shape.end())).With(op));
    a.Set("shape", Ints{-1, width});
  }
  return context.Step(op, what, "Reshape", {v}, std::move(a));
}

// With an axis of 1 more, or less.
Result<ValueId> WithAxis(Context& context, const Operation& op,
                         const char* what, ValueId v, int64_t axis) {
  graph::Attributes a;
  a.Set("axes", Ints{axis});
  return context.Step(op, "vector", what, {v}, std::move(a));
}

}  // namespace

Status MatMul(Context& context, const Operation& op) {
  MUNJA_ASSIGN_OR_RETURN(ValueId x, context.One(op, "X"));
  MUNJA_ASSIGN_OR_RETURN(ValueId y, context.One(op, "Y"));
  for (const char* name :
       {"fused_reshape_X", "fused_reshape_Y", "fused_transpose_X",
        "fused_transpose_Y", "fused_reshape_Out", "fused_transpose_Out"}) {
    MUNJA_ASSIGN_OR_RETURN(const Ints fused, op.attributes.Ints(name));
    if (!fused.empty()) return Unsupported(op, ": ", name);
  }
  MUNJA_ASSIGN_OR_RETURN(
      const bool turn_x,
      Flag(op, {"transpose_X", "trans_x", "transpose_x"}, false));
  MUNJA_ASSIGN_OR_RETURN(
      const bool turn_y,
      Flag(op, {"transpose_Y", "trans_y", "transpose_y"}, false));
  // A vector is a row on the left and a column on the right, and is not turned.
  const bool row = context.ShapeOf(x).size() == 1;
  const bool column = context.ShapeOf(y).size() == 1;
  if (row && column) return Unsupported(op, ": a product of two vectors");
  if (row) {
    MUNJA_ASSIGN_OR_RETURN(x, WithAxis(context, op, "Unsqueeze", x, 0));
  } else if (turn_x) {
    MUNJA_ASSIGN_OR_RETURN(x, TurnLast(context, op, "x", x));
  }
  if (column) {
    MUNJA_ASSIGN_OR_RETURN(y, WithAxis(context, op, "Unsqueeze", y, 1));
  } else if (turn_y) {
    MUNJA_ASSIGN_OR_RETURN(y, TurnLast(context, op, "y", y));
  }
  MUNJA_ASSIGN_OR_RETURN(const double alpha, op.attributes.Float("alpha", 1));
  if (alpha == 1 && !row && !column)
    return context.Emit(op, "Out", "MatMul", {x, y});
  MUNJA_ASSIGN_OR_RETURN(ValueId product,
                         context.Step(op, "product", "MatMul", {x, y}));
  if (row || column) {
    MUNJA_ASSIGN_OR_RETURN(
        product, WithAxis(context, op, "Squeeze", product, row ? -2 : -1));
  }
  if (alpha == 1) return context.Bind(op, "Out", product);
  return context.Emit(op, "Out", "Mul", {product, context.Number(alpha)});
}

// A product of matrices that tensors are read as. Rows of several axes keep
// them where the columns are one axis.
Status Mul(Context& context, const Operation& op) {
  MUNJA_ASSIGN_OR_RETURN(ValueId x, context.One(op, "X"));
  MUNJA_ASSIGN_OR_RETURN(ValueId y, context.One(op, "Y"));
  MUNJA_ASSIGN_OR_RETURN(const int64_t x_rows,
                         op.attributes.Int("x_num_col_dims", 1));
  MUNJA_ASSIGN_OR_RETURN(const int64_t y_rows,
                         op.attributes.Int("y_num_col_dims", 1));
  const int64_t rank = static_cast<int64_t>(context.ShapeOf(x).size());
  if (context.ShapeOf(y).size() != 2 || y_rows != 1)
    return Unsupported(op, ": a second operand of shape ",
                       ToString(context.ShapeOf(y)));
  if (x_rows != rank - 1) {
    if (x_rows != 1)
      return Unsupported(op, ": x_num_col_dims ", x_rows, " of ",
                         ToString(context.ShapeOf(x)));
    MUNJA_ASSIGN_OR_RETURN(x, ToMatrix(context, op, "matrix", x, x_rows));
  }
  return context.Emit(op, "Out", "MatMul", {x, y});
}

Status FullyConnected(Context& context, const Operation& op) {
  MUNJA_ASSIGN_OR_RETURN(ValueId x, context.One(op, "Input"));
  MUNJA_ASSIGN_OR_RETURN(const ValueId w, context.One(op, "W"));
  MUNJA_ASSIGN_OR_RETURN(const ValueId bias, context.Optional(op, "Bias"));
  MUNJA_ASSIGN_OR_RETURN(const int64_t rows,
                         op.attributes.Int("in_num_col_dims", 1));
  MUNJA_ASSIGN_OR_RETURN(const std::string activation,
                         op.attributes.Text("activation_type", ""));
  if (!activation.empty() && activation != "relu")
    return Unsupported(op, ": activation_type ", activation);
  MUNJA_ASSIGN_OR_RETURN(const bool padded,
                         Flag(op, {"padding_weights"}, false));
  if (padded) return Unsupported(op, ": padding_weights");
  if (rows != static_cast<int64_t>(context.ShapeOf(x).size()) - 1) {
    MUNJA_ASSIGN_OR_RETURN(x, ToMatrix(context, op, "matrix", x, rows));
  }
  MUNJA_ASSIGN_OR_RETURN(ValueId y,
                         context.Step(op, "product", "MatMul", {x, w}));
  if (bias != kNoValue) {
    MUNJA_ASSIGN_OR_RETURN(y, context.Step(op, "sum", "Add", {y, bias}));
  }
  if (!activation.empty()) {
    MUNJA_ASSIGN_OR_RETURN(y, context.Step(op, "relu", "Relu", {y}));
  }
  return context.Bind(op, "Out", y);
}

// Each element of X times all of Y.
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

}  // namespace munja::importer::paddle
