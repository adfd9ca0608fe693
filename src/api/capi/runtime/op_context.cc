// Node access for callbacks of custom operators.
#include "capi/runtime/op_context.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "capi/runtime/arguments.h"
#include "capi/runtime/guard.h"
#include "capi/runtime/tensor_args.h"

using munja::InvalidArgument;
using munja::Malformed;
using munja::NotFound;
using munja::Quantization;
using munja::Result;
using munja::Shape;
using munja::Status;
using munja::TensorView;
using munja::capi::ForeignState;
using munja::capi::Guard;
using munja::capi::RequireAll;

namespace {

Status WrongTime(const char* when) {
  return InvalidArgument(std::string("may be called in ") + when + " only");
}

// A value as the model states it.
TensorView ViewOf(const munja::graph::Value& value) {
  TensorView view;
  view.type = value.type;
  view.shape = value.shape;
  view.quantization = &value.quantization;
  return view;
}

Result<TensorView> InputOf(const munja_op_context& c, int32_t i) {
  const auto absent = [&] {
    return NotFound("there is no input " + std::to_string(i));
  };
  if (i < 0) return absent();
  if (c.info != nullptr) {
    const munja::graph::Value* const value = c.info->input(i);
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

munja_quantization QuantizationOf(const TensorView& view) {
  munja_quantization result = {};
  const Quantization* const q = view.quantization;
  if (q == nullptr || !q->is_quantized()) return result;
  result.scales = q->scales.data();
  if (!q->zero_points.empty()) result.zero_points = q->zero_points.data();
  result.count = static_cast<int32_t>(q->scales.size());
  result.axis = q->axis;
  return result;
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

}  // namespace

extern "C" {

munja_status munja_op_fail(munja_op_context* context, munja_status status,
                           const char* reason) {
  if (context != nullptr && reason != nullptr) {
    // Without memory the status alone has to do.
    (void)Guard([&] {
      context->reason = reason;
      return Status();
    });
  }
  return status;
}

int32_t munja_op_input_count(const munja_op_context* context) {
  if (context == nullptr) return 0;
  if (context->info != nullptr) return context->info->inputs();
  return context->prepare != nullptr ? context->prepare->inputs()
                                     : context->eval->inputs();
}

int32_t munja_op_output_count(const munja_op_context* context) {
  return context != nullptr ? context->outputs : 0;
}

munja_status munja_op_input(const munja_op_context* context, int32_t index,
                            munja_tensor* tensor) {
  return Guard([&]() -> Status {
    MUNJA_RETURN_IF_ERROR(RequireAll(context, tensor));
    MUNJA_ASSIGN_OR_RETURN(const TensorView view, InputOf(*context, index));
    *tensor = munja::capi::TensorOf(view);
    return Status();
  });
}

munja_status munja_op_output(const munja_op_context* context, int32_t index,
                             munja_tensor* tensor) {
  return Guard([&]() -> Status {
    MUNJA_RETURN_IF_ERROR(RequireAll(context, tensor));
    MUNJA_ASSIGN_OR_RETURN(const TensorView view, OutputOf(*context, index));
    *tensor = munja::capi::TensorOf(view);
    return Status();
  });
}

munja_status munja_op_input_quantization(const munja_op_context* context,
                                         int32_t index,
                                         munja_quantization* quantization) {
  return Guard([&]() -> Status {
    MUNJA_RETURN_IF_ERROR(RequireAll(context, quantization));
    MUNJA_ASSIGN_OR_RETURN(const TensorView view, InputOf(*context, index));
    *quantization = QuantizationOf(view);
    return Status();
  });
}

munja_status munja_op_output_quantization(const munja_op_context* context,
                                          int32_t index,
                                          munja_quantization* quantization) {
  return Guard([&]() -> Status {
    MUNJA_RETURN_IF_ERROR(RequireAll(context, quantization));
    MUNJA_ASSIGN_OR_RETURN(const TensorView view, OutputOf(*context, index));
    *quantization = QuantizationOf(view);
    return Status();
  });
}

const char* munja_op_name(const munja_op_context* context) {
  return context != nullptr && context->info != nullptr
             ? context->info->node().op.c_str()
             : "";
}

int32_t munja_op_is_custom(const munja_op_context* context) {
  return context != nullptr && context->info != nullptr &&
         context->info->node().is_custom;
}

int32_t munja_op_version(const munja_op_context* context) {
  return context != nullptr && context->info != nullptr
             ? context->info->node().version
             : 0;
}

int32_t munja_op_input_id(const munja_op_context* context, int32_t index) {
  if (context == nullptr || context->info == nullptr) return -1;
  const auto& inputs = context->info->node().inputs;
  return index >= 0 && static_cast<size_t>(index) < inputs.size()
             ? inputs[static_cast<size_t>(index)]
             : -1;
}

int32_t munja_op_output_id(const munja_op_context* context, int32_t index) {
  if (context == nullptr || context->info == nullptr) return -1;
  const auto& outputs = context->info->node().outputs;
  return index >= 0 && static_cast<size_t>(index) < outputs.size()
             ? outputs[static_cast<size_t>(index)]
             : -1;
}

munja_status munja_op_options(const munja_op_context* context,
                              const void** bytes, size_t* size) {
  return Guard([&]() -> Status {
    MUNJA_RETURN_IF_ERROR(RequireAll(context, bytes, size));
    if (context->info == nullptr) return WrongTime("init");
    const auto& options = context->info->node().custom_options;
    *bytes = options.empty() ? nullptr : options.data();
    *size = options.size();
    return Status();
  });
}

munja_status munja_op_attr_int(const munja_op_context* context,
                               const char* name, int64_t fallback,
                               int64_t* value) {
  return Guard([&]() -> Status {
    MUNJA_RETURN_IF_ERROR(RequireAll(context, name, value));
    if (context->info == nullptr) return WrongTime("init");
    const munja::graph::Attributes& attributes = context->info->attributes();
    const auto* const found = attributes.Find(name);
    if (found != nullptr && std::holds_alternative<bool>(*found)) {
      *value = std::get<bool>(*found) ? 1 : 0;
      return Status();
    }
    MUNJA_ASSIGN_OR_RETURN(*value, attributes.Int(name, fallback));
    return Status();
  });
}

munja_status munja_op_attr_float(const munja_op_context* context,
                                 const char* name, double fallback,
                                 double* value) {
  return Guard([&]() -> Status {
    MUNJA_RETURN_IF_ERROR(RequireAll(context, name, value));
    if (context->info == nullptr) return WrongTime("init");
    MUNJA_ASSIGN_OR_RETURN(*value,
                           context->info->attributes().Float(name, fallback));
    return Status();
  });
}

munja_status munja_op_attr_string(const munja_op_context* context,
                                  const char* name, const char* fallback,
                                  const char** value) {
  return Guard([&]() -> Status {
    MUNJA_RETURN_IF_ERROR(RequireAll(context, name, value));
    if (context->info == nullptr) return WrongTime("init");
    const auto* const found = context->info->attributes().Find(name);
    if (found == nullptr) {
      *value = fallback;
      return Status();
    }
    const auto* const text = std::get_if<std::string>(found);
    if (text == nullptr)
      return Malformed("option '" + std::string(name) + "' is no text");
    *value = text->c_str();
    return Status();
  });
}

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
