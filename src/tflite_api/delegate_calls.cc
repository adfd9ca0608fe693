#include "tflite_api/delegate_calls.h"

#include "tflite_api/opaque.h"

namespace munja::compat {

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
    return builder->Prepare(Hide(context), delegate, builder->data);
  return delegate->Prepare(context, delegate);
}

TfLiteStatus CopyFromHandle(TfLiteContext* context, TfLiteDelegate* delegate,
                            TfLiteTensor* tensor) {
  const TfLiteOpaqueDelegateBuilder* const builder = BuilderOf(*delegate);
  if (builder != nullptr && builder->CopyFromBufferHandle != nullptr)
    return builder->CopyFromBufferHandle(Hide(context), delegate, builder->data,
                                         tensor->buffer_handle, Hide(tensor));
  if (delegate->CopyFromBufferHandle == nullptr) return kTfLiteError;
  return delegate->CopyFromBufferHandle(context, delegate,
                                        tensor->buffer_handle, tensor);
}

TfLiteStatus CopyToHandle(TfLiteContext* context, TfLiteDelegate* delegate,
                          TfLiteTensor* tensor) {
  const TfLiteOpaqueDelegateBuilder* const builder = BuilderOf(*delegate);
  if (builder != nullptr && builder->CopyToBufferHandle != nullptr)
    return builder->CopyToBufferHandle(Hide(context), delegate, builder->data,
                                       tensor->buffer_handle, Hide(tensor));
  if (delegate->CopyToBufferHandle == nullptr) return kTfLiteError;
  return delegate->CopyToBufferHandle(context, delegate, tensor->buffer_handle,
                                      tensor);
}

void FreeHandle(TfLiteContext* context, TfLiteDelegate* delegate,
                TfLiteTensor* tensor) {
  const TfLiteOpaqueDelegateBuilder* const builder = BuilderOf(*delegate);
  if (builder != nullptr && builder->FreeBufferHandle != nullptr) {
    builder->FreeBufferHandle(Hide(context), delegate, builder->data,
                              &tensor->buffer_handle);
  } else if (delegate->FreeBufferHandle != nullptr) {
    delegate->FreeBufferHandle(context, delegate, &tensor->buffer_handle);
  }
  tensor->buffer_handle = kTfLiteNullBufferHandle;
}

}  // namespace munja::compat
