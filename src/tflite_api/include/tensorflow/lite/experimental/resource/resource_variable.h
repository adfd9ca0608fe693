// A variable: the tensor that was last assigned to it.
#ifndef MUNJA_TFLITE_EXPERIMENTAL_RESOURCE_RESOURCE_VARIABLE_H_
#define MUNJA_TFLITE_EXPERIMENTAL_RESOURCE_RESOURCE_VARIABLE_H_

#include <cstring>
#include <memory>

#include "tensorflow/lite/core/c/common.h"
#include "tensorflow/lite/experimental/resource/resource_base.h"

namespace tflite {
namespace resource {

class ResourceVariable : public ResourceBase {
 public:
  ResourceVariable() = default;
  ~ResourceVariable() override { TfLiteTensorFree(&tensor_); }
  ResourceVariable(const ResourceVariable&) = delete;
  ResourceVariable& operator=(const ResourceVariable&) = delete;

  ResourceType GetResourceType() const override {
    return ResourceType::kResourceVariable;
  }
  // Copies type, shape, scale and content.
  TfLiteStatus AssignFrom(const TfLiteTensor* tensor) {
    if (tensor == nullptr || tensor->dims == nullptr) return kTfLiteError;
    TfLiteTensorFree(&tensor_);
    tensor_ = TfLiteTensor();
    is_initialized_ = false;
    tensor_.name = "ResourceVariable";
    tensor_.type = tensor->type;
    tensor_.params = tensor->params;
    tensor_.allocation_type = kTfLiteDynamic;
    tensor_.dims = TfLiteIntArrayCopy(tensor->dims);
    if (tensor_.dims == nullptr ||
        TfLiteTensorRealloc(tensor->bytes, &tensor_) != kTfLiteOk)
      return kTfLiteError;
    if (tensor->bytes > 0)
      std::memcpy(tensor_.data.raw, tensor->data.raw, tensor->bytes);
    tensor_.bytes = tensor->bytes;
    is_initialized_ = true;
    return kTfLiteOk;
  }
  // Null before the first AssignFrom.
  TfLiteTensor* GetTensor() { return is_initialized_ ? &tensor_ : nullptr; }
  bool IsInitialized() override { return is_initialized_; }
  size_t GetMemoryUsage() override {
    return is_initialized_ ? tensor_.bytes : 0;
  }

 protected:
  TfLiteTensor tensor_{};
  bool is_initialized_ = false;
};

inline TfLiteStatus CreateResourceVariableIfNotAvailable(ResourceMap* resources,
                                                         int id) {
  return CreateTypedResourceIfNotAvailable(
      resources, id, ResourceBase::ResourceType::kResourceVariable,
      [] { return std::make_unique<ResourceVariable>(); });
}

inline ResourceVariable* GetResourceVariable(ResourceMap* resources, int id) {
  return GetTypedResource<ResourceVariable>(
      resources, id, ResourceBase::ResourceType::kResourceVariable);
}

// The tensor is a handle of this kind: a number.
inline bool IsBuiltinResource(const TfLiteTensor* tensor) {
  return tensor != nullptr && tensor->type == kTfLiteResource &&
         tensor->delegate == nullptr;
}

}  // namespace resource
}  // namespace tflite

#endif  // MUNJA_TFLITE_EXPERIMENTAL_RESOURCE_RESOURCE_VARIABLE_H_
