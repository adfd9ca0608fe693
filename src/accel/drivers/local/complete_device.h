// Adds the optional parts of the HAL to a device that has only models and
// synchronous requests: executions in the background, with fences and in
// bursts, memory of the device, and files of compiled models.
#ifndef MUNJA_DRIVERS_LOCAL_COMPLETE_DEVICE_H_
#define MUNJA_DRIVERS_LOCAL_COMPLETE_DEVICE_H_

#include "munja/driver.h"

namespace munja::drivers::local {

// Takes `plain` over, whose memory is the processor's. It must validate models
// and requests (nn/validate.h); nothing here does so for it.
munja_nn_device* Complete(munja_nn_device* plain);

}  // namespace munja::drivers::local

#endif  // MUNJA_DRIVERS_LOCAL_COMPLETE_DEVICE_H_
