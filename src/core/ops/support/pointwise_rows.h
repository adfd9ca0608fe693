// Rows of operators that make each element from those at the same place: for
// RowKernels.
#ifndef MUNJA_OPS_SUPPORT_POINTWISE_ROWS_H_
#define MUNJA_OPS_SUPPORT_POINTWISE_ROWS_H_

#include <cstddef>

#include "ops/support/row_kernel.h"

namespace munja::ops {

// One input, one output. The element sizes may differ.
class PointwiseRows : public RowKernel {
 public:
  bool CanSplitRows(const EvalContext& context) const override {
    return IsRowMap(context.input(0)) && IsRowMap(context.output(0));
  }
  bool IsRowInput(const EvalContext&, int i) const final { return i == 0; }
  RowRange InputRows(const EvalContext&, int, RowRange rows) const final {
    return rows;
  }
  void EvalRows(const RowTask& task) const final {
    const Shape& shape = task.context.output(0).shape;
    EvalElements(task.context, task.inputs[0].data,
                 static_cast<size_t>(task.rows.size()) *
                     static_cast<size_t>(shape[2]) *
                     static_cast<size_t>(shape[3]),
                 task.output);
  }

 protected:
  // `count` elements one after another, wherever they are in the map.
  virtual void EvalElements(const EvalContext& context, const void* in,
                            size_t count, void* out) const = 0;
};

// Two operands, of which one or both are of the output's shape; the other has
// one value per channel.
inline bool IsRowOfPair(const EvalContext& context, int i) {
  return i < 2 && context.input(i).shape == context.output(0).shape;
}
inline bool PairHasRows(const EvalContext& context) {
  const auto is_of_channels = [&](int i) {
    const Shape& shape = context.input(i).shape;
    const int32_t channels = context.output(0).shape[3];
    return shape.rank() >= 1 && shape[shape.rank() - 1] == channels &&
           shape.elements() == channels;
  };
  const bool a = IsRowOfPair(context, 0), b = IsRowOfPair(context, 1);
  return (a && b) || (a && is_of_channels(1)) || (b && is_of_channels(0));
}
// B: BinaryBlock, or one of its kin for elements of T.
template <class T, class B>
B RowsOfPair(const RowTask& task) {
  const Shape& out = task.context.output(0).shape;
  const auto channels = static_cast<size_t>(out[3]);
  const size_t pixels =
      static_cast<size_t>(task.rows.size()) * static_cast<size_t>(out[2]);
  const bool has_a = IsRowOfPair(task.context, 0);
  const bool has_b = IsRowOfPair(task.context, 1);
  B k;
  k.a = has_a ? task.in<T>(0) : task.context.input(0).as<T>();
  k.b = has_b ? task.in<T>(1) : task.context.input(1).as<T>();
  k.out = task.out<T>();
  if (has_a && has_b) {
    k.cols = pixels * channels;
  } else {
    k.rows = pixels;
    k.cols = channels;
    k.a_row_stride = has_a ? channels : 0;
    k.b_row_stride = has_b ? channels : 0;
  }
  return k;
}

}  // namespace munja::ops

#endif  // MUNJA_OPS_SUPPORT_POINTWISE_ROWS_H_
