// TfLiteTensor through functions.
#include <cstring>

#include "tensorflow/lite/core/c/c_api.h"

extern "C" {

TfLiteType TfLiteTensorType(const TfLiteTensor* tensor) {
  return tensor == nullptr ? kTfLiteNoType : tensor->type;
}

int32_t TfLiteTensorNumDims(const TfLiteTensor* tensor) {
  return tensor == nullptr || tensor->dims == nullptr ? -1 : tensor->dims->size;
}

int32_t TfLiteTensorDim(const TfLiteTensor* tensor, int32_t dim_index) {
  if (dim_index < 0 || dim_index >= TfLiteTensorNumDims(tensor)) return -1;
  return tensor->dims->data[dim_index];
}

size_t TfLiteTensorByteSize(const TfLiteTensor* tensor) {
  return tensor == nullptr ? 0 : tensor->bytes;
}

void* TfLiteTensorData(const TfLiteTensor* tensor) {
  return tensor == nullptr ? nullptr : tensor->data.data;
}

const char* TfLiteTensorName(const TfLiteTensor* tensor) {
  return tensor == nullptr ? nullptr : tensor->name;
}

TfLiteQuantizationParams TfLiteTensorQuantizationParams(
    const TfLiteTensor* tensor) {
  return tensor == nullptr ? TfLiteQuantizationParams{0, 0} : tensor->params;
}

TfLiteStatus TfLiteTensorCopyFromBuffer(TfLiteTensor* tensor,
                                        const void* input_data,
                                        size_t input_data_size) {
  if (tensor == nullptr || tensor->bytes != input_data_size)
    return kTfLiteError;
  if (input_data_size == 0) return kTfLiteOk;
  // Constants lie in the model's bytes, which may be read-only.
  if (input_data == nullptr || tensor->data.raw == nullptr ||
      tensor->allocation_type == kTfLiteMmapRo)
    return kTfLiteError;
  std::memcpy(tensor->data.raw, input_data, input_data_size);
  return kTfLiteOk;
}

TfLiteStatus TfLiteTensorCopyToBuffer(const TfLiteTensor* output_tensor,
                                      void* output_data,
                                      size_t output_data_size) {
  if (output_tensor == nullptr || output_tensor->bytes != output_data_size)
    return kTfLiteError;
  if (output_data_size == 0) return kTfLiteOk;
  if (output_data == nullptr || output_tensor->data.raw == nullptr)
    return kTfLiteError;
  std::memcpy(output_data, output_tensor->data.raw, output_data_size);
  return kTfLiteOk;
}

}  // extern "C"
