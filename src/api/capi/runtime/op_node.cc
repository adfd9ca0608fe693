// The node of a custom operator: its name, tensors and attributes.
#include <string>
#include <variant>

#include "capi/runtime/arguments.h"
#include "capi/runtime/guard.h"
#include "capi/runtime/op_access.h"
#include "capi/runtime/op_context.h"

using munja::Malformed;
using munja::Status;
using munja::capi::Guard;
using munja::capi::RequireAll;
using munja::capi::WrongTime;

extern "C" {

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

}  // extern "C"
