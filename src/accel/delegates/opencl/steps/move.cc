// Operators that only move elements, and resizes.
#include <bit>
#include <string>
#include <utility>

#include "delegates/opencl/recording.h"
#include "delegates/opencl/steps/steps.h"
#include "kernels/spatial/resize.h"
#include "ops/support/copy_plan.h"
#include "ops/support/nearest_map.h"

namespace munja::delegates::opencl {
namespace {

constexpr int kCopyDims = 6;

Launch CopyLaunch(const kernels::StridedCopy& copy, BufferArgument from,
                  BufferArgument to) {
  struct Dim {
    int64_t dim = 1, in = 0, out = 0;
  } dims[kCopyDims];
  int64_t items = 1;
  for (int k = 0; k < copy.rank; ++k) {
    const int outer = copy.rank - 1 - k;
    dims[k] = {copy.dims[outer], copy.in_strides[outer],
               copy.out_strides[outer]};
    items *= dims[k].dim;
  }
  Launch launch{Family::kMove,
                "copy",
                {from, to, static_cast<int32_t>(copy.in_offset),
                 static_cast<int32_t>(copy.out_offset)}};
  for (int k = 0; k + 1 < kCopyDims; ++k)
    launch.arguments.emplace_back(static_cast<int32_t>(dims[k].dim));
  for (const Dim& d : dims)
    launch.arguments.emplace_back(static_cast<int32_t>(d.in));
  for (const Dim& d : dims)
    launch.arguments.emplace_back(static_cast<int32_t>(d.out));
  launch.items = items;
  return launch;
}

}  // namespace

Status RecordMove(Recorder& r) {
  MUNJA_ASSIGN_OR_RETURN(const auto context, r.PrepareOnCpu());
  const auto* const plan = dynamic_cast<const ops::CopyPlan*>(context->state());
  if (plan == nullptr) return Unsupported("it is not a plain copy");
  std::vector<BufferArgument> outputs;
  for (size_t o = 0; o < r.node().outputs.size(); ++o) {
    MUNJA_ASSIGN_OR_RETURN(const BufferArgument out,
                           r.Out(static_cast<int>(o)));
    outputs.push_back(out);
  }
  for (const ops::CopyStep& step : plan->steps()) {
    if (step.copy.rank > kCopyDims)
      return Unsupported("it moves elements in " +
                         std::to_string(step.copy.rank) + " dimensions");
    BufferArgument from;
    if (step.input == ops::CopyStep::kFillValue) {
      if (plan->element_size() != sizeof(float))
        return Unsupported("its elements are not float32");
      from = r.Fixed({plan->fill<float>()});
    } else {
      MUNJA_ASSIGN_OR_RETURN(from, r.In(step.input));
    }
    r.Emit(
        CopyLaunch(step.copy, from, outputs[static_cast<size_t>(step.output)]));
  }
  return Status();
}

Status RecordReshape(Recorder& r) { return r.Alias(0, 0); }

// Only of numbers that lie here anyway: weights stored as 16-bit floats.
Status RecordDequantize(Recorder& r) {
  if (!r.is_constant(0)) return Unsupported("its input is not constant");
  return r.Alias(0, 0);
}

Status RecordResize(Recorder& r) {
  MUNJA_ASSIGN_OR_RETURN(const ops::NearestRule rule,
                         ops::ParseNearestRule(r.node().attributes));
  MUNJA_ASSIGN_OR_RETURN(const Shape in, r.ShapeOf(0));
  MUNJA_ASSIGN_OR_RETURN(const Shape out, r.OutputShape());
  if (in.rank() != 4 || out.rank() != 4)
    return Malformed("the input " + in.ToString() + " is not NHWC");
  const bool is_bilinear = r.node().op == "RESIZE_BILINEAR";
  std::vector<int32_t> table;
  for (const int axis : {1, 2}) {
    if (!is_bilinear) {
      const auto sources = kernels::NearestIndices(
          in[axis], out[axis], rule.align_corners, rule.half_pixel);
      table.insert(table.end(), sources.begin(), sources.end());
      continue;
    }
    for (const kernels::LinearTap& tap : kernels::LinearTaps(
             in[axis], out[axis], rule.align_corners, rule.half_pixel)) {
      table.push_back(tap.lower);
      table.push_back(tap.upper);
      table.push_back(std::bit_cast<int32_t>(tap.weight));
    }
  }
  MUNJA_ASSIGN_OR_RETURN(const BufferArgument x, r.In(0));
  MUNJA_ASSIGN_OR_RETURN(const BufferArgument y, r.Out());
  Launch launch{
      Family::kMove,
      is_bilinear ? "resize_bilinear" : "resize_nearest",
      {x, r.Table(std::move(table)), y, in[1], in[2], out[1], out[2], in[3]}};
  launch.items = out.elements();
  r.Emit(std::move(launch));
  return Status();
}

}  // namespace munja::delegates::opencl
