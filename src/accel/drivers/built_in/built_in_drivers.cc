#include "drivers/built_in/built_in_drivers.h"

#include <algorithm>

#include "drivers/faulty/faulty_driver.h"
#include "drivers/local/local_driver.h"
#include "drivers/opencl/opencl_driver.h"

namespace munja::drivers {

const std::vector<nn::Manager::BuiltIn>& BuiltInDrivers() {
  static const auto* const drivers = [] {
    auto* made = new std::vector<nn::Manager::BuiltIn>{
        {"cpu", local::OpenDevice},
        {"reference", local::OpenDevice},
        // OpenCL is opened for who asks for it.
        {"opencl", opencl::OpenDevice, /*is_listed=*/false},
    };
    for (const std::string_view name : faulty::kNames)
      made->push_back({name, faulty::OpenDevice, /*is_listed=*/false});
    return made;
  }();
  return *drivers;
}

munja_nn_device* OpenBuiltIn(std::string_view name, const munja_nn_host* host) {
  if (host != nullptr) {
    munja_nn_device* const device = local::OpenDeviceFor(host, name);
    if (device != nullptr) return device;
  }
  const auto& drivers = BuiltInDrivers();
  const auto found =
      std::ranges::find(drivers, name, &nn::Manager::BuiltIn::name);
  return found == drivers.end() ? nullptr : found->open(name);
}

bool IsBuiltIn(std::string_view name) {
  return std::ranges::count(BuiltInDrivers(), name,
                            &nn::Manager::BuiltIn::name) != 0;
}

}  // namespace munja::drivers
