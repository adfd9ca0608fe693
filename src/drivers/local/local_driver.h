// The drivers that run in the framework's own process, on its own kernels:
// "reference" takes everything and is slow, "cpu" takes the fast kernels where
// there are any.
#ifndef MUNJA_DRIVERS_LOCAL_LOCAL_DRIVER_H_
#define MUNJA_DRIVERS_LOCAL_LOCAL_DRIVER_H_

#include <string_view>

#include "munja/driver.h"

namespace munja::drivers::local {

// "reference" or "cpu"; null: another name. The device is the caller's.
munja_nn_device* OpenDevice(std::string_view name);
// The same; host, which outlives it, hears why requests are refused.
munja_nn_device* OpenDeviceFor(const munja_nn_host* host,
                               std::string_view name);

}  // namespace munja::drivers::local

#endif  // MUNJA_DRIVERS_LOCAL_LOCAL_DRIVER_H_
