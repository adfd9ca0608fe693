// TfLiteOperator: an operator of functions on opaque objects.
#ifndef MUNJA_TFLITE_API_OPERATOR_H_
#define MUNJA_TFLITE_API_OPERATOR_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "tensorflow/lite/core/c/common.h"
#include "tensorflow/lite/core/c/operator.h"

// In each pair of functions, the one with data takes precedence.
struct TfLiteOperator {
  TfLiteBuiltinOperator builtin_code;
  std::string custom_name;
  int version;
  void* user_data;
  // An operator of the graph that a delegate looks at has no functions; -1
  // otherwise.
  int node_index = -1;
  uint64_t inplace_operator = kTfLiteInplaceOpNone;

  void* (*init)(TfLiteOpaqueContext*, const char*, size_t) = nullptr;
  void* (*init_with_data)(void*, TfLiteOpaqueContext*, const char*,
                          size_t) = nullptr;
  void (*free)(TfLiteOpaqueContext*, void*) = nullptr;
  void (*free_with_data)(void*, TfLiteOpaqueContext*, void*) = nullptr;
  TfLiteStatus (*prepare)(TfLiteOpaqueContext*, TfLiteOpaqueNode*) = nullptr;
  TfLiteStatus (*prepare_with_data)(void*, TfLiteOpaqueContext*,
                                    TfLiteOpaqueNode*) = nullptr;
  TfLiteStatus (*invoke)(TfLiteOpaqueContext*, TfLiteOpaqueNode*) = nullptr;
  TfLiteStatus (*invoke_with_data)(void*, TfLiteOpaqueContext*,
                                   TfLiteOpaqueNode*) = nullptr;
  TfLiteAsyncKernel* (*async_kernel)(TfLiteOpaqueContext*,
                                     TfLiteOpaqueNode*) = nullptr;
  TfLiteAsyncKernel* (*async_kernel_with_data)(void*, TfLiteOpaqueContext*,
                                               TfLiteOpaqueNode*) = nullptr;
};

namespace munja::compat {

// Has no functions of its own but says which the operator is:
// registration_external. The operator outlives it.
TfLiteRegistration RegistrationOf(const TfLiteOperator& op);

// The functions of a registration, or of the operator behind it.
bool HasInit(const TfLiteRegistration& registration);
bool HasFree(const TfLiteRegistration& registration);
bool HasPrepare(const TfLiteRegistration& registration);
bool HasInvoke(const TfLiteRegistration& registration);
// Each does nothing and succeeds where there is no such function.
void* CallInit(const TfLiteRegistration& registration, TfLiteContext* context,
               const char* buffer, size_t length);
void CallFree(const TfLiteRegistration& registration, TfLiteContext* context,
              void* data);
TfLiteStatus CallPrepare(const TfLiteRegistration& registration,
                         TfLiteContext* context, TfLiteNode* node);
// kTfLiteError where there is none.
TfLiteStatus CallInvoke(const TfLiteRegistration& registration,
                        TfLiteContext* context, TfLiteNode* node);

}  // namespace munja::compat

#endif  // MUNJA_TFLITE_API_OPERATOR_H_
