#include "tflite_api/operator.h"

#include "tflite_api/guard.h"
#include "tflite_api/opaque.h"

namespace munja::compat {
namespace {

// The operator whose functions count. Sources older than the field fill in a
// registration on the stack function by function: then it holds anything.
const TfLiteOperator* OperatorOf(const TfLiteRegistration& r) {
  const bool has_functions = r.init || r.free || r.prepare || r.invoke;
  return has_functions ? nullptr : r.registration_external;
}

}  // namespace

TfLiteRegistration RegistrationOf(const TfLiteOperator& op) {
  TfLiteRegistration registration{};
  registration.builtin_code = op.builtin_code;
  registration.custom_name =
      op.custom_name.empty() ? nullptr : op.custom_name.c_str();
  registration.version = op.version;
  registration.inplace_operator = op.inplace_operator;
  // The C API hands it out as mutable; it is never changed here.
  registration.registration_external = const_cast<TfLiteOperator*>(&op);
  return registration;
}

bool HasInit(const TfLiteRegistration& r) {
  const TfLiteOperator* op = OperatorOf(r);
  return r.init || (op && (op->init || op->init_with_data));
}

bool HasFree(const TfLiteRegistration& r) {
  const TfLiteOperator* op = OperatorOf(r);
  return r.free || (op && (op->free || op->free_with_data));
}

bool HasPrepare(const TfLiteRegistration& r) {
  const TfLiteOperator* op = OperatorOf(r);
  return r.prepare || (op && (op->prepare || op->prepare_with_data));
}

bool HasInvoke(const TfLiteRegistration& r) {
  const TfLiteOperator* op = OperatorOf(r);
  return r.invoke || (op && (op->invoke || op->invoke_with_data));
}

void* CallInit(const TfLiteRegistration& r, TfLiteContext* context,
               const char* buffer, size_t length) {
  if (const TfLiteOperator* op = OperatorOf(r)) {
    if (op->init_with_data)
      return op->init_with_data(op->user_data, Hide(context), buffer, length);
    if (op->init) return op->init(Hide(context), buffer, length);
  }
  return r.init ? r.init(context, buffer, length) : nullptr;
}

void CallFree(const TfLiteRegistration& r, TfLiteContext* context, void* data) {
  if (const TfLiteOperator* op = OperatorOf(r)) {
    if (op->free_with_data)
      return op->free_with_data(op->user_data, Hide(context), data);
    if (op->free) return op->free(Hide(context), data);
  }
  if (r.free) r.free(context, data);
}

TfLiteStatus CallPrepare(const TfLiteRegistration& r, TfLiteContext* context,
                         TfLiteNode* node) {
  if (const TfLiteOperator* op = OperatorOf(r)) {
    if (op->prepare_with_data)
      return op->prepare_with_data(op->user_data, Hide(context), Hide(node));
    if (op->prepare) return op->prepare(Hide(context), Hide(node));
  }
  return r.prepare ? r.prepare(context, node) : kTfLiteOk;
}

TfLiteStatus CallInvoke(const TfLiteRegistration& r, TfLiteContext* context,
                        TfLiteNode* node) {
  if (const TfLiteOperator* op = OperatorOf(r)) {
    if (op->invoke_with_data)
      return op->invoke_with_data(op->user_data, Hide(context), Hide(node));
    if (op->invoke) return op->invoke(Hide(context), Hide(node));
  }
  return r.invoke ? r.invoke(context, node) : kTfLiteError;
}

}  // namespace munja::compat

extern "C" {

TfLiteOperator* TfLiteOperatorCreate(TfLiteBuiltinOperator builtin_code,
                                     const char* custom_name, int version,
                                     void* user_data) {
  using munja::compat::Guard;
  return Guard<TfLiteOperator*>(munja::compat::Reporter(), nullptr, [&] {
    return new TfLiteOperator{builtin_code, custom_name ? custom_name : "",
                              version, user_data};
  });
}

void TfLiteOperatorDelete(TfLiteOperator* registration) { delete registration; }

TfLiteBuiltinOperator TfLiteOperatorGetBuiltInCode(
    const TfLiteOperator* registration) {
  return registration->builtin_code;
}

const char* TfLiteOperatorGetCustomName(const TfLiteOperator* registration) {
  return registration->custom_name.empty() ? nullptr
                                           : registration->custom_name.c_str();
}

int TfLiteOperatorGetVersion(const TfLiteOperator* registration) {
  return registration == nullptr ? -1 : registration->version;
}

void* TfLiteOperatorGetUserData(const TfLiteOperator* registration) {
  return registration == nullptr ? nullptr : registration->user_data;
}

void TfLiteOperatorSetInit(TfLiteOperator* registration,
                           void* (*init)(TfLiteOpaqueContext* context,
                                         const char* buffer, size_t length)) {
  registration->init = init;
}

TfLiteStatus TfLiteOperatorSetInitWithData(
    TfLiteOperator* registration,
    void* (*init)(void* user_data, TfLiteOpaqueContext* context,
                  const char* buffer, size_t length)) {
  registration->init_with_data = init;
  return kTfLiteOk;
}

void TfLiteOperatorSetFree(TfLiteOperator* registration,
                           void (*free)(TfLiteOpaqueContext* context,
                                        void* data)) {
  registration->free = free;
}

TfLiteStatus TfLiteOperatorSetFreeWithData(
    TfLiteOperator* registration,
    void (*free)(void* user_data, TfLiteOpaqueContext* context, void* data)) {
  registration->free_with_data = free;
  return kTfLiteOk;
}

void TfLiteOperatorSetPrepare(
    TfLiteOperator* registration,
    TfLiteStatus (*prepare)(TfLiteOpaqueContext* context,
                            TfLiteOpaqueNode* node)) {
  registration->prepare = prepare;
}

TfLiteStatus TfLiteOperatorSetPrepareWithData(
    TfLiteOperator* registration,
    TfLiteStatus (*prepare)(void* user_data, TfLiteOpaqueContext* context,
                            TfLiteOpaqueNode* node)) {
  registration->prepare_with_data = prepare;
  return kTfLiteOk;
}

void TfLiteOperatorSetInvoke(
    TfLiteOperator* registration,
    TfLiteStatus (*invoke)(TfLiteOpaqueContext* context,
                           TfLiteOpaqueNode* node)) {
  registration->invoke = invoke;
}

TfLiteStatus TfLiteOperatorSetInvokeWithData(
    TfLiteOperator* registration,
    TfLiteStatus (*invoke)(void* user_data, TfLiteOpaqueContext* context,
                           TfLiteOpaqueNode* node)) {
  registration->invoke_with_data = invoke;
  return kTfLiteOk;
}

void TfLiteOperatorSetAsyncKernel(
    TfLiteOperator* registration,
    TfLiteAsyncKernel* (*async_kernel)(TfLiteOpaqueContext* context,
                                       TfLiteOpaqueNode* node)) {
  registration->async_kernel = async_kernel;
}

TfLiteStatus TfLiteOperatorSetAsyncKernelWithData(
    TfLiteOperator* registration,
    TfLiteAsyncKernel* (*async_kernel)(void* user_data,
                                       TfLiteOpaqueContext* context,
                                       TfLiteOpaqueNode* node)) {
  registration->async_kernel_with_data = async_kernel;
  return kTfLiteOk;
}

void TfLiteOperatorSetInplaceOperator(TfLiteOperator* registration,
                                      uint64_t inplace_operator) {
  registration->inplace_operator = inplace_operator;
}

}  // extern "C"
