// Broadcasting: which elements of two or three operands meet, in few long runs.
#ifndef MUNJA_OPS_SUPPORT_BROADCAST_H_
#define MUNJA_OPS_SUPPORT_BROADCAST_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/status.h"
#include "base/thread_pool.h"
#include "tensor/shape.h"

namespace munja::ops {

// The shape of the result by NumPy's rules: aligned at the right, dimensions
// equal or 1. kMalformed otherwise.
Result<Shape> BroadcastShapes(const Shape& a, const Shape& b);

// `rows` runs of `cols` results; the results are dense from `out`. Operand k of
// row r, column c is number offset[k] + r * row_stride[k] +
// c * col_stride[k]; col_stride is 0 or 1.
struct BroadcastBlock {
  static constexpr int kMaxOperands = 3;
  size_t out = 0, rows = 0, cols = 0;
  std::array<size_t, kMaxOperands> offset{}, row_stride{}, col_stride{};
};

class BroadcastPlan {
 public:
  // The operands must broadcast to `out`.
  BroadcastPlan(std::span<const Shape> operands, const Shape& out);

  // Calls body(const BroadcastBlock&) for blocks that cover the result, spread
  // over the pool. The cut does not depend on the number of threads.
  template <class Body>
  void ForEachBlock(ThreadPool& pool, const Body& body) const {
    if (elements_ == 0) return;
    const size_t cols = dims_[kInner];
    if (lines_ == 1) {  // One long run: cut along it.
      pool.ParallelFor(cols, kGrain, [&](size_t begin, size_t end, int) {
        BroadcastBlock block;
        block.out = begin;
        block.rows = 1;
        block.cols = end - begin;
        for (int k = 0; k < operands_; ++k) {
          block.col_stride[k] = strides_[k][kInner];
          block.offset[k] = begin * block.col_stride[k];
        }
        body(block);
      });
      return;
    }
    const size_t grain = std::max<size_t>(1, kGrain / cols);
    pool.ParallelFor(lines_, grain, [&](size_t begin, size_t end, int) {
      while (begin < end) {
        const BroadcastBlock block = BlockAt(begin, end);
        body(block);
        begin += block.rows;
      }
    });
  }

 private:
  static constexpr int kInner = kMaxRank - 1;
  static constexpr size_t kGrain = size_t{1} << 14;  // Results.

  // The block that starts at line `begin` and goes on at most to `end`.
  BroadcastBlock BlockAt(size_t begin, size_t end) const;

  int operands_;
  size_t elements_ = 1, lines_ = 1;
  // Merged dimensions, the last ones used, in front of them ones.
  std::array<size_t, kMaxRank> dims_;
  std::array<std::array<size_t, kMaxRank>, BroadcastBlock::kMaxOperands>
      strides_{};
};

// out = f(a, b) for every pair that meets; the plan is of these two operands.
template <class A, class B, class Out, class F>
void ForEachPair(const BroadcastPlan& plan, ThreadPool& pool, const A* a,
                 const B* b, Out* out, const F& f) {
  plan.ForEachBlock(pool, [&](const BroadcastBlock& block) {
    for (size_t r = 0; r < block.rows; ++r) {
      const A* x = a + block.offset[0] + r * block.row_stride[0];
      const B* y = b + block.offset[1] + r * block.row_stride[1];
      Out* to = out + block.out + r * block.cols;
      for (size_t c = 0; c < block.cols; ++c)
        to[c] = f(x[c * block.col_stride[0]], y[c * block.col_stride[1]]);
    }
  });
}

}  // namespace munja::ops

#endif  // MUNJA_OPS_SUPPORT_BROADCAST_H_
