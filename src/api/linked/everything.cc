// Composition root of libmunja-tools and munja-tools: every accelerator, and
// plug-ins written against the TensorFlow Lite C API.
#include <span>
#include <string>

#include "capi/runtime/linked.h"
#include "delegates/nn/nn_delegate.h"
#include "delegates/opencl/device.h"
#include "delegates/opencl/opencl_delegate.h"
#include "drivers/built_in/built_in_drivers.h"
#include "hal/manager/describe.h"
#include "tflite_api/plugin.h"

namespace munja::capi {
namespace {

// Adding a delegate is a row here, and its module in src/accel.
constexpr LinkedDelegate kDelegates[] = {
    {"nn",
     [](std::span<const runtime::DelegateOption> options) {
       return delegates::nn::Make(options, drivers::Devices());
     }},
    {"opencl", delegates::opencl::Make},
};

std::string DescribeDevices(const std::string& folders) {
  // Both are objects in one line: this one becomes a field of that.
  std::string text = hal::Describe(drivers::Devices().All(folders));
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
