// Reductions, softmax and running sums.
#include <algorithm>
#include <utility>
#include <vector>

#include "import/ncnn/layers/helpers.h"
#include "import/ncnn/writer.h"

namespace munja::importer::ncnn {
namespace {

using Ints = std::vector<int64_t>;

}  // namespace

Status Reduction(Context& context, const Layer& layer) {
  const Blob in = context.In(layer);
  MUNJA_ASSIGN_OR_RETURN(const int operation, layer.Int(0, 0));
  MUNJA_ASSIGN_OR_RETURN(const int all, layer.Int(1, 1));
  MUNJA_ASSIGN_OR_RETURN(const double factor, layer.Float(2, 1));
  MUNJA_ASSIGN_OR_RETURN(Ints axes, layer.Ints(3));
  MUNJA_ASSIGN_OR_RETURN(const int keep, layer.Int(4, 0));
  MUNJA_ASSIGN_OR_RETURN(const int axes_fixed, layer.Int(5, 0));
  const char* op = operation == 0   ? "ReduceSum"
                   : operation == 3 ? "ReduceMean"
                   : operation == 4 ? "ReduceMax"
                   : operation == 5 ? "ReduceMin"
                                    : nullptr;
  if (op == nullptr || factor != 1)
    return Unsupported(layer, ": operation ", operation, " with coefficient ",
                       factor);
  if (all != 0) {
    axes.clear();
    for (int i = 0; i < in.rank; ++i) axes.push_back(i);
  } else if (axes_fixed == 0) {
    return Unsupported(layer,
                       ": the file is older than the present meaning of axes");
  }
  for (int64_t& axis : axes) {
    MUNJA_ASSIGN_OR_RETURN(axis, NormalizeAxis(axis, in.rank).With(layer));
    ++axis;  // The batch comes first.
  }
  std::sort(axes.begin(), axes.end());
  graph::Attributes a;
  const bool to_channels = in.rank == 3 && axes == Ints{2, 3};
  a.Set("axes", axes);
  a.Set("keepdims", int64_t{keep != 0 || to_channels});
  const int rank =
      keep != 0 ? in.rank : in.rank - static_cast<int>(axes.size());
  if (keep != 0 || to_channels)
    return context.Emit(layer, op, {in.value}, std::move(a), rank);
  if (rank == 2 && in.rank == 3)
    return context.Emit(layer, op, {in.value}, std::move(a), 2);
  return Unsupported(layer, ": a reduction to rank ", rank);
}

Status Softmax(Context& context, const Layer& layer) {
  const Blob in = context.In(layer);
  MUNJA_ASSIGN_OR_RETURN(const int given, layer.Int(0, 0));
  MUNJA_ASSIGN_OR_RETURN(const int axis_fixed, layer.Int(1, 0));
  if (axis_fixed == 0 && given != 0)
    return Unsupported(layer,
                       ": the file is older than the present meaning of axis");
  MUNJA_ASSIGN_OR_RETURN(const int64_t axis,
                         NormalizeAxis(given, in.rank).With(layer));
  graph::Attributes a;
  a.Set("axis", axis + 1);
  return context.Emit(layer, "Softmax", {in.value}, std::move(a), in.rank);
}

Status CumulativeSum(Context& context, const Layer& layer) {
  Writer w(context, layer);
  const int rank = w.in_rank();
  const int given = w.Given(layer.Int(0, 0));
  // A vector has a single axis, whatever the parameter.
  const int64_t axis = rank == 1 ? 1 : AxisOf(w, given);
  return w.Done(
      w.Tflite("CUMSUM", {w.in(), w.Scalar(static_cast<double>(axis), kI32)},
               kF32, {{"exclusive", false}, {"reverse", false}}),
      rank);
}

}  // namespace munja::importer::ncnn
