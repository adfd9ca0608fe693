// Life cycle of TfLiteTensor.
#include "tensorflow/lite/core/c/tensor.h"

#include <cstdlib>
#include <cstring>

#include "tensorflow/lite/core/c/common.h"

namespace {

bool IsOnHeap(const TfLiteTensor& t) {
  return t.allocation_type == kTfLiteDynamic ||
         t.allocation_type == kTfLitePersistentRo;
}

void FreeQuantizationParams(TfLiteQuantization& quantization) {
  if (quantization.params == nullptr) return;
  switch (quantization.type) {
    case kTfLiteNoQuantization:
      break;
    case kTfLiteAffineQuantization: {
      auto* affine =
          static_cast<TfLiteAffineQuantization*>(quantization.params);
      TfLiteFloatArrayFree(affine->scale);
      TfLiteIntArrayFree(affine->zero_point);
      break;
    }
    case kTfLiteBlockwiseQuantization:
      break;
    case kTfLiteMultiAxisQuantization:
      TfLiteIntArrayFree(
          static_cast<TfLiteMultiAxisQuantization*>(quantization.params)
              ->quantized_dimensions);
      break;
  }
  std::free(quantization.params);
}

}  // namespace

extern "C" {

const char* TfLiteTypeGetName(TfLiteType type) {
  static constexpr const char* kNames[] = {
      "NOTYPE",  "FLOAT32", "INT32",         "UINT8",      "INT64",
      "STRING",  "BOOL",    "INT16",         "COMPLEX64",  "INT8",
      "FLOAT16", "FLOAT64", "COMPLEX128",    "UINT64",     "RESOURCE",
      "VARIANT", "UINT32",  "UINT16",        "INT4",       "BFLOAT16",
      "INT2",    "UINT4",   "FLOAT8_E4M3FN", "FLOAT8_E5M2"};
  const auto i = static_cast<size_t>(type);
  return i < sizeof(kNames) / sizeof(*kNames) ? kNames[i] : "Unknown type";
}

void TfLiteTensorDataFree(TfLiteTensor* t) {
  if (t == nullptr) return;
  if (t->allocation_type == kTfLiteVariantObject && t->data.data != nullptr) {
    delete static_cast<VariantData*>(t->data.data);
  } else if (IsOnHeap(*t)) {
    std::free(t->data.raw);
  }
  t->data.raw = nullptr;
}

void TfLiteQuantizationFree(TfLiteQuantization* quantization) {
  if (quantization == nullptr) return;
  FreeQuantizationParams(*quantization);
  quantization->params = nullptr;
  quantization->type = kTfLiteNoQuantization;
}

void TfLiteSparsityFree(TfLiteSparsity* sparsity) {
  if (sparsity == nullptr) return;
  TfLiteIntArrayFree(sparsity->traversal_order);
  TfLiteIntArrayFree(sparsity->block_map);
  if (sparsity->dim_metadata != nullptr) {
    for (int i = 0; i < sparsity->dim_metadata_size; ++i) {
      TfLiteIntArrayFree(sparsity->dim_metadata[i].array_segments);
      TfLiteIntArrayFree(sparsity->dim_metadata[i].array_indices);
    }
    std::free(sparsity->dim_metadata);
  }
  std::free(sparsity);
}

void TfLiteTensorFree(TfLiteTensor* t) {
  if (t == nullptr) return;
  TfLiteTensorDataFree(t);
  TfLiteIntArrayFree(t->dims);
  t->dims = nullptr;
  TfLiteIntArrayFree(const_cast<TfLiteIntArray*>(t->dims_signature));
  t->dims_signature = nullptr;
  TfLiteQuantizationFree(&t->quantization);
  TfLiteSparsityFree(t->sparsity);
  t->sparsity = nullptr;
}

void TfLiteTensorReset(TfLiteType type, const char* name, TfLiteIntArray* dims,
                       TfLiteQuantizationParams quantization, char* buffer,
                       size_t size, TfLiteAllocationType allocation_type,
                       const void* allocation, bool is_variable,
                       TfLiteTensor* tensor) {
  TfLiteTensorFree(tensor);
  *tensor = {};
  tensor->type = type;
  tensor->name = name;
  tensor->dims = dims;
  tensor->params = quantization;
  tensor->data.raw = buffer;
  tensor->bytes = size;
  tensor->allocation_type = allocation_type;
  tensor->allocation = allocation;
  tensor->is_variable = is_variable;
  tensor->buffer_handle = kTfLiteNullBufferHandle;
}

TfLiteStatus TfLiteTensorCopy(const TfLiteTensor* src, TfLiteTensor* dst) {
  if (src == nullptr || dst == nullptr || src == dst) return kTfLiteOk;
  if (src->bytes != dst->bytes) return kTfLiteError;
  TfLiteIntArray* dims = TfLiteIntArrayCopy(src->dims);
  if (dims == nullptr && src->dims != nullptr) return kTfLiteError;
  TfLiteIntArrayFree(dst->dims);
  dst->dims = dims;
  dst->type = src->type;
  if (src->allocation_type == kTfLiteVariantObject) {
    // An object can only take the place of an object.
    auto* old = dst->allocation_type == kTfLiteVariantObject
                    ? static_cast<VariantData*>(dst->data.data)
                    : nullptr;
    if (old == nullptr) TfLiteTensorDataFree(dst);
    const auto* object = static_cast<const VariantData*>(src->data.data);
    dst->allocation_type = kTfLiteVariantObject;
    if (object == nullptr) {
      TfLiteTensorDataFree(dst);
    } else {
      dst->data.data = object->CloneTo(old);
    }
  } else if (src->data.raw != nullptr && dst->data.raw != nullptr) {
    std::memcpy(dst->data.raw, src->data.raw, src->bytes);
  }
  dst->buffer_handle = src->buffer_handle;
  dst->data_is_stale = src->data_is_stale;
  dst->delegate = src->delegate;
  return kTfLiteOk;
}

TfLiteStatus TfLiteTensorResizeMaybeCopy(size_t num_bytes, TfLiteTensor* tensor,
                                         bool preserve_data) {
  if (tensor == nullptr || !IsOnHeap(*tensor)) return kTfLiteOk;
  if (num_bytes == 0) {
    TfLiteTensorDataFree(tensor);
  } else if (tensor->data.raw != nullptr && preserve_data) {
    void* data = std::realloc(tensor->data.raw, num_bytes);
    if (data == nullptr) return kTfLiteError;
    tensor->data.data = data;
  } else if (tensor->data.raw == nullptr || tensor->bytes != num_bytes) {
    void* data = std::malloc(num_bytes);
    if (data == nullptr) return kTfLiteError;
    std::free(tensor->data.raw);
    tensor->data.data = data;
  }
  tensor->bytes = num_bytes;
  return kTfLiteOk;
}

TfLiteStatus TfLiteTensorRealloc(size_t num_bytes, TfLiteTensor* tensor) {
  return TfLiteTensorResizeMaybeCopy(num_bytes, tensor, true);
}

const TfLiteIntArray* TfLiteTensorGetDimsSignature(const TfLiteTensor* t) {
  return t->dims_signature != nullptr && t->dims_signature->size != 0
             ? t->dims_signature
             : t->dims;
}

}  // extern "C"
