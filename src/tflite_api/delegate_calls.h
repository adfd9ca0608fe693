// The functions of a TfLiteDelegate, whichever of the two interfaces it has.
#ifndef MUNJA_TFLITE_API_DELEGATE_CALLS_H_
#define MUNJA_TFLITE_API_DELEGATE_CALLS_H_

#include <cstdint>

#include "tensorflow/lite/c/common.h"

namespace munja::compat {

// The builder of an opaque delegate; null for others. Only a delegate without
// functions of its own has one: sources older than the field make the struct by
// plain `new` and fill in the functions, and then it holds anything.
const TfLiteOpaqueDelegateBuilder* BuilderOf(const TfLiteDelegate& delegate);

bool HasPrepare(const TfLiteDelegate& delegate);
int64_t FlagsOf(const TfLiteDelegate& delegate);
TfLiteStatus CallPrepare(TfLiteContext* context, TfLiteDelegate* delegate);

// Between the tensor's data and the buffer behind its handle. kTfLiteError
// when the delegate has no such function.
TfLiteStatus CopyFromHandle(TfLiteContext* context, TfLiteDelegate* delegate,
                            TfLiteTensor* tensor);
TfLiteStatus CopyToHandle(TfLiteContext* context, TfLiteDelegate* delegate,
                          TfLiteTensor* tensor);
// The tensor has no handle after that.
void FreeHandle(TfLiteContext* context, TfLiteDelegate* delegate,
                TfLiteTensor* tensor);

}  // namespace munja::compat

#endif  // MUNJA_TFLITE_API_DELEGATE_CALLS_H_
