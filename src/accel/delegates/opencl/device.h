// Device: one OpenCL device with its context, queue and compiled programs,
// opened once for the whole process.
#ifndef MUNJA_DELEGATES_OPENCL_DEVICE_H_
#define MUNJA_DELEGATES_OPENCL_DEVICE_H_

#include <chrono>
#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"
#include "delegates/opencl/cl_api.h"
#include "delegates/opencl/kernel_cache.h"
#include "delegates/opencl/kernels/sources.h"
#include "delegates/opencl/worker.h"

namespace munja::delegates::opencl {

// Properties that a device reports.
struct DeviceInfo {
  std::string platform, platform_version;
  std::string name, vendor, version, driver, profile;
  std::string type;  // "gpu", "cpu", "accelerator", "other".
  uint64_t global_memory = 0, max_allocation = 0, local_memory = 0;
  uint64_t max_work_group = 0;
  uint32_t compute_units = 0, clock_mhz = 0;
  bool is_available = false, has_compiler = false, has_images = false;
  bool has_fp16 = false, has_subgroups = false, shares_memory = false;
};

struct FoundDevice {
  cl_platform_id platform = nullptr;
  cl_device_id id = nullptr;
  DeviceInfo info;
};

// All devices of all platforms. kUnavailable: no OpenCL, or no platform.
Result<std::vector<FoundDevice>> FindDevices();
// {"devices": [...], "problem": "..."}: docs/how-to/gpu.md lists the fields.
std::string DescribeDevices();

// Compute type of convolutions; accumulators are float except for a few.
enum class Math {
  kFloat,
  kHalf,      // Needs cl_khr_fp16.
  kEmulated,  // Floats rounded as halves would be.
};

// The variant of a program.
struct Variant {
  bool is_half = false;           // fp16 storage.
  bool has_byte_weights = false;  // Weights are int8 with steps.
  int group = kGroupSize;         // Work-items per group.
  Math math = Math::kFloat;
  auto operator<=>(const Variant&) const = default;
};

class Device {
 public:
  Device(const ClApi& api, FoundDevice found)
      : api_(api), found_(std::move(found)) {}

  const DeviceInfo& info() const { return found_.info; }
  // Changes with everything that may change a kernel's results.
  std::string Identity() const;
  Worker& worker() { return worker_; }
  const ClApi& api() const { return api_; }

  // The functions below run on the worker's thread only.
  Status Open();
  cl_context context() const { return context_; }
  cl_command_queue queue() const { return queue_; }
  // A kernel of its own each time.
  Result<cl_kernel> MakeKernel(Family family, const char* name, Variant variant,
                               const KernelCache& cache);
  // Saves the compiled programs with kernels that were not saved yet. Called
  // after a run, since some drivers compile while kernels run. A file begins
  // with the names of its kernels, a line.
  void SavePrograms(const KernelCache& cache);

 private:
  struct Built;
  Result<Built*> Program(Family family, Variant variant,
                         const KernelCache& cache);
  Result<cl_program> Build(cl_program program, const std::string& options);

  const ClApi& api_;
  const FoundDevice found_;
  Worker worker_;
  cl_context context_ = nullptr;
  cl_command_queue queue_ = nullptr;
  struct Built {
    cl_program program = nullptr;
    std::string key;
    std::set<std::string> kernels;  // That were asked for, or are kept.
    size_t kept = 0;                // How many of them are in the cache.
  };
  std::map<std::pair<Family, Variant>, Built> programs_;
};

// The device of that number or with that in its name or its platform's; empty:
// the strongest, graphics processors before others. Opened once for the whole
// process unless `is_private`. kNotFound, kUnavailable.
Result<std::shared_ptr<Device>> GetDevice(std::string_view wanted,
                                          bool is_private = false);

}  // namespace munja::delegates::opencl

#endif  // MUNJA_DELEGATES_OPENCL_DEVICE_H_
