// Life cycle of delegates that a program makes by itself.
#include <new>

#include "tensorflow/lite/core/c/common.h"

extern "C" {

TfLiteDelegate TfLiteDelegateCreate(void) { return {}; }

TfLiteOpaqueDelegate* TfLiteOpaqueDelegateCreate(
    const TfLiteOpaqueDelegateBuilder* opaque_delegate_builder) {
  if (opaque_delegate_builder == nullptr) return nullptr;
  auto* builder =
      new (std::nothrow) TfLiteOpaqueDelegateBuilder(*opaque_delegate_builder);
  auto* delegate = new (std::nothrow) TfLiteDelegate{};
  if (builder == nullptr || delegate == nullptr) {
    delete builder;
    delete delegate;
    return nullptr;
  }
  delegate->flags = builder->flags;
  delegate->opaque_delegate_builder = builder;
  return delegate;
}

void TfLiteOpaqueDelegateDelete(TfLiteOpaqueDelegate* delegate) {
  if (delegate == nullptr) return;
  delete delegate->opaque_delegate_builder;
  delete delegate;
}

void* TfLiteOpaqueDelegateGetData(const TfLiteOpaqueDelegate* delegate) {
  if (delegate == nullptr) return nullptr;
  return delegate->opaque_delegate_builder != nullptr
             ? delegate->opaque_delegate_builder->data
             : delegate->data_;
}

void* TfLiteKernelInitFailed(void) {
  static char sentinel;
  return &sentinel;
}

}  // extern "C"
