// SPLIT into equal parts and SPLIT_V into parts of given sizes.
#include <algorithm>
#include <numeric>

#include "ops/support/copy_plan.h"
#include "ops/support/operands.h"

namespace munja::ops::split {
namespace {

class SplitKernel final : public CopyKernel {
 public:
  SplitKernel(const NodeInfo& info, bool has_sizes)
      : CopyKernel(info), parts_(info.outputs()), has_sizes_(has_sizes) {}

  Status Prepare(PrepareContext& context) const override {
    const int value = has_sizes_ ? 0 : 1;
    const TensorView& in = context.input(value);
    MUNJA_ASSIGN_OR_RETURN(const size_t size, MovableSize(in));
    MUNJA_ASSIGN_OR_RETURN(
        const std::vector<int64_t> axes,
        KnownIntegers(context, has_sizes_ ? 2 : 0, "axis", 1));
    MUNJA_ASSIGN_OR_RETURN(const int axis,
                           NormalizeAxis(axes[0], in.shape.rank()));
    MUNJA_ASSIGN_OR_RETURN(const std::vector<int64_t> sizes,
                           Sizes(context, in.shape[axis]));
    auto plan = std::make_unique<CopyPlan>(size);
    std::vector<int64_t> start(static_cast<size_t>(in.shape.rank()), 0);
    for (int i = 0; i < parts_; ++i) {
      MUNJA_RETURN_IF_ERROR(CheckSameType(in, context.output(i)));
      Shape out = in.shape;
      out[axis] = static_cast<int32_t>(sizes[i]);
      MUNJA_RETURN_IF_ERROR(context.SetOutputShape(i, out));
      const std::vector<int64_t> box(out.dims().begin(), out.dims().end());
      plan->Add(value, i, BoxCopy(in.shape, start, out, {}, box));
      start[axis] += out[axis];
    }
    context.SetState(std::move(plan));
    return Status();
  }

 private:
  // Not negative, and their sum is `dim`.
  Result<std::vector<int64_t>> Sizes(const PrepareContext& context,
                                     int32_t dim) const {
    const auto parts = static_cast<size_t>(parts_);
    if (!has_sizes_) {
      if (dim % parts_ != 0) {
        return Malformed("a dimension of " + std::to_string(dim) +
                         " does not split into " + std::to_string(parts_) +
                         " equal parts");
      }
      return std::vector<int64_t>(parts, dim / parts_);
    }
    MUNJA_ASSIGN_OR_RETURN(
        std::vector<int64_t> sizes,
        KnownIntegers(context, 1, "list of part sizes", parts));
    int64_t sum = 0;
    int64_t* rest = nullptr;
    for (int64_t& part : sizes) {
      if (part == -1 && rest == nullptr) {
        rest = &part;
      } else if (part < 0 || part > dim) {
        return Malformed("a part has the size " + std::to_string(part));
      } else {
        sum += part;
      }
    }
    if (rest != nullptr) {
      *rest = dim - sum;
      sum = dim;
    }
    if (sum != dim || (rest != nullptr && *rest < 0)) {
      return Malformed("the parts do not add up to " + std::to_string(dim));
    }
    return sizes;
  }

  int parts_;
  bool has_sizes_;
};

}  // namespace

Result<std::unique_ptr<Kernel>> Make(const NodeInfo& info) {
  const bool has_sizes = info.node().op == "SPLIT_V";
  if (info.outputs() < 1) return Malformed("has no outputs");
  const int inputs = has_sizes ? 3 : 2;
  MUNJA_RETURN_IF_ERROR(info.CheckArity(inputs, inputs, info.outputs()));
  MUNJA_ASSIGN_OR_RETURN(const int64_t parts,
                         info.attributes().Int("num_splits", info.outputs()));
  if (parts != info.outputs()) {
    return Malformed("splits into " + std::to_string(parts) + " but has " +
                     std::to_string(info.outputs()) + " outputs");
  }
  return std::unique_ptr<Kernel>(
      std::make_unique<SplitKernel>(info, has_sizes));
}

}  // namespace munja::ops::split
