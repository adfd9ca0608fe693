#include "compat/plugin.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <utility>
#include <vector>

#include "compat/foreign_delegate.h"
#include "compat/foreign_operator.h"
#include "munja_plugin.h"

namespace munja::compat {
namespace {

using CreateDelegate = TfLiteDelegate*(const char* const* keys,
                                       const char* const* values, size_t count,
                                       void (*report)(const char*));
using DestroyDelegate = void(TfLiteDelegate*);
using ListOperators = const munja_plugin_operator*(size_t* count);

// What a library reports while it makes a delegate on this thread: its
// function gets nothing to tell callers apart by.
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

}  // namespace

Result<std::shared_ptr<runtime::Delegate>> LoadDelegate(
    const std::string& path, std::span<const runtime::DelegateOption> options) {
  MUNJA_ASSIGN_OR_RETURN(const SharedLibrary library,
                         SharedLibrary::Open(path));
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
