#include "tflite_api/plugin.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include "munja_plugin.h"
#include "tensorflow/lite/core/acceleration/configuration/c/stable_delegate.h"
#include "tflite_api/delegate_adapter.h"
#include "tflite_api/external_operator.h"

namespace munja::compat {
namespace {

using CreateDelegate = TfLiteDelegate*(const char* const* keys,
                                       const char* const* values, size_t count,
                                       void (*report)(const char*));
using DestroyDelegate = void(TfLiteDelegate*);
using ListOperators = const munja_plugin_operator*(size_t* count);

// Messages of a library while it makes a delegate on this thread: its function
// gets nothing to tell callers apart by.
thread_local std::string reported;

void Report(const char* text) {
  if (text == nullptr) return;
  if (!reported.empty()) reported += "; ";
  reported += text;
}

// The oldest layout that anybody has: up to `version`.
constexpr size_t kMinRegistration =
    offsetof(TfLiteRegistration, registration_external);
// Operators beyond that are no list.
constexpr size_t kMaxOperators = 10000;

Result<TfLiteRegistration> Read(const munja_plugin_operator& entry) {
  if (entry.name == nullptr || entry.name[0] == 0)
    return InvalidArgument("has no name");
  if (entry.registration == nullptr)
    return InvalidArgument(std::string(entry.name) + " has no registration");
  if (entry.registration_size < kMinRegistration)
    return InvalidArgument(std::string(entry.name) + " has a registration of " +
                           std::to_string(entry.registration_size) + " bytes");
  TfLiteRegistration registration{};
  std::memcpy(&registration, entry.registration,
              std::min(entry.registration_size, sizeof(registration)));
  return registration;
}

// A table of FlatBuffers of which no field is set: where its fields are listed,
// and that this list has none. What a stable delegate reads of its settings is
// then the default of each.
struct EmptySettings {
  uint16_t list_size = 4, table_size = 4;
  int32_t back_to_list = 4;
};
constexpr EmptySettings kEmptySettings;

// Versions of one major number fit together.
bool Fits(const char* version) {
  return version != nullptr && std::string_view(version).starts_with("1.");
}

Result<std::shared_ptr<TfLiteDelegate>> MakeStable(
    const std::string& path, const TfLiteStableDelegate& stable,
    std::span<const runtime::DelegateOption> options) {
  if (!Fits(stable.delegate_abi_version))
    return Unavailable("'" + path + "' is a stable delegate of version " +
                       (stable.delegate_abi_version != nullptr
                            ? stable.delegate_abi_version
                            : "none") +
                       ", this program takes " TFL_STABLE_DELEGATE_ABI_VERSION);
  const TfLiteOpaqueDelegatePlugin* const plugin = stable.delegate_plugin;
  if (plugin == nullptr || plugin->create == nullptr ||
      plugin->destroy == nullptr)
    return Unavailable("'" + path + "' is a stable delegate without functions");
  if (!options.empty())
    return InvalidArgument("'" + path +
                           "' is a stable delegate, which takes no options");
  std::shared_ptr<TfLiteDelegate> delegate(
      plugin->create(&kEmptySettings.back_to_list),
      [destroy = plugin->destroy](TfLiteDelegate* made) {
        if (made != nullptr) destroy(made);
      });
  if (delegate == nullptr)
    return InvalidArgument("'" + path + "' made no delegate");
  return delegate;
}

}  // namespace

Result<std::shared_ptr<runtime::Delegate>> LoadDelegate(
    const std::string& path, std::span<const runtime::DelegateOption> options) {
  MUNJA_ASSIGN_OR_RETURN(const SharedLibrary library,
                         SharedLibrary::Open(path));
  const void* const stable = library.Find("TFL_TheStableDelegate");
  if (stable != nullptr &&
      library.Find("tflite_plugin_create_delegate") == nullptr) {
    MUNJA_ASSIGN_OR_RETURN(
        auto made,
        MakeStable(path, *static_cast<const TfLiteStableDelegate*>(stable),
                   options));
    return WrapDelegate(std::move(made), library.name());
  }
  CreateDelegate* create = nullptr;
  DestroyDelegate* destroy = nullptr;
  MUNJA_RETURN_IF_ERROR(
      library.Require("tflite_plugin_create_delegate", &create));
  MUNJA_RETURN_IF_ERROR(
      library.Require("tflite_plugin_destroy_delegate", &destroy));
  std::vector<const char*> keys, values;
  for (const runtime::DelegateOption& option : options) {
    keys.push_back(option.key.c_str());
    values.push_back(option.value.c_str());
  }
  reported.clear();
  std::shared_ptr<TfLiteDelegate> delegate(
      create(keys.data(), values.data(), keys.size(), Report),
      [destroy](TfLiteDelegate* made) {
        if (made != nullptr) destroy(made);
      });
  if (delegate == nullptr)
    return InvalidArgument("'" + path + "' made no delegate" +
                           (reported.empty() ? "" : ": " + reported));
  return WrapDelegate(std::move(delegate), library.name());
}

Status AddOperators(const SharedLibrary& library, runtime::Resolver* resolver) {
  ListOperators* list = nullptr;
  MUNJA_RETURN_IF_ERROR(library.Require("munja_plugin_operators", &list));
  size_t count = 0;
  const munja_plugin_operator* const operators = list(&count);
  if (count > kMaxOperators || (operators == nullptr && count > 0))
    return InvalidArgument("'" + library.path() +
                           "' gave no list of operators");
  std::vector<TfLiteRegistration> registrations;
  for (size_t i = 0; i < count; ++i) {
    auto registration = Read(operators[i]);
    if (!registration.ok())
      return std::move(registration)
          .TakeStatus()
          .With("'" + library.path() + "': operator " + std::to_string(i));
    registrations.push_back(*registration);
  }
  for (size_t i = 0; i < count; ++i)
    resolver->Add(operators[i].name, operators[i].is_builtin == 0,
                  WrapRegistration(registrations[i]));
  return Status();
}

Status LoadOperators(const std::string& path, runtime::Resolver* resolver) {
  MUNJA_ASSIGN_OR_RETURN(const SharedLibrary library,
                         SharedLibrary::Open(path));
  return AddOperators(library, resolver);
}

}  // namespace munja::compat
