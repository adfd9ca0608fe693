// Delegates in shared libraries for programs of the C API.
#include "tensorflow/lite/delegates/external/external_delegate.h"

#include <memory>

#include "base/fork.h"
#include "base/shared_library.h"
#include "tflite_api/guard.h"

namespace munja::compat {
namespace {

using Create = TfLiteDelegate*(const char* const*, const char* const*, size_t,
                               void (*)(const char*));
using Destroy = void(TfLiteDelegate*);

// The destroy function of each delegate: the object is the library's own, and
// does not tell which library made it.
struct Loaded {
  TfLiteDelegate* delegate;
  Destroy* destroy;
  Loaded* next;
};
constinit ForkSafeMutex<> loaded_mutex;
constinit Loaded* loaded = nullptr;  // Outlives every static object.

TfLiteDelegate* Load(const TfLiteExternalDelegateOptions& options) {
  const Reporter reporter;
  if (options.lib_path == nullptr || options.count < 0 ||
      options.count > kExternalDelegateMaxOptions) {
    reporter.Report("These are no options of an external delegate.");
    return nullptr;
  }
  auto library = SharedLibrary::Open(options.lib_path);
  if (!library.ok()) {
    reporter.Report(library.status());
    return nullptr;
  }
  Create* create = nullptr;
  Destroy* destroy = nullptr;
  Status found = library->Require("tflite_plugin_create_delegate", &create);
  if (found.ok())
    found = library->Require("tflite_plugin_destroy_delegate", &destroy);
  if (!found.ok()) {
    reporter.Report(found);
    return nullptr;
  }
  TfLiteDelegate* delegate =
      create(options.keys, options.values, static_cast<size_t>(options.count),
             [](const char* text) {
               Reporter().Report("%s", text != nullptr ? text : "");
             });
  if (delegate == nullptr) {
    reporter.Report("'%s' made no delegate.", options.lib_path);
    return nullptr;
  }
  auto entry = std::make_unique<Loaded>(Loaded{delegate, destroy, nullptr});
  const auto lock = loaded_mutex.Lock();
  entry->next = loaded;
  loaded = entry.release();
  return delegate;
}

}  // namespace
}  // namespace munja::compat

extern "C" {

TfLiteStatus TfLiteExternalDelegateOptionsInsert(
    TfLiteExternalDelegateOptions* options, const char* key,
    const char* value) {
  if (options == nullptr || options->count < 0 ||
      options->count >= kExternalDelegateMaxOptions)
    return kTfLiteError;
  options->keys[options->count] = key;
  options->values[options->count] = value;
  ++options->count;
  return kTfLiteOk;
}

TfLiteExternalDelegateOptions TfLiteExternalDelegateOptionsDefault(
    const char* lib_path) {
  TfLiteExternalDelegateOptions options{};
  options.lib_path = lib_path;
  options.insert = TfLiteExternalDelegateOptionsInsert;
  return options;
}

TfLiteDelegate* TfLiteExternalDelegateCreate(
    const TfLiteExternalDelegateOptions* options) {
  if (options == nullptr) return nullptr;
  return munja::compat::Guard<TfLiteDelegate*>(
      munja::compat::Reporter(), nullptr,
      [&] { return munja::compat::Load(*options); });
}

void TfLiteExternalDelegateDelete(TfLiteDelegate* delegate) {
  if (delegate == nullptr) return;
  std::unique_ptr<munja::compat::Loaded> entry;
  {
    const auto lock = munja::compat::loaded_mutex.Lock();
    munja::compat::Loaded** at = &munja::compat::loaded;
    while (*at != nullptr && (*at)->delegate != delegate) at = &(*at)->next;
    entry.reset(*at);
    if (entry == nullptr) return;
    *at = entry->next;
  }
  entry->destroy(delegate);
}

}  // extern "C"
