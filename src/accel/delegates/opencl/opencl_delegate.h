// The delegate "opencl": nodes on a GPU, or on any other device with an OpenCL
// driver.
#ifndef MUNJA_DELEGATES_OPENCL_OPENCL_DELEGATE_H_
#define MUNJA_DELEGATES_OPENCL_OPENCL_DELEGATE_H_

#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "delegates/opencl/device.h"
#include "delegates/opencl/kernel_cache.h"
#include "delegates/opencl/plan.h"
#include "runtime/delegate.h"
#include "runtime/trace.h"

namespace munja::delegates::opencl {

enum class Checks { kAlways, kFirst, kNever };
// Which weights are int8 on the device: those that lose nothing, none, or all
// of layers.
enum class ByteWeights { kExact, kNone, kAll };

inline constexpr std::chrono::milliseconds kTuneTime{2000};

struct Options {
  std::string device;    // A number, or part of a name; empty: the strongest.
  bool is_half = false;  // Tensors are stored as fp16.
  Math math = Math::kFloat;
  bool shares_memory = true;
  ByteWeights byte_weights = ByteWeights::kExact;
  bool takes_islands =
      false;  // Also partitions that cost more to copy than to compute.
  // New shapes are run once on the CPU, too, and compared.
  Checks checks = Checks::kAlways;
  std::chrono::milliseconds run_timeout{30000};
  // Covers compiling and the first run.
  std::chrono::milliseconds compile_timeout{300000};
  std::string cache;  // Folder; empty: none.
  // How long a process tunes work-group sizes, which are then cached. Nothing:
  // kTuneTime, or none on a CPU device, where a group is a loop.
  std::optional<std::chrono::milliseconds> tune_time;
  runtime::Delegate::Limits limits;
  // Null: nothing is traced.
  std::shared_ptr<runtime::TraceFile> trace;
  // For tests of what happens then: "build", "allocate", "run", "hang", or an
  // operator, whose results are then anything.
  std::string fails_in;
};

// A device and its known failures, shared by the partitions of a delegate.
class CheckedDevice {
 public:
  CheckedDevice(std::shared_ptr<Device> device, std::string cache,
                std::optional<std::chrono::milliseconds> tune_time = {});
  const std::shared_ptr<Device>& device() const { return device_; }
  const KernelCache& cache() const { return cache_; }
  // Why a node of that signature is not tried again; empty: it may be.
  std::string WrongReason(std::string_view signature) const;
  void Remember(const std::string& signature, const std::string& reason);
  // Whether the plan of that fingerprint was compared with the CPU, by this
  // process or an earlier one with the same cache, and was right.
  bool WasRight(uint64_t fingerprint) const;
  void RememberRight(uint64_t fingerprint);
  // The work-group sizes tuned so far.
  GroupSizes group_sizes() const;
  void RememberGroups(const GroupSizes& groups);
  bool is_tuned() const { return is_tuned_; }
  // The remaining tuning time.
  std::chrono::nanoseconds tune_time() const;
  void SpendTuneTime(std::chrono::nanoseconds spent);
  // A run failed: the device is no longer used.
  void GiveUp(const Status& failure);
  Status CheckUsable() const;

 private:
  // Key of a cache file: its purpose and everything that changes the kernels.
  std::string Key(std::string_view what) const;
  std::vector<uint64_t> LoadRight() const;
  GroupSizes LoadGroups() const;

  const std::shared_ptr<Device> device_;
  const KernelCache cache_;
  const bool is_tuned_;
  mutable std::mutex mutex_;
  std::vector<std::pair<std::string, std::string>> wrong_;
  std::vector<uint64_t> right_;
  GroupSizes groups_;
  std::chrono::nanoseconds tune_time_;
  std::string failure_;
};

// The properties of a node that choose its kernel, whatever the image size:
// "CONV_2D 16x3x3x8".
std::string SignatureOf(const graph::Subgraph& subgraph,
                        const graph::Node& node);

class OpenClDelegate final : public runtime::Delegate {
 public:
  explicit OpenClDelegate(Options options)
      : options_(std::make_shared<const Options>(std::move(options))) {}
  // For what is left of a partition on that device without its wrong nodes;
  // `splits` times it was split before.
  OpenClDelegate(std::shared_ptr<const Options> options,
                 std::shared_ptr<CheckedDevice> device, int splits)
      : options_(std::move(options)),
        device_(std::move(device)),
        splits_(splits) {}

  std::string_view name() const override { return "opencl"; }
  Result<std::vector<NodeSupport>> CheckSupport(
      const graph::Graph& graph, const graph::Subgraph& subgraph) override;
  Result<std::unique_ptr<ops::Kernel>> Compile(
      const graph::Graph& graph, const graph::Subgraph& subgraph,
      const runtime::Partition& partition) override;
  bool serves_many_sessions() const override { return true; }
  Limits limits() const override { return options_->limits; }

 private:
  Result<std::shared_ptr<CheckedDevice>> Open();

  const std::shared_ptr<const Options> options_;
  std::shared_ptr<CheckedDevice> device_;
  const int splits_ = 0;
};

// device=N|NAME  precision=fp32|fp16  check=always|first|never cache=FOLDER|off
// arithmetic=fp32|fp16|emulated_fp16  weights=auto|float|int8  timeout_ms=N
// compile_timeout_ms=N  tune_ms=N islands=0|1  memory=shared|apart  trace=FILE
// max_partitions=N  min_nodes=N fail_in=PHASE|OPERATOR. kInvalidArgument names
// what is not understood. A missing OpenCL is found by CheckSupport: all nodes
// then run on the CPU.
Result<std::shared_ptr<runtime::Delegate>> Make(
    std::span<const runtime::DelegateOption> options);

}  // namespace munja::delegates::opencl

#endif  // MUNJA_DELEGATES_OPENCL_OPENCL_DELEGATE_H_
