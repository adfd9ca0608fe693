// Resources that operators of a session share by number: variables, tables.
#ifndef MUNJA_TFLITE_EXPERIMENTAL_RESOURCE_RESOURCE_BASE_H_
#define MUNJA_TFLITE_EXPERIMENTAL_RESOURCE_RESOURCE_BASE_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>

#include "tensorflow/lite/core/c/c_api_types.h"

namespace tflite {
namespace resource {

class ResourceBase {
 public:
  enum class ResourceType {
    kUnknown = 0,
    kResourceVariable = 1,
    kHashTable = 2,
    kInitializationStatus = 3
  };

  virtual ~ResourceBase() = default;
  virtual ResourceType GetResourceType() const {
    return ResourceType::kUnknown;
  }
  virtual bool IsInitialized() = 0;
  virtual size_t GetMemoryUsage() { return 0; }
};

using ResourceMap =
    std::unordered_map<std::int32_t, std::unique_ptr<ResourceBase>>;
// Numbers by container and name.
using ResourceIDMap = std::map<std::pair<std::string, std::string>, int>;

// Null: nothing has the number, or something else than `type`.
template <class T>
T* GetTypedResource(ResourceMap* resources, int id,
                    ResourceBase::ResourceType type) {
  if (resources == nullptr) return nullptr;
  const auto found = resources->find(id);
  const bool fits = found != resources->end() && found->second != nullptr &&
                    found->second->GetResourceType() == type;
  return fits ? static_cast<T*>(found->second.get()) : nullptr;
}

// Puts what `factory` makes there when nothing has the number.
template <class Factory>
TfLiteStatus CreateTypedResourceIfNotAvailable(ResourceMap* resources, int id,
                                               ResourceBase::ResourceType type,
                                               Factory&& factory) {
  if (resources == nullptr) return kTfLiteError;
  if (resources->count(id) != 0)
    return GetTypedResource<ResourceBase>(resources, id, type) != nullptr
               ? kTfLiteOk
               : kTfLiteError;
  std::unique_ptr<ResourceBase> made = factory();
  if (made == nullptr) return kTfLiteError;
  (*resources)[id] = std::move(made);
  return kTfLiteOk;
}

}  // namespace resource
}  // namespace tflite

#endif  // MUNJA_TFLITE_EXPERIMENTAL_RESOURCE_RESOURCE_BASE_H_
