#include "drivers/opencl/opencl_driver.h"

#include <memory>
#include <string>
#include <utility>

#include "base/log.h"
#include "delegates/opencl/device.h"
#include "delegates/opencl/opencl_delegate.h"
#include "drivers/local/local_driver.h"

namespace munja::drivers::opencl {
namespace {

using delegates::opencl::DeviceInfo;

// Relative times for "auto" to choose by; not measured. A device that is no GPU
// is mostly the CPU itself, by way of a compiler.
constexpr float kGraphicsTime = 0.5f, kOtherTime = 2.0f;

Result<local::Accelerator> Find() {
  MUNJA_ASSIGN_OR_RETURN(const auto found, delegates::opencl::GetDevice(""));
  // The framework weighs the cost of copies itself.
  const runtime::DelegateOption options[] = {{"islands", "1"}};
  const DeviceInfo& info = found->info();
  local::Accelerator accelerator;
  MUNJA_ASSIGN_OR_RETURN(accelerator.delegate,
                         delegates::opencl::Make(options));
  accelerator.name = "munja-opencl";
  accelerator.version = info.name + " " + info.driver;
  accelerator.type = info.type == "gpu"           ? MUNJA_NN_DEVICE_GPU
                     : info.type == "cpu"         ? MUNJA_NN_DEVICE_CPU
                     : info.type == "accelerator" ? MUNJA_NN_DEVICE_ACCELERATOR
                                                  : MUNJA_NN_DEVICE_OTHER;
  accelerator.time = info.type == "gpu" ? kGraphicsTime : kOtherTime;
  return accelerator;
}

}  // namespace

munja_nn_device* OpenDevice(std::string_view name, const munja_nn_host*) {
  if (name != "opencl") return nullptr;
  auto accelerator = Find();
  if (!accelerator.ok()) {
    Log(Severity::kWarning,
        "driver opencl: " + std::string(accelerator.status().message()));
    return nullptr;
  }
  return local::OpenAccelerator(std::move(accelerator).value());
}

}  // namespace munja::drivers::opencl
