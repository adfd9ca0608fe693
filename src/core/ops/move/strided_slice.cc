// STRIDED_SLICE with all its masks.
#include <algorithm>

#include "ops/support/copy_plan.h"
#include "ops/support/operands.h"

namespace munja::ops::strided_slice {
namespace {

struct Masks {
  int64_t begin = 0, end = 0, ellipsis = 0, new_axis = 0, shrink_axis = 0;
  bool offset = false;  // `end` is counted from `begin`.
};

bool Bit(int64_t mask, size_t i) { return i < 63 && (mask >> i & 1) != 0; }

// Where to start, how far to step and how many to take of one dimension.
struct Walk {
  int64_t start = 0, stride = 1, count = 0;
};

// `begin` and `end` as written; the bounds of `dim` are applied to them.
Walk Clamp(int64_t dim, int64_t begin, int64_t end, int64_t stride,
           bool from_edge, bool to_edge) {
  // Walking back, positions go from dim - 1 to -1 (which ends before 0).
  const int64_t low = stride > 0 ? 0 : -1;
  const int64_t high = stride > 0 ? dim : dim - 1;
  const auto place = [&](int64_t i) {
    return std::clamp(i < 0 ? i + dim : i, low, high);
  };
  Walk walk;
  walk.stride = stride;
  walk.start = from_edge ? (stride > 0 ? low : high) : place(begin);
  const int64_t stop = to_edge ? (stride > 0 ? high : low) : place(end);
  const int64_t distance = stride > 0 ? stop - walk.start : walk.start - stop;
  const int64_t step = stride > 0 ? stride : -stride;
  walk.count = distance <= 0 ? 0 : (distance + step - 1) / step;
  return walk;
}

class StridedSliceKernel final : public CopyKernel {
 public:
  StridedSliceKernel(const NodeInfo& info, const Masks& masks)
      : CopyKernel(info), masks_(masks) {}

  Status Prepare(PrepareContext& context) const override {
    const TensorView& in = context.input(0);
    MUNJA_RETURN_IF_ERROR(CheckSameType(in, context.output(0)));
    MUNJA_ASSIGN_OR_RETURN(const size_t size, MovableSize(in));
    MUNJA_ASSIGN_OR_RETURN(const std::vector<int64_t> begin,
                           KnownIntegers(context, 1, "begin"));
    MUNJA_ASSIGN_OR_RETURN(const std::vector<int64_t> end,
                           KnownIntegers(context, 2, "end", begin.size()));
    MUNJA_ASSIGN_OR_RETURN(const std::vector<int64_t> strides,
                           KnownIntegers(context, 3, "stride", begin.size()));
    std::vector<int64_t> out_dims;
    kernels::StridedCopy copy;
    const std::vector<int64_t> in_strides = Strides(in.shape);
    const int rank = in.shape.rank();
    const auto whole = [&](int dim) {
      out_dims.push_back(in.shape[dim]);
      copy.Append(in.shape[dim], in_strides[dim], 0);
    };
    // Entries that use up a dimension behind an ellipsis.
    int dim = 0;
    for (size_t i = 0; i < begin.size(); ++i) {
      if (Bit(masks_.ellipsis, i)) {
        int behind = 0;
        for (size_t k = i + 1; k < begin.size(); ++k)
          behind += Bit(masks_.new_axis, k) ? 0 : 1;
        while (dim < rank - behind) whole(dim++);
        continue;
      }
      if (Bit(masks_.new_axis, i)) {
        out_dims.push_back(1);
        continue;
      }
      if (dim >= rank) {
        return Malformed("slices more dimensions than " + in.shape.ToString() +
                         " has");
      }
      MUNJA_ASSIGN_OR_RETURN(const Walk walk, WalkOf(in.shape[dim], i, begin[i],
                                                     end[i], strides[i]));
      copy.in_offset += walk.start * in_strides[dim];
      if (!Bit(masks_.shrink_axis, i)) {
        out_dims.push_back(walk.count);
        copy.Append(walk.count, walk.stride * in_strides[dim], 0);
      }
      ++dim;
    }
    while (dim < rank) whole(dim++);
    MUNJA_ASSIGN_OR_RETURN(const Shape out, CheckShape(out_dims));
    MUNJA_RETURN_IF_ERROR(context.SetOutputShape(0, out));
    int64_t stride = 1;
    for (int k = copy.rank - 1; k >= 0; --k) {
      copy.out_strides[k] = stride;
      stride *= copy.dims[k];
    }
    auto plan = std::make_unique<CopyPlan>(size);
    plan->Add(0, 0, copy);
    context.SetState(std::move(plan));
    return Status();
  }

 private:
  Result<Walk> WalkOf(int64_t dim, size_t i, int64_t begin, int64_t end,
                      int64_t stride) const {
    constexpr int64_t kLimit = int64_t{1} << 40;
    if (stride == 0) return Malformed("a stride is 0");
    begin = std::clamp(begin, -kLimit, kLimit);
    end = std::clamp(end, -kLimit, kLimit);
    stride = std::clamp(stride, -kLimit, kLimit);
    if (masks_.offset) end += begin;
    if (Bit(masks_.shrink_axis, i)) {
      const int64_t at = Bit(masks_.begin, i) ? (stride > 0 ? 0 : dim - 1)
                         : begin < 0          ? begin + dim
                                              : begin;
      if (at < 0 || at >= dim) {
        return Malformed("takes element " + std::to_string(begin) +
                         " of a dimension of " + std::to_string(dim));
      }
      return Walk{at, 1, 1};
    }
    return Clamp(dim, begin, end, stride, Bit(masks_.begin, i),
                 Bit(masks_.end, i));
  }

  Masks masks_;
};

}  // namespace

Result<std::unique_ptr<Kernel>> Make(const NodeInfo& info) {
  MUNJA_RETURN_IF_ERROR(info.CheckArity(4, 4, 1));
  const graph::Attributes& attributes = info.attributes();
  Masks masks;
  MUNJA_ASSIGN_OR_RETURN(masks.begin, attributes.Int("begin_mask", 0));
  MUNJA_ASSIGN_OR_RETURN(masks.end, attributes.Int("end_mask", 0));
  MUNJA_ASSIGN_OR_RETURN(masks.ellipsis, attributes.Int("ellipsis_mask", 0));
  MUNJA_ASSIGN_OR_RETURN(masks.new_axis, attributes.Int("new_axis_mask", 0));
  MUNJA_ASSIGN_OR_RETURN(masks.shrink_axis,
                         attributes.Int("shrink_axis_mask", 0));
  MUNJA_ASSIGN_OR_RETURN(masks.offset, attributes.Bool("offset", false));
  if ((masks.ellipsis & (masks.ellipsis - 1)) != 0)
    return Malformed("has more than one ellipsis");
  return std::unique_ptr<Kernel>(
      std::make_unique<StridedSliceKernel>(info, masks));
}

}  // namespace munja::ops::strided_slice
