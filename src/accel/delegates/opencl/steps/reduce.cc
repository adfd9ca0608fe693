// Along dimensions: sums and extremes, softmax, normalization, products.
#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <utility>

#include "delegates/opencl/recording.h"
#include "delegates/opencl/steps/steps.h"
#include "ops/support/linear/batch_matmul_plan.h"

namespace munja::delegates::opencl {
namespace {

constexpr int kReduceDims = 3;

// Dimensions that are kept, or that meet, innermost first.
struct Axes {
  std::array<int64_t, kReduceDims> sizes{1, 1, 1}, strides{0, 0, 0};
  int count = 0;
  int64_t elements = 1;
  bool Add(int64_t size, int64_t stride) {
    elements *= size;
    if (count > 0 &&
        strides[count - 1] * sizes[count - 1] == stride) {  // It goes on.
      sizes[count - 1] *= size;
      return true;
    }
    if (count == kReduceDims) return false;
    sizes[count] = size;
    strides[count++] = stride;
    return true;
  }
};

}  // namespace

Status RecordReduce(Recorder& r) {
  MUNJA_ASSIGN_OR_RETURN(const Shape in, r.ShapeOf(0));
  MUNJA_RETURN_IF_ERROR(r.OutputShape().TakeStatus());
  MUNJA_ASSIGN_OR_RETURN(const std::vector<int32_t> axes, r.Integers(1));
  std::array<bool, kMaxRank> is_reduced{};
  for (const int32_t axis : axes) {
    const int32_t at = axis < 0 ? axis + in.rank() : axis;
    if (at < 0 || at >= in.rank())
      return Malformed("axis " + std::to_string(axis) + " of shape " +
                       in.ToString());
    is_reduced[static_cast<size_t>(at)] = true;
  }
  Axes kept, met;
  int64_t stride = 1;
  for (int d = in.rank() - 1; d >= 0; --d) {
    Axes& to = is_reduced[static_cast<size_t>(d)] ? met : kept;
    if (in[d] > 1 && !to.Add(in[d], stride))
      return Unsupported("it reduces too many dimensions apart");
    stride *= in[d];
  }
  const std::string& op = r.node().op;
  const int32_t what = op == "REDUCE_PROD"  ? 1
                       : op == "REDUCE_MAX" ? 2
                       : op == "REDUCE_MIN" ? 3
                                            : 0;
  const float scale =
      op == "MEAN" ? static_cast<float>(1.0 / static_cast<double>(met.elements))
                   : 1.0f;
  MUNJA_ASSIGN_OR_RETURN(const BufferArgument x, r.In(0));
  MUNJA_ASSIGN_OR_RETURN(const BufferArgument y, r.Out());
  Launch launch{Family::kReduce, "group_reduce", {x, y, what, scale}};
  const auto add = [&](int64_t n) {
    launch.arguments.emplace_back(static_cast<int32_t>(n));
  };
  add(kept.sizes[0]);
  add(kept.sizes[1]);
  for (const int64_t s : kept.strides) add(s);
  add(met.elements);
  add(met.sizes[0]);
  add(met.sizes[1]);
  for (const int64_t s : met.strides) add(s);
  launch.items = kept.elements;
  launch.is_by_group = true;
  r.Emit(std::move(launch));
  return Status();
}

namespace {

// One group for each row of the last dimension.
Status EmitRows(Recorder& r, const char* kernel,
                std::vector<Argument> parameters) {
  MUNJA_ASSIGN_OR_RETURN(const Shape shape, r.ShapeOf(0));
  if (shape.rank() < 1) return Malformed("the input is a scalar");
  MUNJA_ASSIGN_OR_RETURN(const BufferArgument x, r.In(0));
  MUNJA_ASSIGN_OR_RETURN(const BufferArgument y, r.Out());
  Launch launch{Family::kReduce, kernel, {x, y, shape.back()}};
  launch.arguments.insert(launch.arguments.end(), parameters.begin(),
                          parameters.end());
  launch.items = shape.elements() / shape.back();
  launch.is_by_group = true;
  r.Emit(std::move(launch));
  return Status();
}

}  // namespace

Status RecordSoftmax(Recorder& r) {
  const bool is_log = r.node().op == "LOG_SOFTMAX";
  MUNJA_ASSIGN_OR_RETURN(const double beta,
                         r.node().attributes.Float("beta", 1.0));
  return EmitRows(r, "group_softmax",
                  {is_log ? 1.0f : static_cast<float>(beta), int32_t{is_log}});
}

Status RecordL2Normalization(Recorder& r) {
  MUNJA_RETURN_IF_ERROR(r.PrepareOnCpu().TakeStatus());
  return EmitRows(r, "group_l2_normalize", {});
}

Status RecordBatchMatMul(Recorder& r) {
  MUNJA_ASSIGN_OR_RETURN(const bool adj_x,
                         r.node().attributes.Bool("adj_x", false));
  MUNJA_ASSIGN_OR_RETURN(const bool adj_y,
                         r.node().attributes.Bool("adj_y", false));
  MUNJA_ASSIGN_OR_RETURN(const Shape x_shape, r.ShapeOf(0));
  MUNJA_ASSIGN_OR_RETURN(const Shape y_shape, r.ShapeOf(1));
  MUNJA_ASSIGN_OR_RETURN(const ops::BatchMatMulPlan plan,
                         ops::PlanBatchMatMul(x_shape, y_shape, adj_x, adj_y));
  const auto m = static_cast<int32_t>(plan.shape.m);
  const auto k = static_cast<int32_t>(plan.shape.k);
  const auto n = static_cast<int32_t>(plan.shape.n);
  if (k == 0) return Unsupported("it sums nothing");
  std::vector<int32_t> pairs;
  for (size_t b = 0; b < plan.x_of.size(); ++b) {
    pairs.push_back(static_cast<int32_t>(plan.x_of[b]) * m * k);
    pairs.push_back(static_cast<int32_t>(plan.y_of[b]) * k * n);
  }
  const auto batches = static_cast<int64_t>(plan.x_of.size());
  MUNJA_ASSIGN_OR_RETURN(const BufferArgument x, r.In(0));
  MUNJA_ASSIGN_OR_RETURN(const BufferArgument y, r.In(1));
  MUNJA_ASSIGN_OR_RETURN(const BufferArgument out, r.Out());
  Launch launch{Family::kMatmul,
                "batch_matmul",
                {x, y, r.Table(std::move(pairs)), out, m, k, n, adj_x ? 1 : k,
                 adj_x ? m : 1, adj_y ? 1 : n, adj_y ? k : 1}};
  launch.items = batches * m * ((int64_t{n} + 3) / 4);
  launch.multiply_accumulates = batches * m * int64_t{k} * n;
  r.Emit(std::move(launch));
  return Status();
}

}  // namespace munja::delegates::opencl
