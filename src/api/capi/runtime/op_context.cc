// Tensors of the node for callbacks of custom operators.
#include "capi/runtime/op_context.h"

#include "capi/runtime/arguments.h"
#include "capi/runtime/guard.h"
#include "capi/runtime/op_access.h"
#include "capi/runtime/tensor_args.h"

using munja::Quantization;
using munja::Status;
using munja::TensorView;
using munja::capi::Guard;
using munja::capi::InputOf;
using munja::capi::OutputOf;
using munja::capi::RequireAll;

namespace {

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

}  // extern "C"
