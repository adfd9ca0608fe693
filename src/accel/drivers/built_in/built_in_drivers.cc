#include "drivers/built_in/built_in_drivers.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <string>

#include "base/fork.h"
#include "drivers/local/local_driver.h"
#include "drivers/opencl/opencl_driver.h"
#include "transport/driver_host.h"

namespace munja::drivers {
namespace {

constexpr hal::BuiltInDriver kDrivers[] = {
    {"cpu", local::OpenDevice},
    {"reference", local::OpenDevice},
    // Not listed: OpenCL is opened only on request.
    {"opencl", opencl::OpenDevice, /*is_listed=*/false},
};

std::unique_ptr<hal::Manager> MakeManager() {
  return std::make_unique<hal::Manager>(
      kDrivers,
      [](const std::string& driver) { return hal::StartDriverHost(driver); });
}

}  // namespace

std::span<const hal::BuiltInDriver> BuiltInDrivers() { return kDrivers; }

const hal::BuiltInDriver* FindBuiltIn(std::string_view name) {
  const auto* const found =
      std::ranges::find(kDrivers, name, &hal::BuiltInDriver::name);
  return found == std::end(kDrivers) ? nullptr : found;
}

hal::Manager& Devices() { return *MadeOnce<MakeManager>(); }

}  // namespace munja::drivers
