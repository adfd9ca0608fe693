// Calls for the prepare callback of a custom operator.
#include <memory>

#include "capi/runtime/arguments.h"
#include "capi/runtime/guard.h"
#include "capi/runtime/op_access.h"
#include "capi/runtime/op_context.h"

using munja::Shape;
using munja::Status;
using munja::capi::ForeignState;
using munja::capi::Guard;
using munja::capi::InputOf;
using munja::capi::OutputOf;
using munja::capi::RequireAll;
using munja::capi::ShapeOf;
using munja::capi::WrongTime;

extern "C" {

munja_status munja_op_set_output_shape(munja_op_context* context, int32_t index,
                                       const int32_t* dims, int32_t rank) {
  return Guard([&]() -> Status {
    MUNJA_RETURN_IF_ERROR(RequireAll(context));
    if (context->prepare == nullptr) return WrongTime("prepare");
    MUNJA_RETURN_IF_ERROR(OutputOf(*context, index).TakeStatus());
    MUNJA_ASSIGN_OR_RETURN(const Shape shape, ShapeOf(dims, rank));
    return context->prepare->SetOutputShape(index, shape);
  });
}

munja_status munja_op_defer_output_shape(munja_op_context* context,
                                         int32_t index) {
  return Guard([&]() -> Status {
    MUNJA_RETURN_IF_ERROR(RequireAll(context));
    if (context->prepare == nullptr) return WrongTime("prepare");
    MUNJA_RETURN_IF_ERROR(OutputOf(*context, index).TakeStatus());
    context->prepare->DeferOutputShape(index);
    return Status();
  });
}

munja_status munja_op_request_scratch(munja_op_context* context, size_t bytes) {
  return Guard([&]() -> Status {
    MUNJA_RETURN_IF_ERROR(RequireAll(context));
    if (context->prepare == nullptr) return WrongTime("prepare");
    context->prepare->RequestScratch(bytes);
    return Status();
  });
}

munja_status munja_op_allow_in_place(munja_op_context* context, int32_t output,
                                     int32_t input) {
  return Guard([&]() -> Status {
    MUNJA_RETURN_IF_ERROR(RequireAll(context));
    if (context->prepare == nullptr) return WrongTime("prepare");
    MUNJA_RETURN_IF_ERROR(OutputOf(*context, output).TakeStatus());
    MUNJA_RETURN_IF_ERROR(InputOf(*context, input).TakeStatus());
    context->prepare->AllowInPlace(output, input);
    return Status();
  });
}

munja_status munja_op_set_state(munja_op_context* context, void* state,
                                void (*free_state)(void* state)) {
  return Guard([&]() -> Status {
    MUNJA_RETURN_IF_ERROR(RequireAll(context));
    if (context->prepare == nullptr) return WrongTime("prepare");
    context->prepare->SetState(
        std::make_unique<ForeignState>(state, free_state));
    return Status();
  });
}

}  // extern "C"
