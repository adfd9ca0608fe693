// Drivers in processes of their own: a crash, a hang or a protocol error there
// becomes a status here, and the process is restarted.
// docs/explanation/drivers.md draws how both sides talk.
#ifndef MUNJA_TRANSPORT_DRIVER_HOST_H_
#define MUNJA_TRANSPORT_DRIVER_HOST_H_

#include <cstdint>
#include <string>

#include "base/status.h"
#include "munja/driver.h"

namespace munja::hal {

struct DriverHostOptions {
  // munja-driver-host; empty: the one next to the running program, or else the
  // one that PATH leads to.
  std::string program;
  // Nanoseconds that a call without a deadline may take before the host counts
  // as hung: it is killed, and the call gives MUNJA_NN_DEVICE_UNAVAILABLE.
  uint64_t execution_ns = UINT64_C(60'000'000'000);
  uint64_t preparation_ns = UINT64_C(300'000'000'000);
  uint64_t other_ns = UINT64_C(10'000'000'000);
  // How long a host may go on with a request whose deadline has passed, before
  // it counts as hung.
  uint64_t grace_ns = UINT64_C(1'000'000'000);
  // A host that was lost before it answered a request is started again after
  // this pause, twice as long each time, up to the second.
  uint64_t first_pause_ns = UINT64_C(20'000'000);
  uint64_t longest_pause_ns = UINT64_C(10'000'000'000);
};

// The device of a driver that runs in a process of its own; as if it had been
// opened here. `driver` is the path of a driver's library (with '#' and a
// number behind it: that device), the name of a driver that the host has built
// in, or "unix:" and the path of the socket of a host that was started by hand
// (munja-driver-host --listen PATH DRIVER).
//
// The device ends with its release(), and the process with it. After fork() it
// is MUNJA_NN_DEVICE_UNAVAILABLE in the child, which may start its own.
//
// kUnavailable: the host cannot be started, says why there is no device, or
// does not say anything in time.
Result<munja_nn_device*> StartDriverHost(const std::string& driver,
                                         const DriverHostOptions& options = {});

// Statistics of the hosts of one device.
struct DriverHostReport {
  int64_t process = 0;         // Its id; 0: none runs, or it is not ours.
  uint64_t starts = 0;         // Hosts that were ready to serve.
  uint64_t lost = 0;           // Started hosts that ended unexpectedly.
  uint64_t last_start_ns = 0;  // From the start of the last one to ready.
};

// The report of a device from StartDriverHost.
DriverHostReport ReportOfDriverHost(const munja_nn_device* device);

}  // namespace munja::hal

#endif  // MUNJA_TRANSPORT_DRIVER_HOST_H_
