// A tensor that external code is about to add to a context.
#ifndef MUNJA_TFLITE_API_TENSOR_BUILDER_H_
#define MUNJA_TFLITE_API_TENSOR_BUILDER_H_

#include "tensorflow/lite/c/c_api_opaque.h"

struct TfLiteOpaqueTensorBuilder {
  TfLiteType type = kTfLiteNoType;
  void* data = nullptr;
  TfLiteAllocationType allocation_type = kTfLiteMemNone;
  TfLiteQuantizationParams params{};
  TfLiteQuantization quantization{};
};

#endif  // MUNJA_TFLITE_API_TENSOR_BUILDER_H_
