// Composition root of libmunja-tools and munja-tools: every accelerator, and
// plug-ins written against the TensorFlow Lite C API.
#include <string>

#include "capi/runtime/linked.h"
#include "delegates/nn/nn_delegate.h"
#include "delegates/opencl/device.h"
#include "hal/manager/describe.h"
#include "tflite_api/plugin.h"

namespace munja::delegates {
#define DELEGATE(name)                                 \
  namespace name {                                     \
  Result<std::shared_ptr<runtime::Delegate>> Make(     \
      std::span<const runtime::DelegateOption> given); \
  }
#include "delegates/delegates.def"
#undef DELEGATE
}  // namespace munja::delegates

namespace munja::capi {
namespace {

constexpr LinkedDelegate kDelegates[] = {
#define DELEGATE(name) {#name, delegates::name::Make},
#include "delegates/delegates.def"
#undef DELEGATE
};

std::string DescribeDevices(const std::string& folders) {
  // Both are objects in one line: this one becomes a field of that.
  std::string text = nn::Describe(delegates::nn::Devices().All(folders));
  text.insert(text.rfind('}'),
              ",\"opencl\":" + delegates::opencl::DescribeDevices());
  return text;
}

}  // namespace

const LinkedParts& Linked() {
  static constexpr LinkedParts kParts = {
      kDelegates, DescribeDevices, compat::AddOperators, compat::LoadDelegate};
  return kParts;
}

}  // namespace munja::capi
