#include "nn/transport/driver_host.h"

namespace munja::nn {

Result<munja_nn_device*> StartDriverHost(const std::string& driver,
                                         const DriverHostOptions&) {
  return Unsupported(driver +
                     ": drivers in processes of their own are not in yet");
}

DriverHostReport ReportOfDriverHost(const munja_nn_device*) { return {}; }

}  // namespace munja::nn
