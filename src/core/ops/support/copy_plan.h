// Operators that only move data: their plan is a list of strided copies.
#ifndef MUNJA_OPS_SUPPORT_COPY_PLAN_H_
#define MUNJA_OPS_SUPPORT_COPY_PLAN_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "base/status.h"
#include "kernels/move/strided_copy.h"
#include "ops/op.h"

namespace munja::ops {

// One copy into one output.
struct CopyStep {
  static constexpr int kFillValue = -1;
  int input = 0;  // Or kFillValue: from CopyPlan::fill, with strides of 0.
  int output = 0;
  kernels::StridedCopy copy;
};

class CopyPlan : public State {
 public:
  explicit CopyPlan(size_t element_size) : element_size_(element_size) {}
  // Drops empty copies and merges dimensions.
  void Add(int input, int output, const kernels::StridedCopy& copy);
  // The value for steps from kFillValue; at most 16 bytes.
  void SetFill(const void* value);
  size_t element_size() const { return element_size_; }
  const std::vector<CopyStep>& steps() const { return steps_; }
  // The value for steps from kFillValue, of a type of element_size().
  template <class T>
  T fill() const {
    T value;
    std::memcpy(&value, fill_.data(), sizeof value);
    return value;
  }

  // A plain memcpy from an input to an output of the same size.
  void AddWhole(int input, int output, int64_t elements);

  void Run(EvalContext& context, bool reference_kernels) const;

 private:
  size_t element_size_;
  std::vector<CopyStep> steps_;
  std::array<uint8_t, 16> fill_{};
};

// Prepare sets a CopyPlan as state; that is all.
class CopyKernel : public Kernel {
 public:
  explicit CopyKernel(const NodeInfo& info)
      : use_reference_(info.options().reference_kernels) {}
  Status Eval(EvalContext& context) const override;

 protected:
  bool use_reference_;
};

// A copy of `shape` elements between dense tensors of the two shapes, starting
// at the given index of each (in_start, out_start have one number for each
// dimension, or are empty for zeros).
kernels::StridedCopy BoxCopy(const Shape& in,
                             const std::vector<int64_t>& in_start,
                             const Shape& out,
                             const std::vector<int64_t>& out_start,
                             const std::vector<int64_t>& box);

}  // namespace munja::ops

#endif  // MUNJA_OPS_SUPPORT_COPY_PLAN_H_
