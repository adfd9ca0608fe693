// Manager: the available devices and their health.
#ifndef MUNJA_HAL_MANAGER_MANAGER_H_
#define MUNJA_HAL_MANAGER_MANAGER_H_

#include <chrono>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/fork.h"
#include "base/status.h"
#include "hal/device.h"

namespace munja::hal {

// A device that was opened, shared by all who use it. Any thread.
class ManagedDevice {
 public:
  using Clock = std::chrono::steady_clock;
  // The first failure keeps a device away this long, each one after it twice
  // as long, up to the longest; a success begins anew.
  static constexpr std::chrono::seconds kFirstBackOff{1}, kLongestBackOff{64};

  ManagedDevice(std::string name, std::string source,
                std::shared_ptr<const Device> device)
      : name_(std::move(name)),
        source_(std::move(source)),
        device_(std::move(device)) {}

  // The name to ask for it by, besides the name it gives itself.
  const std::string& name() const { return name_; }
  const std::string& source() const { return source_; }  // "built in", a path.
  const Device& device() const { return *device_; }

  // kUnavailable while it is left alone; the message says why.
  Status CheckUsable(Clock::time_point now = Clock::now()) const;
  // kInvalidArgument, kUnsupported: the request's fault, which counts for
  // nothing.
  void Report(const Status& status, Clock::time_point now = Clock::now());

 private:
  const std::string name_, source_;
  const std::shared_ptr<const Device> device_;
  mutable std::mutex mutex_;  // Guards the members below.
  int failures_ = 0;          // Consecutive failures.
  Clock::time_point usable_from_;
  std::string reason_;
};

// A driver that is linked into the program.
struct BuiltInDriver {
  std::string_view name;
  // The device is the caller's; null: there is none here, which is logged.
  // `host` outlives the device and hears why requests are refused, where the
  // driver says so; it may be null.
  munja_nn_device* (*open)(std::string_view name, const munja_nn_host* host);
  bool is_listed = true;  // Otherwise it is opened only by its name.
};

class Manager {
 public:
  // Starts a driver in a process of its own: by the path of its library,
  // "unix:" and a socket, or the name of a built-in one.
  using Isolate = Result<munja_nn_device*> (*)(const std::string& driver);
  // built_in: in the order in which devices are offered work; outlives the
  // manager. isolate: null where there are no processes for drivers.
  explicit Manager(std::span<const BuiltInDriver> built_in,
                   Isolate isolate = nullptr)
      : built_in_(built_in), isolate_(isolate) {}

  struct Found {
    std::vector<std::shared_ptr<ManagedDevice>> devices;
    std::vector<std::string> problems;  // Libraries that are no drivers.
  };
  // The built-in ones, then those of libraries (*.so) in folders, by name.
  // folders: separated by ':'; "": FolderList().
  Found All(const std::string& folders = "");

  // By its own name ("munja-cpu"), a built-in driver's ("cpu"), a library's
  // without "lib" and ".so", or the path of a library: what has a '/', with
  // '#' and a number behind it where it has several devices. kNotFound
  // lists all devices. is_isolated: in a process of its own, which "unix:" with
  // the path of a socket always is.
  Result<std::shared_ptr<ManagedDevice>> Get(const std::string& name,
                                             const std::string& folders = "",
                                             bool is_isolated = false);

  // $MUNJA_DRIVERS; where that is not set the user's data folder and the
  // system's library folders, each with "munja/drivers" behind it.
  static std::string FolderList();

 private:
  struct Library {
    std::string name, path;
  };
  static std::vector<Library> Libraries(const std::string& folders);
  // Opened once, and kept while it is in use.
  Result<std::shared_ptr<ManagedDevice>> Open(const BuiltInDriver& driver);
  Result<std::shared_ptr<ManagedDevice>> Open(const std::string& name,
                                              const std::string& path);
  Result<std::shared_ptr<ManagedDevice>> OpenIsolated(
      const std::string& name, const std::string& driver);
  std::shared_ptr<ManagedDevice> Kept(const std::string& key);

  struct Entry {
    std::string key;
    std::weak_ptr<ManagedDevice> device;
  };
  const std::span<const BuiltInDriver> built_in_;
  const Isolate isolate_;
  ForkSafeMutex<std::mutex> mutex_;
  std::vector<Entry> opened_;
};

}  // namespace munja::hal

#endif  // MUNJA_HAL_MANAGER_MANAGER_H_
