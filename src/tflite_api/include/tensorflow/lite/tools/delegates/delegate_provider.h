// Delegates that a program offers by flags of its command line.
#ifndef MUNJA_TFLITE_TOOLS_DELEGATES_DELEGATE_PROVIDER_H_
#define MUNJA_TFLITE_TOOLS_DELEGATES_DELEGATE_PROVIDER_H_

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tensorflow/lite/c/common.h"
#include "tensorflow/lite/tools/command_line_flags.h"
#include "tensorflow/lite/tools/logging.h"
#include "tensorflow/lite/tools/tool_params.h"

namespace tflite {
namespace tools {

using TfLiteDelegatePtr =
    std::unique_ptr<TfLiteOpaqueDelegate, void (*)(TfLiteOpaqueDelegate*)>;

inline TfLiteDelegatePtr CreateNullDelegate() {
  return TfLiteDelegatePtr(nullptr, [](TfLiteOpaqueDelegate*) {});
}

class DelegateProvider {
 public:
  virtual ~DelegateProvider() = default;

  // Flags that set the settings in `params`.
  virtual std::vector<Flag> CreateFlags(ToolParams* params) const = 0;
  // `verbose`: also settings that were not given.
  virtual void LogParams(const ToolParams& params, bool verbose) const = 0;
  // Null where the settings do not ask for it.
  virtual TfLiteDelegatePtr CreateTfLiteDelegate(
      const ToolParams& params) const = 0;
  // With its place among several delegates.
  virtual std::pair<TfLiteDelegatePtr, int> CreateRankedTfLiteDelegate(
      const ToolParams& params) const = 0;
  virtual std::string GetName() const = 0;

  const ToolParams& DefaultParams() const { return default_params_; }

 protected:
  template <class T>
  Flag CreateFlag(const char* name, ToolParams* params,
                  const std::string& usage) const {
    return Flag(
        name,
        [params, name](const T& value, int position) {
          params->Set<T>(name, value, position);
        },
        default_params_.Get<T>(name), usage, Flag::kOptional);
  }

  ToolParams default_params_;
};

using DelegateProviderPtr = std::unique_ptr<DelegateProvider>;
using DelegateProviderList = std::vector<DelegateProviderPtr>;

// The providers of the program, in the order of their registration.
class DelegateProviderRegistrar {
 public:
  template <class T>
  struct Register {
    Register() { List().push_back(std::make_unique<T>()); }
  };

  static const DelegateProviderList& GetProviders() { return List(); }

 private:
  static DelegateProviderList& List() {
    static auto* const list = new DelegateProviderList;
    return *list;
  }
};

#define REGISTER_DELEGATE_PROVIDER_VNAME(T) gDelegateProvider_##T##_
#define REGISTER_DELEGATE_PROVIDER(T)                          \
  static tflite::tools::DelegateProviderRegistrar::Register<T> \
      REGISTER_DELEGATE_PROVIDER_VNAME(T);

inline const DelegateProviderList& GetRegisteredDelegateProviders() {
  return DelegateProviderRegistrar::GetProviders();
}

// The delegates that settings ask for. The settings stay the caller's.
class ProvidedDelegateList {
 public:
  struct ProvidedDelegate {
    const DelegateProvider* provider = nullptr;
    TfLiteDelegatePtr delegate = CreateNullDelegate();
    int rank = 0;
  };

  explicit ProvidedDelegateList(ToolParams* params = nullptr)
      : providers_(GetRegisteredDelegateProviders()), params_(params) {}

  const DelegateProviderList& providers() const { return providers_; }

  void AddAllDelegateParams() const {
    for (const auto& provider : providers_)
      params_->Merge(provider->DefaultParams());
  }
  void AppendCmdlineFlags(std::vector<Flag>& flags) const {
    for (const auto& provider : providers_)
      for (Flag& flag : provider->CreateFlags(params_))
        flags.push_back(std::move(flag));
  }
  void RemoveCmdlineFlag(std::vector<Flag>& flags,
                         const std::string& name) const {
    flags.erase(std::remove_if(flags.begin(), flags.end(),
                               [&](const Flag& flag) {
                                 return flag.GetFlagName() == name;
                               }),
                flags.end());
  }

  // In the order of their ranks.
  std::vector<ProvidedDelegate> CreateAllRankedDelegates(
      const ToolParams& params) const {
    std::vector<ProvidedDelegate> delegates;
    for (const auto& provider : providers_) {
      auto [delegate, rank] = provider->CreateRankedTfLiteDelegate(params);
      if (delegate == nullptr) continue;
      delegates.push_back({provider.get(), std::move(delegate), rank});
    }
    std::stable_sort(delegates.begin(), delegates.end(),
                     [](const ProvidedDelegate& a, const ProvidedDelegate& b) {
                       return a.rank < b.rank;
                     });
    return delegates;
  }
  std::vector<ProvidedDelegate> CreateAllRankedDelegates() const {
    return CreateAllRankedDelegates(*params_);
  }

 private:
  const DelegateProviderList& providers_;
  ToolParams* const params_;
};

}  // namespace tools
}  // namespace tflite

#endif  // MUNJA_TFLITE_TOOLS_DELEGATES_DELEGATE_PROVIDER_H_
