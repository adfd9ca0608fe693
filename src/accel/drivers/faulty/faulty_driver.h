// A driver for tests: the reference, with one fault.
#ifndef MUNJA_DRIVERS_FAULTY_FAULTY_DRIVER_H_
#define MUNJA_DRIVERS_FAULTY_FAULTY_DRIVER_H_

#include <string_view>

#include "munja/driver.h"

namespace munja::drivers::faulty {

inline constexpr std::string_view kNames[] = {
    "faulty-hang",     // A request never comes back.
    "faulty-crash",    // A request ends the process.
    "faulty-corrupt",  // The first element of each output is wrong.
    "faulty-late",     // A request comes back after its deadline, or 300 ms.
    "faulty-claims",   // Supports everything, and then prepares nothing.
};

// Null: another name. The device is the caller's.
munja_nn_device* OpenDevice(std::string_view name);

}  // namespace munja::drivers::faulty

#endif  // MUNJA_DRIVERS_FAULTY_FAULTY_DRIVER_H_
