// The driver "opencl": the kernels of the delegate of that name behind the
// drivers' interface.
#ifndef MUNJA_DRIVERS_OPENCL_OPENCL_DRIVER_H_
#define MUNJA_DRIVERS_OPENCL_OPENCL_DRIVER_H_

#include <string_view>

#include "munja/driver.h"

namespace munja::drivers::opencl {

// The device that the delegate chooses without options. Null: another name than
// "opencl", or there is no device, which is logged. The device is the caller's.
// host: not used.
munja_nn_device* OpenDevice(std::string_view name,
                            const munja_nn_host* host = nullptr);

}  // namespace munja::drivers::opencl

#endif  // MUNJA_DRIVERS_OPENCL_OPENCL_DRIVER_H_
