// SharedState: what external operators and delegates of a session have in
// common.
#ifndef MUNJA_TFLITE_API_SHARED_STATE_H_
#define MUNJA_TFLITE_API_SHARED_STATE_H_

#include <array>
#include <map>
#include <memory>
#include <string>

#include "tensorflow/lite/c/common.h"

namespace munja::compat {

// Objects of external code, by name.
class KeptObjects {
 public:
  // Makes the object when there is none yet; null when `make` gives null.
  void* Keep(const std::string& name, void* (*make)(),
             void (*release)(void* object)) {
    const auto found = objects_.find(name);
    if (found != objects_.end()) return found->second.get();
    void* const made = make != nullptr ? make() : nullptr;
    if (made == nullptr) return nullptr;
    objects_[name] = {made, release != nullptr ? release : [](void*) {}};
    return made;
  }

 private:
  std::map<std::string, std::shared_ptr<void>> objects_;
};

// One caller at a time, as a session.
class SharedState {
 public:
  KeptObjects objects;

  // Null for a type that there is not.
  TfLiteExternalContext* External(TfLiteExternalContextType type) const {
    const auto t = static_cast<unsigned>(type);
    return t < external_.size() ? external_[t] : nullptr;
  }
  // False: there is no such type.
  bool SetExternal(TfLiteExternalContextType type,
                   TfLiteExternalContext* external) {
    const auto t = static_cast<unsigned>(type);
    if (t >= external_.size()) return false;
    external_[t] = external;
    return true;
  }

 private:
  std::array<TfLiteExternalContext*, kTfLiteMaxExternalContexts> external_{};
};

}  // namespace munja::compat

#endif  // MUNJA_TFLITE_API_SHARED_STATE_H_
