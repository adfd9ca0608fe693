// The framework's side of a driver: its devices, and what it may say. Every
// answer is checked before anything else sees it.
#ifndef MUNJA_HAL_DEVICE_H_
#define MUNJA_HAL_DEVICE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "hal/execution.h"
#include "hal/guard.h"
#include "hal/model.h"
#include "munja/driver.h"

namespace munja::hal {

// Translates a munja_nn_status; `what` is the action that failed.
Status FromDriver(int32_t status, const std::string& what);

class Device;
class PreparedModel;

// Many requests of one prepared model, one after the other. It ends before the
// model.
class Burst {
 public:
  // Pools have no names (slots): nothing is kept of them.
  Execution Execute(const Request& request,
                    const munja_nn_execution_options& options) const;
  ~Burst();
  Burst(const Burst&) = delete;
  Burst& operator=(const Burst&) = delete;

 private:
  friend class PreparedModel;
  Burst() = default;
  std::shared_ptr<const Device> device_;
  munja_nn_burst table_ = {};
};

// Memory of a device, which requests name by its token. It ends before the
// models that it was made for.
class DeviceBuffer {
 public:
  uint32_t token() const { return table_.token; }
  // The whole value, from memory and to memory of its size.
  Status CopyFrom(const Memory& memory, const Dimensions& dimensions) const;
  Status CopyTo(const Memory& memory) const;
  ~DeviceBuffer();
  DeviceBuffer(const DeviceBuffer&) = delete;
  DeviceBuffer& operator=(const DeviceBuffer&) = delete;

 private:
  friend class Device;
  DeviceBuffer() = default;
  std::shared_ptr<const Device> device_;
  munja_nn_buffer table_ = {};
};

class PreparedModel {
 public:
  // Waits for the end. A driver's answer that breaks the rules counts as
  // MUNJA_NN_GENERAL_FAILURE.
  Execution Execute(const Request& request,
                    const munja_nn_execution_options& options) const;
  // By a callback, which is waited for; by a fence, which is waited for.
  // Nothing: the driver has no such executions.
  std::optional<Execution> ExecuteAsync(
      const Request& request, const munja_nn_execution_options& options) const;
  std::optional<Execution> ExecuteFenced(
      const Request& request, const munja_nn_execution_options& options) const;
  // Null: the driver has no bursts, or none now.
  std::unique_ptr<Burst> CreateBurst() const;
  ~PreparedModel();
  PreparedModel(const PreparedModel&) = delete;
  PreparedModel& operator=(const PreparedModel&) = delete;

 private:
  friend class Device;
  PreparedModel() = default;
  std::shared_ptr<const Device> device_;
  munja_nn_prepared_model table_ = {};
  munja_nn_prepared_model* given_ = nullptr;  // By which the driver knows it.
  std::vector<Memory> pools_;                 // The model's.
};

// Who guarantees that a call with a deadline returns in time.
enum class Keeper {
  kDriver,  // It, or what stands between it and this process.
  kDevice,  // The framework, by threads (guard.h): the driver may hang.
};

class Device : public std::enable_shared_from_this<Device> {
 public:
  // Takes the device over, also when it is refused: kUnavailable.
  // library: what must stay loaded.
  static Result<std::shared_ptr<Device>> Open(
      munja_nn_device* device, std::shared_ptr<const void> library,
      Keeper keeper = Keeper::kDriver);
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  const std::string& name() const { return name_; }
  const munja_nn_device& table() const { return table_; }
  int32_t hal_version() const { return table_.hal_version; }
  // Calls that have missed their deadlines and are not back yet. As long as
  // there are any, no other call goes to the driver: kUnavailable, and
  // MUNJA_NN_DEVICE_UNAVAILABLE. What is released goes when they are back.
  int left_behind() const { return guard_->left_behind(); }
  // One for each operation of the main subgraph.
  Result<std::vector<bool>> SupportedOperations(const Model& model) const;
  Result<std::unique_ptr<PreparedModel>> Prepare(
      const Model& model, const munja_nn_compilation_options& options) const;
  // kUnavailable: it cannot, or the files are not what it saved under this
  // token.
  Result<std::unique_ptr<PreparedModel>> PrepareFromCache(
      const munja_nn_cache& cache, uint64_t deadline_ns) const;

  // Which input or output of which model a buffer is for.
  struct Role {
    const PreparedModel* model = nullptr;
    uint32_t index = 0;
  };
  // kUnavailable: the device keeps no such values.
  Result<std::unique_ptr<DeviceBuffer>> Allocate(
      std::span<const Role> inputs, std::span<const Role> outputs) const;

 private:
  friend class Burst;
  friend class DeviceBuffer;
  friend class PreparedModel;
  using ExecuteFunction =
      std::function<Execution(const Request&, munja_nn_execution_options)>;
  struct Answer;

  Device() = default;
  Status CheckHere(const std::string& what) const;
  bool IsGuarded(uint64_t deadline_ns) const;
  // run: owns what it uses besides the request.
  Execution Run(const Request& request,
                const munja_nn_execution_options& options,
                const ExecuteFunction& run) const;
  Result<std::unique_ptr<PreparedModel>> RunPrepare(
      uint64_t deadline_ns, std::function<Answer()> run,
      std::vector<Memory> pools, const std::string& what) const;
  // Now, or when nothing is left behind that may use it.
  void Release(void (*release)(void*), void* self) const;
  Result<std::unique_ptr<PreparedModel>> Take(munja_nn_prepared_model* model,
                                              std::vector<Memory> pools,
                                              const std::string& what) const;
  munja_nn_device table_ = {};
  std::shared_ptr<const void> library_;
  std::string name_;
  Keeper keeper_ = Keeper::kDriver;
  const std::shared_ptr<Guard> guard_ = std::make_shared<Guard>();
};

// A device of a driver in a shared library: the only one, or with '#' and a
// number behind the path that one. host: what the driver gets, and outlives it;
// null: one whose lines go to the log. kUnavailable: it cannot be opened, or is
// no driver.
Result<std::shared_ptr<Device>> LoadDriver(const std::string& path,
                                           const munja_nn_host* host = nullptr);

}  // namespace munja::hal

#endif  // MUNJA_HAL_DEVICE_H_
