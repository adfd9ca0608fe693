// Functions of one element or two.
#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "delegates/opencl/recording.h"
#include "delegates/opencl/steps/steps.h"
#include "graph/op_traits.h"
#include "kernels/elementwise/unary.h"
#include "ops/support/broadcast.h"
#include "ops/support/window.h"

namespace munja::delegates::opencl {
namespace {

// In the order of the kernel `binary`.
constexpr std::string_view kBinaries[] = {
    "ADD",  "SUB", "MUL", "DIV", "MINIMUM", "MAXIMUM", "SQUARED_DIFFERENCE",
    "PRELU"};

constexpr int kBinaryDims = 5;

// A dimension of the result, and how far the operands go in it.
struct Walked {
  int64_t dim = 1, a = 0, b = 0;
};

// Innermost first, merged where both operands go on as if it were one.
std::vector<Walked> WalkBoth(const Shape& a, const Shape& b, const Shape& out) {
  std::vector<Walked> walked;
  int64_t step_a = 1, step_b = 1;
  for (int k = 0; k < out.rank(); ++k) {
    const int64_t dim_a = k < a.rank() ? a.back(k) : 1;
    const int64_t dim_b = k < b.rank() ? b.back(k) : 1;
    const Walked next{out.back(k), dim_a == 1 ? 0 : step_a,
                      dim_b == 1 ? 0 : step_b};
    step_a *= dim_a;
    step_b *= dim_b;
    if (next.dim == 1) continue;
    if (!walked.empty() && next.a == walked.back().a * walked.back().dim &&
        next.b == walked.back().b * walked.back().dim) {
      walked.back().dim *= next.dim;
    } else {
      walked.push_back(next);
    }
  }
  return walked;
}

}  // namespace

Status RecordActivation(Recorder& r) {
  graph::Attributes fused;
  MUNJA_RETURN_IF_ERROR(graph::SetFusedActivation(r.node(), fused));
  MUNJA_ASSIGN_OR_RETURN(const kernels::Activation activation,
                         ops::ParseActivation(fused));
  MUNJA_ASSIGN_OR_RETURN(const Shape shape, r.ShapeOf(0));
  MUNJA_ASSIGN_OR_RETURN(const BufferArgument x, r.In(0));
  MUNJA_ASSIGN_OR_RETURN(const BufferArgument y, r.Out());
  Launch launch{Family::kElementwise, "activation", {x, y}};
  launch.Append(activation);
  launch.items = shape.elements();
  r.Emit(std::move(launch));
  return Status();
}

Status RecordUnary(Recorder& r) {
  const auto* const row =
      std::ranges::find(kernels::kUnaryRows, std::string_view(r.node().op),
                        &kernels::UnaryRow::name);
  if (row == std::end(kernels::kUnaryRows))
    return Unsupported("the operator is not supported");
  MUNJA_ASSIGN_OR_RETURN(const Shape shape, r.ShapeOf(0));
  MUNJA_ASSIGN_OR_RETURN(const BufferArgument x, r.In(0));
  MUNJA_ASSIGN_OR_RETURN(const BufferArgument y, r.Out());
  Launch launch{
      Family::kElementwise, "unary", {x, y, static_cast<int32_t>(row->kind)}};
  launch.items = shape.elements();
  r.Emit(std::move(launch));
  return Status();
}

Status RecordBinary(Recorder& r) {
  const auto* const what =
      std::ranges::find(kBinaries, std::string_view(r.node().op));
  MUNJA_ASSIGN_OR_RETURN(const kernels::Activation activation,
                         ops::ParseActivation(r.node().attributes));
  MUNJA_ASSIGN_OR_RETURN(const Shape a, r.ShapeOf(0));
  MUNJA_ASSIGN_OR_RETURN(const Shape b, r.ShapeOf(1));
  MUNJA_ASSIGN_OR_RETURN(const Shape shape, ops::BroadcastShapes(a, b));
  MUNJA_ASSIGN_OR_RETURN(const Shape out_shape, r.OutputShape());
  if (shape != out_shape) return Malformed("the output has another shape");
  std::vector<Walked> walked = WalkBoth(a, b, shape);
  if (walked.size() > kBinaryDims)
    return Unsupported("shapes " + a.ToString() + " and " + b.ToString() +
                       " meet in too many dimensions");
  walked.resize(kBinaryDims);
  MUNJA_ASSIGN_OR_RETURN(const BufferArgument p, r.In(0));
  MUNJA_ASSIGN_OR_RETURN(const BufferArgument q, r.In(1));
  MUNJA_ASSIGN_OR_RETURN(const BufferArgument y, r.Out());
  Launch launch{Family::kElementwise,
                "binary",
                {p, q, y, static_cast<int32_t>(what - std::begin(kBinaries))}};
  launch.Append(activation);
  for (int k = 0; k + 1 < kBinaryDims; ++k)
    launch.arguments.emplace_back(static_cast<int32_t>(walked[k].dim));
  for (const Walked& w : walked)
    launch.arguments.emplace_back(static_cast<int32_t>(w.a));
  for (const Walked& w : walked)
    launch.arguments.emplace_back(static_cast<int32_t>(w.b));
  launch.items = shape.elements();
  r.Emit(std::move(launch));
  return Status();
}

}  // namespace munja::delegates::opencl
