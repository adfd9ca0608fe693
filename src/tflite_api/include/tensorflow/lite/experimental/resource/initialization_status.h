// Which subgraphs that run once have run.
#ifndef MUNJA_TFLITE_EXPERIMENTAL_RESOURCE_INITIALIZATION_STATUS_H_
#define MUNJA_TFLITE_EXPERIMENTAL_RESOURCE_INITIALIZATION_STATUS_H_

#include <cstdint>
#include <memory>
#include <unordered_map>

#include "tensorflow/lite/experimental/resource/resource_base.h"

namespace tflite {
namespace resource {

class InitializationStatus : public ResourceBase {
 public:
  ResourceType GetResourceType() const override {
    return ResourceType::kInitializationStatus;
  }
  void MarkInitializationIsDone() { is_done_ = true; }
  bool IsInitialized() override { return is_done_; }

 private:
  bool is_done_ = false;
};

using InitializationStatusMap =
    std::unordered_map<std::int32_t, std::unique_ptr<InitializationStatus>>;

// Never null but for a null map.
inline InitializationStatus* GetInitializationStatus(
    InitializationStatusMap* map, int subgraph) {
  if (map == nullptr) return nullptr;
  std::unique_ptr<InitializationStatus>& status = (*map)[subgraph];
  if (status == nullptr) status = std::make_unique<InitializationStatus>();
  return status.get();
}

}  // namespace resource
}  // namespace tflite

#endif  // MUNJA_TFLITE_EXPERIMENTAL_RESOURCE_INITIALIZATION_STATUS_H_
