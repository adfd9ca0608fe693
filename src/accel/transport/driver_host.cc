#include "transport/driver_host.h"

#include "transport/remote.h"

namespace munja::hal {

Result<munja_nn_device*> StartDriverHost(const std::string& driver,
                                         const DriverHostOptions& options) {
  return RemoteDevice::Start(driver, options);
}

DriverHostReport ReportOfDriverHost(const munja_nn_device* device) {
  RemoteDevice* const remote = RemoteDevice::Of(device);
  return remote == nullptr ? DriverHostReport() : remote->Report();
}

}  // namespace munja::hal
