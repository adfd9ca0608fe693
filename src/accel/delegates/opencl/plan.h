// DevicePlan: a recording prepared on a device: memory, kernels with their
// arguments, transfers.
#ifndef MUNJA_DELEGATES_OPENCL_PLAN_H_
#define MUNJA_DELEGATES_OPENCL_PLAN_H_

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "delegates/opencl/device.h"
#include "delegates/opencl/recording.h"

namespace munja::delegates::opencl {

// Faults that tests inject, and the storage type of computed values.
struct PlanOptions {
  bool is_half = false;       // Storage of 16 bits.
  Math math = Math::kFloat;   // Others need fp16 storage.
  bool shares_memory = true;  // Values with disjoint lifetimes do.
  std::string fails_in;       // "allocate", "run", "hang"; or an operator,
                              // which computes nothing then.
};

// Memory of a partition on its device: constants, and the buffers of values,
// which all plans share since only one runs at a time.
class DeviceMemory {
 public:
  explicit DeviceMemory(std::shared_ptr<Device> device)
      : device_(std::move(device)) {}
  ~DeviceMemory();
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  Device& device() { return *device_; }
  // On the worker's thread, with at least this many bytes in each slot.
  Status Grow(const std::vector<size_t>& slots);
  cl_mem slot(size_t i) const { return slots_[i]; }
  uint64_t version() const { return version_; }  // Changes when a slot moves.
  // Size of all slots and of named constants.
  size_t bytes() const;
  size_t constant_bytes() const { return constant_bytes_; }
  Result<cl_mem> Make(size_t bytes, const void* data);
  // The constant of that name, or null.
  cl_mem Find(const std::string& key) const;
  void Keep(const std::string& key, cl_mem memory, size_t bytes) {
    constants_[key] = memory;
    constant_bytes_ += bytes;
  }

 private:
  const std::shared_ptr<Device> device_;
  std::vector<cl_mem> slots_;
  std::vector<size_t> sizes_;
  std::map<std::string, cl_mem> constants_;
  uint64_t version_ = 0;
  size_t constant_bytes_ = 0;
};

// The best group size by kind of launch: the kernel and its sizes, each to a
// factor of two, so that similar sizes share a result. Other kinds run in
// groups of kGroupSize.
using GroupSizes = std::map<std::string, int>;
// Candidates of tuning.
inline constexpr int kGroupSizes[] = {16, 32, kGroupSize, 128, 256};

class DevicePlan {
 public:
  // Start and end of launches, in nanoseconds of the device's clock.
  struct Span {
    uint64_t begin = 0, end = 0;
    uint64_t duration() const { return end > begin ? end - begin : 0; }
  };
  struct Times {
    std::vector<Span> launches, uploads, downloads;
    // When the run was handed to the device, by both clocks; 0: not known.
    uint64_t queued = 0;
    std::chrono::steady_clock::time_point queued_here;
  };

  DevicePlan(std::shared_ptr<DeviceMemory> memory, Recording recording,
             PlanOptions options);
  ~DevicePlan();
  DevicePlan(const DevicePlan&) = delete;
  DevicePlan& operator=(const DevicePlan&) = delete;

  const Recording& recording() const { return recording_; }
  // Staging memory, as the device stores it, of the recording's input i and
  // output i.
  std::vector<uint8_t>& input(size_t i) { return inputs_[i]; }
  const std::vector<uint8_t>& output(size_t i) const { return outputs_[i]; }
  size_t BytesOf(int buffer) const;
  // Converts values into and out of these.
  void SetInput(size_t i, const float* numbers);
  void GetOutput(size_t i, float* numbers) const;

  // On the worker's thread. `ops`: by launch, for faults that tests inject.
  Status Prepare(const std::vector<std::string>& ops, const KernelCache& cache,
                 const GroupSizes& groups);
  Status Run(Times* times);
  // For a plan that has run: times the launches of kinds that are not in
  // `groups` with other group sizes, the slowest kinds first, and adds the best
  // ones. Starts no further kind after the deadline: the remaining ones are
  // added unchanged.
  Status Tune(const KernelCache& cache,
              std::chrono::steady_clock::time_point deadline,
              GroupSizes& groups);
  // The same step by step, in a plan that shares no memory: inputs, the
  // launches of one node, and what a buffer then holds, which can be changed.
  Status Upload(cl_event* events = nullptr);
  Status RunNode(int node);
  Result<std::vector<float>> Read(int buffer);
  Status Write(int buffer, const float* numbers);

 private:
  struct Step {
    cl_kernel kernel = nullptr;
    size_t items = 0, group = kGroupSize;
    bool is_left_out = false;
  };

  void AssignSlots();
  Status Enqueue(const Step& step, cl_event* event);
  // The times of the event, which is released. Null: nothing ran.
  Span TakeSpan(cl_event event, uint64_t* queued = nullptr);
  // The kernel for that launch in groups of that size, with its arguments.
  Result<Step> MakeStep(size_t launch, int group, const KernelCache& cache);
  Status SetArguments();
  Status SetArgumentsOf(size_t launch, cl_kernel kernel);
  // The shortest of a few runs of a step alone, in nanoseconds; 0: not known.
  Result<uint64_t> TimeOf(const Step& step);
  std::string KindOf(const Launch& launch) const;
  Status MakeConstants();
  // As the device stores numbers.
  void Store(const float* numbers, std::vector<uint8_t>& to) const;
  cl_mem MemoryOf(int buffer) const;

  const std::shared_ptr<DeviceMemory> memory_;
  const Recording recording_;
  const PlanOptions options_;
  std::vector<int> slot_of_;       // By buffer; -1: a constant.
  std::vector<size_t> slots_;      // Bytes.
  std::vector<cl_mem> constants_;  // By buffer; null: in a slot.
  std::vector<cl_mem> own_;        // This plan's own constants.
  std::vector<Step> steps_;
  uint64_t version_ = 0;
  std::vector<std::vector<uint8_t>> inputs_, outputs_;
};

}  // namespace munja::delegates::opencl

#endif  // MUNJA_DELEGATES_OPENCL_PLAN_H_
