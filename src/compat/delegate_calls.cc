#include "compat/delegate_calls.h"

namespace munja::compat {
namespace {

// The opaque types are the same objects under names that hide their fields.
TfLiteOpaqueContext* Opaque(TfLiteContext* context) {
  return reinterpret_cast<TfLiteOpaqueContext*>(context);
}
TfLiteOpaqueTensor* Opaque(TfLiteTensor* tensor) {
  return reinterpret_cast<TfLiteOpaqueTensor*>(tensor);
}

}  // namespace

const TfLiteOpaqueDelegateBuilder* BuilderOf(const TfLiteDelegate& delegate) {
  return delegate.Prepare == nullptr ? delegate.opaque_delegate_builder
                                     : nullptr;
}

bool HasPrepare(const TfLiteDelegate& delegate) {
  const TfLiteOpaqueDelegateBuilder* const builder = BuilderOf(delegate);
  return delegate.Prepare != nullptr ||
         (builder != nullptr && builder->Prepare != nullptr);
}

int64_t FlagsOf(const TfLiteDelegate& delegate) {
  const TfLiteOpaqueDelegateBuilder* const builder = BuilderOf(delegate);
  return builder != nullptr ? builder->flags : delegate.flags;
}

TfLiteStatus CallPrepare(TfLiteContext* context, TfLiteDelegate* delegate) {
  const TfLiteOpaqueDelegateBuilder* const builder = BuilderOf(*delegate);
  if (builder != nullptr && builder->Prepare != nullptr)
    return builder->Prepare(Opaque(context), delegate, builder->data);
  return delegate->Prepare(context, delegate);
}

TfLiteStatus CopyFromHandle(TfLiteContext* context, TfLiteDelegate* delegate,
                            TfLiteTensor* tensor) {
  const TfLiteOpaqueDelegateBuilder* const builder = BuilderOf(*delegate);
  if (builder != nullptr && builder->CopyFromBufferHandle != nullptr)
    return builder->CopyFromBufferHandle(Opaque(context), delegate,
                                         builder->data, tensor->buffer_handle,
                                         Opaque(tensor));
  if (delegate->CopyFromBufferHandle == nullptr) return kTfLiteError;
  return delegate->CopyFromBufferHandle(context, delegate,
                                        tensor->buffer_handle, tensor);
}

TfLiteStatus CopyToHandle(TfLiteContext* context, TfLiteDelegate* delegate,
                          TfLiteTensor* tensor) {
  const TfLiteOpaqueDelegateBuilder* const builder = BuilderOf(*delegate);
  if (builder != nullptr && builder->CopyToBufferHandle != nullptr)
    return builder->CopyToBufferHandle(Opaque(context), delegate, builder->data,
                                       tensor->buffer_handle, Opaque(tensor));
  if (delegate->CopyToBufferHandle == nullptr) return kTfLiteError;
  return delegate->CopyToBufferHandle(context, delegate, tensor->buffer_handle,
                                      tensor);
}

void FreeHandle(TfLiteContext* context, TfLiteDelegate* delegate,
                TfLiteTensor* tensor) {
  const TfLiteOpaqueDelegateBuilder* const builder = BuilderOf(*delegate);
  if (builder != nullptr && builder->FreeBufferHandle != nullptr) {
    builder->FreeBufferHandle(Opaque(context), delegate, builder->data,
                              &tensor->buffer_handle);
  } else if (delegate->FreeBufferHandle != nullptr) {
    delegate->FreeBufferHandle(context, delegate, &tensor->buffer_handle);
  }
  tensor->buffer_handle = kTfLiteNullBufferHandle;
}

}  // namespace munja::compat
