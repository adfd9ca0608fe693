// Tensors through functions alone.
#include <new>
#include <utility>

#include "tensorflow/lite/string_util.h"
#include "tflite_api/guard.h"
#include "tflite_api/opaque.h"
#include "tflite_api/tensor_builder.h"

using munja::compat::Guard;
using munja::compat::Reporter;
using munja::compat::Show;

extern "C" {

TfLiteType TfLiteOpaqueTensorType(const TfLiteOpaqueTensor* opaque_tensor) {
  return TfLiteTensorType(Show(opaque_tensor));
}

int32_t TfLiteOpaqueTensorNumDims(const TfLiteOpaqueTensor* opaque_tensor) {
  return TfLiteTensorNumDims(Show(opaque_tensor));
}

int32_t TfLiteOpaqueTensorDim(const TfLiteOpaqueTensor* opaque_tensor,
                              int32_t dim_index) {
  return TfLiteTensorDim(Show(opaque_tensor), dim_index);
}

TfLiteStatus TfLiteOpaqueTensorGetNumDimsSignature(
    const TfLiteOpaqueTensor* opaque_tensor, int32_t* num_dims) {
  const TfLiteIntArray* dims =
      TfLiteTensorGetDimsSignature(Show(opaque_tensor));
  if (dims == nullptr) {
    *num_dims = -1;
    return kTfLiteOk;
  }
  *num_dims = dims->size;
  return kTfLiteOk;
}

TfLiteStatus TfLiteOpaqueTensorGetDimSignature(
    const TfLiteOpaqueTensor* opaque_tensor, int32_t dim_index,
    int32_t* dim_length) {
  const TfLiteIntArray* dims =
      TfLiteTensorGetDimsSignature(Show(opaque_tensor));
  if (dims == nullptr || dim_index < 0 || dim_index >= dims->size)
    return kTfLiteError;
  *dim_length = dims->data[dim_index];
  return kTfLiteOk;
}

int TfLiteOpaqueTensorIsVariable(const TfLiteOpaqueTensor* opaque_tensor) {
  return Show(opaque_tensor)->is_variable ? 1 : 0;
}

size_t TfLiteOpaqueTensorByteSize(const TfLiteOpaqueTensor* opaque_tensor) {
  return TfLiteTensorByteSize(Show(opaque_tensor));
}

void* TfLiteOpaqueTensorData(const TfLiteOpaqueTensor* opaque_tensor) {
  return TfLiteTensorData(Show(opaque_tensor));
}

TfLiteAllocationType TfLiteOpaqueTensorGetAllocationType(
    const TfLiteOpaqueTensor* opaque_tensor) {
  return Show(opaque_tensor)->allocation_type;
}

TfLiteAllocationStrategy TfLiteOpaqueTensorGetAllocationStrategy(
    const TfLiteOpaqueTensor* t) {
  switch (Show(t)->allocation_type) {
    case kTfLiteMemNone:
      return kTfLiteAllocationStrategyNone;
    case kTfLiteMmapRo:
      return kTfLiteAllocationStrategyMMap;
    case kTfLiteArenaRw:
    case kTfLiteArenaRwPersistent:
      return kTfLiteAllocationStrategyArena;
    case kTfLiteDynamic:
    case kTfLitePersistentRo:
      return kTfLiteAllocationStrategyMalloc;
    case kTfLiteVariantObject:
      return kTfLiteAllocationStrategyNew;
    default:
      return kTfLiteAllocationStrategyUnknown;
  }
}

TfLiteRunStability TfLiteOpaqueTensorGetBufferAddressStability(
    const TfLiteOpaqueTensor* t) {
  return Show(t)->allocation_type == kTfLiteMmapRo
             ? kTfLiteRunStabilityAcrossRuns
             : kTfLiteRunStabilityUnstable;
}

TfLiteRunStability TfLiteOpaqueTensorGetDataStability(
    const TfLiteOpaqueTensor* t) {
  switch (Show(t)->allocation_type) {
    case kTfLiteMmapRo:
    case kTfLiteArenaRwPersistent:
    case kTfLitePersistentRo:
      return kTfLiteRunStabilityAcrossRuns;
    case kTfLiteArenaRw:
    case kTfLiteDynamic:
      return kTfLiteRunStabilitySingleRun;
    default:
      return kTfLiteRunStabilityUnknown;
  }
}

TfLiteRunStep TfLiteOpaqueTensorGetDataKnownStep(const TfLiteOpaqueTensor* t) {
  switch (Show(t)->allocation_type) {
    case kTfLiteMmapRo:
      return kTfLiteRunStepInit;
    case kTfLitePersistentRo:
      return kTfLiteRunStepPrepare;
    case kTfLiteArenaRw:
    case kTfLiteArenaRwPersistent:
    case kTfLiteDynamic:
      return kTfLiteRunStepEval;
    default:
      return kTfLiteRunStepUnknown;
  }
}

TfLiteRunStep TfLiteOpaqueTensorGetShapeKnownStep(const TfLiteOpaqueTensor* t) {
  switch (Show(t)->allocation_type) {
    case kTfLiteMmapRo:
      return kTfLiteRunStepInit;
    case kTfLitePersistentRo:
    case kTfLiteArenaRw:
    case kTfLiteArenaRwPersistent:
      return kTfLiteRunStepPrepare;
    case kTfLiteDynamic:
      return kTfLiteRunStepEval;
    default:
      return kTfLiteRunStepUnknown;
  }
}

const char* TfLiteOpaqueTensorName(const TfLiteOpaqueTensor* opaque_tensor) {
  return TfLiteTensorName(Show(opaque_tensor));
}

TfLiteQuantization TfLiteOpaqueTensorGetQuantization(
    const TfLiteOpaqueTensor* opaque_tensor) {
  return Show(opaque_tensor)->quantization;
}

TfLiteQuantizationParams TfLiteOpaqueTensorGetQuantizationParams(
    const TfLiteOpaqueTensor* opaque_tensor) {
  return TfLiteTensorQuantizationParams(Show(opaque_tensor));
}

TfLiteStatus TfLiteOpaqueTensorCopyFromBuffer(TfLiteOpaqueTensor* opaque_tensor,
                                              const void* input_data,
                                              size_t input_data_size) {
  return TfLiteTensorCopyFromBuffer(Show(opaque_tensor), input_data,
                                    input_data_size);
}

TfLiteStatus TfLiteOpaqueTensorCopyToBuffer(
    const TfLiteOpaqueTensor* opaque_tensor, void* output_data,
    size_t output_data_size) {
  return TfLiteTensorCopyToBuffer(Show(opaque_tensor), output_data,
                                  output_data_size);
}

int TfLiteOpaqueTensorGetStringCount(const TfLiteOpaqueTensor* tensor) {
  const TfLiteTensor* t = Show(tensor);
  return t->data.raw == nullptr ? 0 : tflite::GetStringCount(t);
}

TfLiteStatus TfLiteOpaqueTensorGetString(const TfLiteOpaqueTensor* tensor,
                                         int index, const char** str,
                                         int* len) {
  if (index < 0 || index >= TfLiteOpaqueTensorGetStringCount(tensor))
    return kTfLiteError;
  const tflite::StringRef text = tflite::GetString(Show(tensor), index);
  *str = text.str;
  *len = static_cast<int>(text.len);
  return kTfLiteOk;
}

TfLiteStatus TfLiteOpaqueTensorWriteStrings(TfLiteOpaqueTensor* tensor,
                                            const char* const* str_array,
                                            int str_array_len,
                                            const int* str_n_len) {
  return Guard<TfLiteStatus>(Reporter(), kTfLiteError, [&] {
    tflite::DynamicBuffer buffer;
    for (int i = 0; i < str_array_len; ++i) {
      const TfLiteStatus added =
          buffer.AddString(str_array[i], static_cast<size_t>(str_n_len[i]));
      if (added != kTfLiteOk) return added;
    }
    buffer.WriteToTensorAsVector(Show(tensor));
    return kTfLiteOk;
  });
}

TfLiteStatus TfLiteOpaqueTensorWriteString(TfLiteOpaqueTensor* tensor,
                                           const char* str, int len) {
  return TfLiteOpaqueTensorWriteStrings(tensor, &str, 1, &len);
}

TfLiteOpaqueTensorBuilder* TfLiteOpaqueTensorBuilderCreate(void) {
  return new (std::nothrow) TfLiteOpaqueTensorBuilder;
}

void TfLiteOpaqueTensorBuilderDelete(TfLiteOpaqueTensorBuilder* builder) {
  delete builder;
}

TfLiteOpaqueTensorBuilder* TfLiteOpaqueTensorBuilderSetType(
    TfLiteOpaqueTensorBuilder* builder, TfLiteType type) {
  builder->type = type;
  return builder;
}

TfLiteOpaqueTensorBuilder* TfLiteOpaqueTensorBuilderSetData(
    TfLiteOpaqueTensorBuilder* builder, void* data) {
  builder->data = data;
  return builder;
}

TfLiteOpaqueTensorBuilder* TfLiteOpaqueTensorBuilderSetAllocationType(
    TfLiteOpaqueTensorBuilder* builder, TfLiteAllocationType allocation_type) {
  builder->allocation_type = allocation_type;
  return builder;
}

TfLiteOpaqueTensorBuilder* TfLiteOpaqueTensorBuilderSetQuantizationParams(
    TfLiteOpaqueTensorBuilder* builder, TfLiteQuantizationParams params) {
  builder->params = params;
  return builder;
}

TfLiteOpaqueTensorBuilder* TfLiteOpaqueTensorBuilderSetQuantization(
    TfLiteOpaqueTensorBuilder* builder, TfLiteQuantization quantization) {
  builder->quantization = quantization;
  return builder;
}

void TfLiteOpaqueTensorSetAllocationTypeToDynamic(TfLiteOpaqueTensor* tensor) {
  TfLiteTensor* const t = Show(tensor);
  if (t->allocation_type == kTfLiteDynamic) return;
  t->allocation_type = kTfLiteDynamic;
  t->data.raw = nullptr;
}

void TfLiteOpaqueTensorSetAllocationTypeToNonCpu(TfLiteOpaqueTensor* tensor) {
  TfLiteTensor* const t = Show(tensor);
  TfLiteTensorDataFree(t);
  t->allocation_type = kTfLiteNonCpu;
}

}  // extern "C"
