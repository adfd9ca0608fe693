// Operations that cannot be lowered to the .tflite schema (each says why), in
// plain loops over double: quantized values are dequantized before and
// quantized again after.
#ifndef MUNJA_HAL_EVAL_REAL_OPERATIONS_H_
#define MUNJA_HAL_EVAL_REAL_OPERATIONS_H_

#include <cstdint>
#include <vector>

#include "base/status.h"
#include "hal/model.h"

namespace munja::hal {

struct Real {
  bool is_absent = false;
  int32_t type = 0;       // The HAL's, before it was dequantized.
  Dimensions dimensions;  // All known: 0 means 0.
  std::vector<double> values;

  size_t rank() const { return dimensions.size(); }
  uint32_t operator[](size_t i) const { return dimensions[i]; }
};

// One operation: reads `in`, makes `out`, whose types are set before.
struct RealCall {
  int32_t type = 0;
  std::vector<Real> in, out;

  size_t inputs() const { return in.size(); }
  bool Has(size_t i) const { return i < in.size() && !in[i].is_absent; }
  double At(size_t i, double fallback = 0.0) const {
    return Has(i) && !in[i].values.empty() ? in[i].values[0] : fallback;
  }
  int64_t Int(size_t i, int64_t fallback = 0) const;
  // Makes an output of these dimensions, all 0. kOutOfMemory: too large.
  Status Make(size_t i, Dimensions dimensions);
};

// kInvalidArgument: operands that the operation does not take.
using RealFunction = Status (*)(RealCall& call);
// Null: every form of the operation can be lowered.
RealFunction FindRealOperation(int32_t type);
// Operations on images and on boxes, each in a file of its own.
RealFunction FindRealImageOperation(int32_t type);
RealFunction FindRealBoxOperation(int32_t type);

// Reads an image in channels-last order, whatever the operand's.
class Image {
 public:
  Image(const Real& from, bool is_nchw);
  uint32_t n() const { return n_; }
  uint32_t h() const { return h_; }
  uint32_t w() const { return w_; }
  uint32_t c() const { return c_; }
  double At(size_t n, size_t y, size_t x, size_t c) const {
    return from_.values[Index(n, y, x, c)];
  }
  size_t Index(size_t n, size_t y, size_t x, size_t c) const {
    return is_nchw_ ? ((n * c_ + c) * h_ + y) * w_ + x
                    : ((n * h_ + y) * w_ + x) * c_ + c;
  }

 private:
  const Real& from_;
  bool is_nchw_;
  uint32_t n_, h_, w_, c_;
};
// [n, h, w, c], or [n, c, h, w].
Dimensions ImageDimensions(uint32_t n, uint32_t h, uint32_t w, uint32_t c,
                           bool is_nchw);

// By code of FusedActivationFunc.
double Activate(double x, int64_t activation);

}  // namespace munja::hal

#endif  // MUNJA_HAL_EVAL_REAL_OPERATIONS_H_
