// Calls for the eval callback of a custom operator.
#include "capi/runtime/arguments.h"
#include "capi/runtime/guard.h"
#include "capi/runtime/op_access.h"
#include "capi/runtime/op_context.h"
#include "capi/runtime/tensor_args.h"

using munja::InvalidArgument;
using munja::Shape;
using munja::Status;
using munja::capi::ForeignState;
using munja::capi::Guard;
using munja::capi::OutputOf;
using munja::capi::RequireAll;
using munja::capi::ShapeOf;
using munja::capi::WrongTime;

extern "C" {

void* munja_op_scratch(const munja_op_context* context) {
  return context != nullptr && context->eval != nullptr
             ? context->eval->scratch()
             : nullptr;
}

void* munja_op_state(const munja_op_context* context) {
  if (context == nullptr || context->eval == nullptr) return nullptr;
  // No other kind is ever set for these kernels.
  const auto* const state =
      static_cast<const ForeignState*>(context->eval->state());
  return state != nullptr ? state->get() : nullptr;
}

munja_status munja_op_resize_output(munja_op_context* context, int32_t index,
                                    const int32_t* dims, int32_t rank,
                                    size_t bytes, munja_tensor* tensor) {
  return Guard([&]() -> Status {
    MUNJA_RETURN_IF_ERROR(RequireAll(context, tensor));
    if (context->eval == nullptr) return WrongTime("eval");
    MUNJA_RETURN_IF_ERROR(OutputOf(*context, index).TakeStatus());
    MUNJA_ASSIGN_OR_RETURN(const Shape shape, ShapeOf(dims, rank));
    MUNJA_RETURN_IF_ERROR(context->eval->ResizeOutput(index, shape, bytes));
    *tensor = munja::capi::TensorOf(context->eval->output(index));
    return Status();
  });
}

int32_t munja_op_threads(const munja_op_context* context) {
  if (context == nullptr) return 1;
  if (context->prepare != nullptr) return context->prepare->threads();
  return context->eval != nullptr ? context->eval->pool().threads() : 1;
}

munja_status munja_op_parallel_for(munja_op_context* context, size_t count,
                                   size_t grain,
                                   void (*body)(void* user, size_t begin,
                                                size_t end, int32_t worker),
                                   void* user) {
  return Guard([&]() -> Status {
    MUNJA_RETURN_IF_ERROR(RequireAll(context));
    if (context->eval == nullptr) return WrongTime("eval");
    if (body == nullptr || grain == 0)
      return InvalidArgument("the loop has no body, or a grain of 0");
    context->eval->pool().ParallelFor(
        count, grain, [&](size_t begin, size_t end, int worker) {
          body(user, begin, end, worker);
        });
    return Status();
  });
}

}  // extern "C"
