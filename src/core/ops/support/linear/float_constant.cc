#include "ops/support/linear/float_constant.h"

#include <cstring>
#include <string>

#include "kernels/quant/half_numbers.h"

namespace munja::ops {

Result<FloatConstant> FloatConstant::Read(const NodeInfo& info, int i,
                                          std::string_view what) {
  const std::string name(what);
  const graph::Value* value = info.input(i);
  if (value == nullptr) return Malformed("has no " + name);
  const bool is_half = value->type == ElementType::kFloat16;
  if ((!is_half && value->type != ElementType::kFloat32) ||
      value->quantization.is_quantized()) {
    return Unsupported(name + " of type " + ElementTypeName(value->type) +
                       " are not implemented, only float32 and float16");
  }
  const TensorView view = info.constant(i);
  if (!value->constant)
    return Unsupported(name + " that are not constant are not implemented");
  const int64_t elements = value->shape.elements();
  if (elements < 0 ||
      view.bytes < static_cast<size_t>(elements) * ElementSize(value->type)) {
    return Malformed(name + " of shape " + value->shape.ToString() + " have " +
                     std::to_string(view.bytes) + " bytes");
  }
  const size_t count = static_cast<size_t>(elements);
  FloatConstant c;
  c.exists_ = true;
  c.shape_ = value->shape;
  MUNJA_ASSIGN_OR_RETURN(c.buffer_, Buffer::Allocate(count * sizeof(float)));
  // Copied byte by byte: in a mapped file the data need not be aligned.
  float* to = c.buffer_.as<float>();
  const uint8_t* from = view.as<uint8_t>();
  if (is_half) {
    kernels::HalvesToFloats(from, count, to);
  } else if (count > 0) {
    std::memcpy(to, from, count * sizeof(float));
  }
  return c;
}

Result<FloatConstant> FloatConstant::ReadBias(const NodeInfo& info, int i,
                                              int64_t elements) {
  if (info.input(i) == nullptr) return FloatConstant();
  MUNJA_ASSIGN_OR_RETURN(FloatConstant bias, Read(info, i, "biases"));
  if (bias.shape().elements() != elements) {
    return Malformed("the bias has shape " + bias.shape().ToString() +
                     ", the output " + std::to_string(elements) + " channels");
  }
  return bias;
}

Result<FloatOperand> FloatOperand::Read(const NodeInfo& info, int i,
                                        std::string_view what,
                                        bool is_optional) {
  FloatOperand operand;
  operand.input_ = i;
  const graph::Value* value = info.input(i);
  if (value == nullptr) {
    if (is_optional) return operand;
    return Malformed("has no " + std::string(what));
  }
  if (!value->constant) {
    MUNJA_RETURN_IF_ERROR(CheckFloatInput(info, i, what));
    return operand;
  }
  MUNJA_ASSIGN_OR_RETURN(operand.constant_, FloatConstant::Read(info, i, what));
  return operand;
}

Status CheckFloatInput(const NodeInfo& info, int i, std::string_view what) {
  const graph::Value* value = info.input(i);
  if (value == nullptr) return Malformed("has no " + std::string(what));
  if (value->type != ElementType::kFloat32) {
    return Unsupported(std::string(what) + " of type " +
                       ElementTypeName(value->type) +
                       " is not implemented, only float32");
  }
  return Status();
}

Status CheckFloatOutput(const NodeInfo& info) {
  if (info.output(0).type != ElementType::kFloat32) {
    return Unsupported(std::string("an output of type ") +
                       ElementTypeName(info.output(0).type) +
                       " is not implemented, only float32");
  }
  return Status();
}

}  // namespace munja::ops
