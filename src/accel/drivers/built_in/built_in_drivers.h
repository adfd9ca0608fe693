// The drivers that are part of the library, and the devices of the process.
// Only what composes a program includes this: the C interface and the driver
// host.
#ifndef MUNJA_DRIVERS_BUILT_IN_BUILT_IN_DRIVERS_H_
#define MUNJA_DRIVERS_BUILT_IN_BUILT_IN_DRIVERS_H_

#include <span>
#include <string_view>

#include "hal/manager/manager.h"
#include "munja/driver.h"

namespace munja::drivers {

// In the order in which devices are offered work.
std::span<const hal::BuiltInDriver> BuiltInDrivers();
// Null: there is none.
const hal::BuiltInDriver* FindBuiltIn(std::string_view name);

// The devices of the process: those of the built-in drivers and of libraries,
// in this process or in processes of their own.
hal::Manager& Devices();

}  // namespace munja::drivers

#endif  // MUNJA_DRIVERS_BUILT_IN_BUILT_IN_DRIVERS_H_
