#include "ops/support/copy_plan.h"

#include <cstring>

#include "ops/support/operands.h"

namespace munja::ops {

void CopyPlan::Add(int input, int output, const kernels::StridedCopy& copy) {
  for (int k = 0; k < copy.rank; ++k)
    if (copy.dims[k] == 0) return;
  steps_.push_back({input, output, kernels::Simplify(copy)});
}

void CopyPlan::SetFill(const void* value) {
  std::memcpy(fill_.data(), value, element_size_);
}

void CopyPlan::AddWhole(int input, int output, int64_t elements) {
  kernels::StridedCopy copy;
  copy.Append(elements, 1, 1);
  Add(input, output, copy);
}

void CopyPlan::Run(EvalContext& context, bool reference_kernels) const {
  for (const CopyStep& step : steps_) {
    const void* in = step.input == CopyStep::kFillValue
                         ? fill_.data()
                         : context.input(step.input).data;
    void* out = context.output(step.output).data;
    if (reference_kernels) {
      kernels::reference::CopyStrided(step.copy, element_size_, in, out);
    } else {
      kernels::CopyStrided(step.copy, element_size_, in, out, context.pool());
    }
  }
}

Status CopyKernel::Eval(EvalContext& context) const {
  static_cast<const CopyPlan*>(context.state())->Run(context, use_reference_);
  return Status();
}

kernels::StridedCopy BoxCopy(const Shape& in,
                             const std::vector<int64_t>& in_start,
                             const Shape& out,
                             const std::vector<int64_t>& out_start,
                             const std::vector<int64_t>& box) {
  const std::vector<int64_t> in_strides = Strides(in);
  const std::vector<int64_t> out_strides = Strides(out);
  kernels::StridedCopy copy;
  for (size_t k = 0; k < box.size(); ++k) {
    copy.Append(box[k], in_strides[k], out_strides[k]);
    if (!in_start.empty()) copy.in_offset += in_start[k] * in_strides[k];
    if (!out_start.empty()) copy.out_offset += out_start[k] * out_strides[k];
  }
  return copy;
}

}  // namespace munja::ops
