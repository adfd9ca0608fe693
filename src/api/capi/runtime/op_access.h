// Access to the tensors of the node whose callback runs.
#ifndef MUNJA_CAPI_RUNTIME_OP_ACCESS_H_
#define MUNJA_CAPI_RUNTIME_OP_ACCESS_H_

#include <cstdint>

#include "base/status.h"
#include "capi/runtime/op_context.h"
#include "tensor/view.h"

namespace munja::capi {

// The error of a function that may be called only in the callback `when`.
Status WrongTime(const char* when);

// kNotFound: there is no such tensor.
Result<TensorView> InputOf(const munja_op_context& c, int32_t i);
Result<TensorView> OutputOf(const munja_op_context& c, int32_t i);

// The shape of an output as a callback states it. kInvalidArgument.
Result<Shape> ShapeOf(const int32_t* dims, int32_t rank);

}  // namespace munja::capi

#endif  // MUNJA_CAPI_RUNTIME_OP_ACCESS_H_
