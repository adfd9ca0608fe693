// CompiledModel: a model on one device or several, ready to run.
#ifndef MUNJA_HAL_MANAGER_COMPILED_MODEL_H_
#define MUNJA_HAL_MANAGER_COMPILED_MODEL_H_

#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "base/buffer.h"
#include "base/status.h"
#include "hal/device.h"
#include "hal/manager/cache.h"
#include "hal/manager/manager.h"
#include "hal/manager/partition.h"
#include "hal/manager/watchdog.h"
#include "hal/model.h"
#include "runtime/trace.h"

namespace munja::hal {

using DeviceList = std::vector<std::shared_ptr<ManagedDevice>>;

// The program's wishes for compiling and running, passed on to drivers.
struct QualityOfService {
  int32_t preference = MUNJA_NN_PREFER_FAST_SINGLE_ANSWER;
  int32_t priority = MUNJA_NN_PRIORITY_MEDIUM;
  // For preparing, and for each run; 0: none.
  std::chrono::milliseconds compile_timeout{0}, run_timeout{0};
  // Where devices that can do so keep what they compiled; null: nowhere.
  std::shared_ptr<const CompilationCache> cache;
  std::shared_ptr<runtime::TraceFile> trace;  // Null: none.
  std::string
      dump_directory;  // Gets each compiled model as Graphviz; "": none.
  // After this long without a run, the memory and bursts that a compiled model
  // needs only to run are released, and the device is notified; 0: never.
  std::chrono::milliseconds idle_after{10'000};
};

struct Bytes {
  void* data = nullptr;
  size_t size = 0;
};

// By operation: whether the device takes it. Asked of the part that the device
// has words for.
Result<std::vector<bool>> SupportedOn(const ManagedDevice& device,
                                      const Model& model);

// The candidate of a device that supports these operations of the model.
Candidate CandidateOf(const ManagedDevice& device, const Model& model,
                      std::vector<bool> supports);

class CompiledModel final {
 public:
  // Devices that are left alone, or fail at preparing what they said they
  // support, do without: the others take over. kUnsupported, kUnavailable: that
  // cannot be.
  static Result<std::unique_ptr<CompiledModel>> Compile(
      const Model& model, DeviceList devices, const QualityOfService& service);

  ~CompiledModel();
  CompiledModel(const CompiledModel&) = delete;
  CompiledModel& operator=(const CompiledModel&) = delete;

  // Any thread. Inputs and outputs in the model's order, all of known size.
  // A failure counts against the device, too.
  Status Execute(std::span<const Bytes> inputs,
                 std::span<const Bytes> outputs) const;

  // "npu: 12 operations, dsp: 3 operations".
  std::string ToText() const;

 private:
  // A value of the model, where steps look for it.
  struct Place {
    enum Kind { kInput, kOutput, kBetween, kOnDevice } kind = kBetween;
    size_t index = 0;
  };
  struct Stage {
    std::shared_ptr<ManagedDevice> device;
    Model model;  // Its pools stay as long as what was prepared from it.
    std::unique_ptr<PreparedModel> prepared;
    std::vector<uint32_t> inputs, outputs;  // Operands of the whole.
    std::vector<uint32_t> operations;       // Likewise.
  };
  // State that one run uses exclusively.
  struct Workspace {
    bool was_used = false, has_bursts = false;
    std::vector<Buffer> between;
    std::vector<std::unique_ptr<DeviceBuffer>> on_device;
    std::vector<std::unique_ptr<Burst>> bursts;  // By stage.
  };

  CompiledModel() = default;
  Watchdog::Clock::time_point ReleaseIdle(Watchdog::Clock::time_point now);
  void Watch();
  void Dump(const Model& model) const;
  Status RunStage(size_t index, const Workspace& workspace,
                  const Request& request,
                  const munja_nn_execution_options& options) const;
  Status Prepare(const Model& model, const DeviceList& devices,
                 std::shared_ptr<ManagedDevice>* failed);
  // Out of the cache where it can be, else anew.
  Result<std::unique_ptr<PreparedModel>> PrepareStage(
      const Stage& stage, const munja_nn_compilation_options& options) const;
  Status PlaceValues(const Model& model);
  Result<std::unique_ptr<Workspace>> TakeWorkspace() const;
  Result<std::unique_ptr<Workspace>> MakeWorkspace() const;
  Status RunStages(Workspace& workspace, std::span<const Bytes> inputs,
                   std::span<const Bytes> outputs) const;

  QualityOfService service_;
  std::vector<Stage> stages_;
  std::vector<Place> places_;  // By operand of the whole.
  std::vector<size_t> between_bytes_;
  struct OnDevice {
    size_t between = 0;  // Where it is if the device has no memory for it.
    std::vector<std::pair<size_t, uint32_t>> inputs, outputs;  // Stage, index.
  };
  std::vector<OnDevice> on_device_;

  mutable std::mutex mutex_;  // Guards the members below.
  mutable std::vector<std::unique_ptr<Workspace>> idle_;
  mutable Watchdog::Clock::time_point last_used_;
  mutable bool is_waited_for_ = false;  // The watchdog will come.
  Watchdog::Watched watched_;
  std::shared_ptr<Watchdog> watchdog_;  // Null: nothing is given back.
};

// From now on, in CLOCK_MONOTONIC; 0: none.
uint64_t DeadlineAfter(std::chrono::milliseconds timeout);

}  // namespace munja::hal

#endif  // MUNJA_HAL_MANAGER_COMPILED_MODEL_H_
