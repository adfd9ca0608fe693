#include "ops/support/broadcast.h"

namespace munja::ops {

Result<Shape> BroadcastShapes(const Shape& a, const Shape& b) {
  const int rank = std::max(a.rank(), b.rank());
  Shape shape;
  for (int i = 0; i < rank; ++i) {
    const int back = rank - 1 - i;
    const int32_t x = back < a.rank() ? a.back(back) : 1;
    const int32_t y = back < b.rank() ? b.back(back) : 1;
    if (x != y && x != 1 && y != 1) {
      return Malformed("the shapes " + a.ToString() + " and " + b.ToString() +
                       " do not broadcast");
    }
    shape.Append(x == 1 ? y : x);
  }
  return shape;
}

BroadcastPlan::BroadcastPlan(std::span<const Shape> operands, const Shape& out)
    : operands_(static_cast<int>(operands.size())) {
  dims_.fill(1);
  // From the last dimension to the first; `used` counts merged ones.
  int used = 0;
  std::array<size_t, BroadcastBlock::kMaxOperands> next{};
  for (int k = 0; k < operands_; ++k) next[k] = 1;
  for (int back = 0; back < out.rank(); ++back) {
    const auto dim = static_cast<size_t>(out.back(back));
    elements_ *= dim;
    std::array<size_t, BroadcastBlock::kMaxOperands> stride{};
    for (int k = 0; k < operands_; ++k) {
      const size_t own = back < operands[k].rank()
                             ? static_cast<size_t>(operands[k].back(back))
                             : 1;
      stride[k] = own == 1 ? 0 : next[k];
      next[k] *= own;
    }
    if (dim == 1) continue;
    // Behind the dimension inside it, for every operand?
    bool merge = used > 0;
    const int inner = kInner - (used - 1);
    for (int k = 0; k < operands_ && merge; ++k)
      merge = stride[k] == strides_[k][inner] * dims_[inner];
    if (merge) {
      dims_[inner] *= dim;
      continue;
    }
    const int at = kInner - used++;
    dims_[at] = dim;
    for (int k = 0; k < operands_; ++k) strides_[k][at] = stride[k];
  }
  if (used == 0) {  // A single element.
    for (int k = 0; k < operands_; ++k) strides_[k][kInner] = 1;
  }
  // An innermost stride is 0 or 1 already: dimensions of 1 were skipped and
  // what lies inside them has one element.
  for (int i = 0; i < kInner; ++i) lines_ *= dims_[i];
}

BroadcastBlock BroadcastPlan::BlockAt(size_t begin, size_t end) const {
  BroadcastBlock block;
  block.cols = dims_[kInner];
  block.out = begin * block.cols;
  const size_t rows = dims_[kInner - 1];
  const size_t first = begin % rows;
  block.rows = std::min(end - begin, rows - first);
  size_t rest = begin / rows;
  for (int k = 0; k < operands_; ++k) {
    block.row_stride[k] = strides_[k][kInner - 1];
    block.col_stride[k] = strides_[k][kInner];
    block.offset[k] = first * block.row_stride[k];
  }
  for (int i = kInner - 2; i >= 0; --i) {
    const size_t index = rest % dims_[i];
    rest /= dims_[i];
    for (int k = 0; k < operands_; ++k)
      block.offset[k] += index * strides_[k][i];
  }
  return block;
}

}  // namespace munja::ops
