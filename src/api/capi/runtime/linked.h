// Linked: the parts besides the runtime that a library or program is put
// together from. Each links one of src/api/linked/*.cc, the composition roots:
// the only sources that name accelerators and the TensorFlow Lite interface.
#ifndef MUNJA_CAPI_RUNTIME_LINKED_H_
#define MUNJA_CAPI_RUNTIME_LINKED_H_

#include <memory>
#include <span>
#include <string>

#include "base/shared_library.h"
#include "base/status.h"
#include "runtime/delegate.h"
#include "runtime/resolver.h"

namespace munja::capi {

// A delegate that can be asked for by name.
struct LinkedDelegate {
  const char* name;
  Result<std::shared_ptr<runtime::Delegate>> (*make)(
      std::span<const runtime::DelegateOption> options);
};

// Functions are null where the part is not linked.
struct LinkedParts {
  std::span<const LinkedDelegate> delegates;
  // The answer of munja_devices(), JSON. `folders` may be empty.
  std::string (*describe_devices)(const std::string& folders) = nullptr;
  // Plug-ins written against the TensorFlow Lite C API.
  Status (*add_operators)(const SharedLibrary& library,
                          runtime::Resolver* resolver) = nullptr;
  Result<std::shared_ptr<runtime::Delegate>> (*load_delegate)(
      const std::string& path,
      std::span<const runtime::DelegateOption> options) = nullptr;
};

const LinkedParts& Linked();

}  // namespace munja::capi

#endif  // MUNJA_CAPI_RUNTIME_LINKED_H_
