// The drivers that are part of the library, by their names.
#ifndef MUNJA_DRIVERS_BUILT_IN_BUILT_IN_DRIVERS_H_
#define MUNJA_DRIVERS_BUILT_IN_BUILT_IN_DRIVERS_H_

#include <string_view>
#include <vector>

#include "hal/manager/manager.h"
#include "munja/driver.h"

namespace munja::drivers {

// In the order in which devices are offered work.
const std::vector<nn::Manager::BuiltIn>& BuiltInDrivers();

// Null: none has that name, or it has no device here, which is logged. The
// device is the caller's. host: outlives the device and hears why requests are
// refused, where the driver says so; null: nobody does.
munja_nn_device* OpenBuiltIn(std::string_view name,
                             const munja_nn_host* host = nullptr);
bool IsBuiltIn(std::string_view name);

}  // namespace munja::drivers

#endif  // MUNJA_DRIVERS_BUILT_IN_BUILT_IN_DRIVERS_H_
