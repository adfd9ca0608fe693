// The drivers that run in the framework's own process, on its own kernels:
// "reference" takes everything and is slow, "cpu" takes the fast kernels where
// there are any.
#ifndef MUNJA_DRIVERS_LOCAL_LOCAL_DRIVER_H_
#define MUNJA_DRIVERS_LOCAL_LOCAL_DRIVER_H_

#include <memory>
#include <string>
#include <string_view>

#include "munja/driver.h"
#include "runtime/delegate.h"

namespace munja::drivers::local {

// "reference" or "cpu"; null: another name. The device is the caller's. host:
// outlives the device and hears why requests are refused; may be null.
munja_nn_device* OpenDevice(std::string_view name,
                            const munja_nn_host* host = nullptr);

// A device whose models run on what a delegate of the runtime takes. It
// supports those operations and no others.
struct Accelerator {
  std::string name, version;
  int32_t type = MUNJA_NN_DEVICE_OTHER;
  float time = 1;  // Beside the framework's CPU path.
  std::shared_ptr<runtime::Delegate> delegate;  // Serves many sessions.
};
munja_nn_device* OpenAccelerator(Accelerator accelerator);

}  // namespace munja::drivers::local

#endif  // MUNJA_DRIVERS_LOCAL_LOCAL_DRIVER_H_
