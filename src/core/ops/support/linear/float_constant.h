// Constant weights and biases, read as float32.
#ifndef MUNJA_OPS_SUPPORT_LINEAR_FLOAT_CONSTANT_H_
#define MUNJA_OPS_SUPPORT_LINEAR_FLOAT_CONSTANT_H_

#include <cstddef>
#include <string_view>
#include <utility>

#include "base/buffer.h"
#include "base/status.h"
#include "ops/op.h"
#include "tensor/shape.h"

namespace munja::ops {

// A copy of a constant that owns its data; empty for an absent one.
class FloatConstant {
 public:
  FloatConstant() = default;
  // Input i of the node, a constant of float32 or float16. `what` names it in
  // messages: "weights". kUnsupported for other types, for quantized values
  // and for inputs known only when the model runs.
  static Result<FloatConstant> Read(const NodeInfo& info, int i,
                                    std::string_view what);
  // The same, or nothing when the input is absent; else it must have
  // `elements` elements (kMalformed).
  static Result<FloatConstant> ReadBias(const NodeInfo& info, int i,
                                        int64_t elements);

  bool exists() const { return exists_; }
  // Null when there is none.
  const float* data() const { return exists_ ? buffer_.as<float>() : nullptr; }
  const Shape& shape() const { return shape_; }
  size_t bytes() const { return buffer_.size(); }

 private:
  bool exists_ = false;
  Shape shape_;
  Buffer buffer_;
};

// Weights or a bias: a constant, or an input that is float32 when the model
// runs.
class FloatOperand {
 public:
  FloatOperand() = default;
  // kMalformed when a required one is absent, kUnsupported for other types.
  static Result<FloatOperand> Read(const NodeInfo& info, int i,
                                   std::string_view what, bool is_optional);
  bool is_constant() const { return constant_.exists(); }
  const FloatConstant& constant() const { return constant_; }
  // Null when it is absent.
  const float* data(const EvalContext& context) const {
    if (is_constant()) return constant_.data();
    return context.has_input(input_) ? context.input(input_).as<float>()
                                     : nullptr;
  }
  size_t bytes() const { return constant_.bytes(); }
  // Forgets a constant that is no longer needed.
  void Release() { constant_ = FloatConstant(); }

 private:
  int input_ = -1;
  FloatConstant constant_;
};

// Input 0-style checks of the float operators: the value is there and
// float32, else kUnsupported (kMalformed when absent).
Status CheckFloatInput(const NodeInfo& info, int i, std::string_view what);
// Output 0 is float32.
Status CheckFloatOutput(const NodeInfo& info);

}  // namespace munja::ops

#endif  // MUNJA_OPS_SUPPORT_LINEAR_FLOAT_CONSTANT_H_
