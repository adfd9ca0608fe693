// RowKernel: an operator on maps [1, h, w, c] that can make some rows of its
// output alone. A run may take several such operators band by band of rows
// (runtime/bands.h), so that what lies between them never leaves the cache.
#ifndef MUNJA_OPS_SUPPORT_ROW_KERNEL_H_
#define MUNJA_OPS_SUPPORT_ROW_KERNEL_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/gemm/gemm.h"
#include "ops/op.h"

namespace munja::ops {

// Four dimensions, one image, nothing empty, elements of whole bytes.
inline bool IsRowMap(const TensorView& view) {
  return ElementSize(view.type) > 0 && view.type != ElementType::kInt4 &&
         view.shape.rank() == 4 && view.shape[0] == 1 &&
         view.shape.elements() > 0;
}
// The same, of float32.
inline bool IsFloatRowMap(const TensorView& view) {
  return view.type == ElementType::kFloat32 && IsRowMap(view);
}

// Rows [begin, end) of a map.
struct RowRange {
  int32_t begin = 0, end = 0;
  int32_t size() const { return end - begin; }
  bool is_empty() const { return begin >= end; }
};

// Rows of an input.
struct RowSource {
  const void* data = nullptr;
  ElementType type = ElementType::kFloat32;
};

// Whether rows are 16-bit floats.
inline bool IsHalf(ElementType type) {
  return type == ElementType::kFloat16 || type == ElementType::kBFloat16;
}

// Arguments of EvalRows: some rows of the output, where Eval makes all.
// context.pool() runs the loops of a task on the calling thread alone, as
// worker 0; of scratch() a task uses the part of `worker`.
struct RowTask {
  const EvalContext& context;
  RowRange rows;  // Rows of output 0, not empty.
  // By input: where the first of InputRows(i, rows) begins, and of which type
  // they are. No data for inputs that are no row inputs: these are as context
  // says.
  std::span<const RowSource> inputs;
  void* output;  // Where row rows.begin begins.
  ElementType output_type;
  int worker;

  template <class T = float>
  const T* in(int i) const {
    return static_cast<const T*>(inputs[static_cast<size_t>(i)].data);
  }
  template <class T = float>
  T* out() const {
    return static_cast<T*>(output);
  }
  // Input i as pixels of `channels` channels.
  kernels::RowView rows_in(int i, int32_t channels) const {
    const RowSource& source = inputs[static_cast<size_t>(i)];
    return {source.data, static_cast<size_t>(channels), source.type};
  }
  kernels::MutableRowView rows_out(int32_t channels) const {
    return {output, static_cast<size_t>(channels), output_type};
  }
};

// After Prepare, for the shapes that it was called with. Contexts hold no data
// before the run.
class RowKernel {
 public:
  virtual ~RowKernel() = default;
  // False: these shapes are only computed as a whole. True: output 0, the only
  // one, and all row inputs are row maps (IsRowMap).
  virtual bool CanSplitRows(const EvalContext& context) const = 0;
  virtual bool IsRowInput(const EvalContext& context, int i) const = 0;
  // Rows of row input i from which `rows` of the output are made, within the
  // map. Both ends grow with those of `rows`.
  virtual RowRange InputRows(const EvalContext& context, int i,
                             RowRange rows) const = 0;
  // Row granularity: the last tile may be shorter.
  virtual int32_t RowStep(const EvalContext& context) const {
    (void)context;
    return 1;
  }
  // Whether EvalRows supports these types of rows, by input and of the output,
  // which are those of the tensors except that float32 may be the 16-bit type
  // in use (half_gemm.h). Where all readers of a map round it, it is rounded
  // once and moves half of the bytes. Asked only about types that differ from
  // the tensors'.
  virtual bool SupportsRowTypes(const EvalContext& context,
                                std::span<const ElementType> inputs,
                                ElementType output) const {
    (void)context, (void)inputs, (void)output;
    return false;
  }
  // Called once per run before any EvalRows: computes what all tasks share, in
  // scratch().
  virtual void BeginRows(const EvalContext& context) const { (void)context; }
  // Computes the rows, bit for bit as Eval does, or that rounded to 16 bits.
  virtual void EvalRows(const RowTask& task) const = 0;
};

}  // namespace munja::ops

#endif  // MUNJA_OPS_SUPPORT_ROW_KERNEL_H_
