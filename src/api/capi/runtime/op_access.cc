#include "capi/runtime/op_access.h"

#include <string>

namespace munja::capi {
namespace {

// A value as the model states it.
TensorView ViewOf(const graph::Value& value) {
  TensorView view;
  view.type = value.type;
  view.shape = value.shape;
  view.quantization = &value.quantization;
  return view;
}

}  // namespace

Status WrongTime(const char* when) {
  return InvalidArgument(std::string("may be called in ") + when + " only");
}

Result<TensorView> InputOf(const munja_op_context& c, int32_t i) {
  const auto absent = [&] {
    return NotFound("there is no input " + std::to_string(i));
  };
  if (i < 0) return absent();
  if (c.info != nullptr) {
    const graph::Value* const value = c.info->input(i);
    if (value == nullptr) return absent();
    return value->constant ? c.info->constant(i) : ViewOf(*value);
  }
  if (c.prepare != nullptr)
    return c.prepare->has_input(i) ? Result<TensorView>(c.prepare->input(i))
                                   : absent();
  return c.eval->has_input(i) ? Result<TensorView>(c.eval->input(i)) : absent();
}

Result<TensorView> OutputOf(const munja_op_context& c, int32_t i) {
  if (i < 0 || i >= c.outputs)
    return NotFound("there is no output " + std::to_string(i));
  if (c.info != nullptr) return ViewOf(c.info->output(i));
  return c.prepare != nullptr ? c.prepare->output(i) : c.eval->output(i);
}

Result<Shape> ShapeOf(const int32_t* dims, int32_t rank) {
  if (rank < 0 || rank > MUNJA_MAX_RANK)
    return InvalidArgument("the rank of an output is " + std::to_string(rank));
  if (rank > 0 && dims == nullptr)
    return InvalidArgument("the dimensions of an output are NULL");
  Shape shape;
  for (int32_t d = 0; d < rank; ++d) {
    if (dims[d] < 0)
      return InvalidArgument("a dimension of an output is " +
                             std::to_string(dims[d]));
    shape.Append(dims[d]);
  }
  return shape;
}

}  // namespace munja::capi
