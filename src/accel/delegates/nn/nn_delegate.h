// The delegate "nn": nodes on the devices of drivers (munja/driver.h).
#ifndef MUNJA_DELEGATES_NN_NN_DELEGATE_H_
#define MUNJA_DELEGATES_NN_NN_DELEGATE_H_

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "hal/manager/compiled_model.h"
#include "hal/manager/manager.h"
#include "hal/raise/raising.h"
#include "runtime/delegate.h"

namespace munja::delegates::nn {

struct Options {
  munja::hal::DeviceList devices;
  std::string names;  // "cpu", "npu,dsp", "auto".
  // The CPU may have what costs less there. Else only what no device takes.
  bool weighs_cpu = false;
  munja::hal::QualityOfService service;
  bool is_relaxed = false;  // float32 may be computed as float16.
  runtime::Delegate::Limits limits;
};

class NnDelegate final : public runtime::Delegate {
 public:
  explicit NnDelegate(Options options)
      : options_(std::make_shared<const Options>(std::move(options))),
        name_("nn:" + options_->names) {}

  std::string_view name() const override { return name_; }
  Result<std::vector<NodeSupport>> CheckSupport(
      const graph::Graph& graph, const graph::Subgraph& subgraph) override;
  Result<std::unique_ptr<ops::Kernel>> Compile(
      const graph::Graph& graph, const graph::Subgraph& subgraph,
      const runtime::Partition& partition) override;
  bool serves_many_sessions() const override { return true; }
  bool may_recover() const override { return true; }
  Limits limits() const override { return options_->limits; }

 private:
  // Sets is_supported of nodes that are in `raised`.
  Status AskDevices(const munja::hal::Raised& raised,
                    std::vector<NodeSupport>* support) const;

  const std::shared_ptr<const Options> options_;
  const std::string name_;
};

// device=NAME[,NAME...]|auto  drivers=FOLDERS  isolated=0|1
// preference=low-power|fast|sustained priority=low|medium|high
// compile_timeout_ms=N  timeout_ms=N  relaxed=0|1 cache=FOLDER
// cache_limit_mb=N  trace=FILE  dump=FOLDER  vlog=SUBJECTS  idle_ms=N
// max_partitions=N min_nodes=N. kInvalidArgument names what is not understood;
// kNotFound: no such device; kUnavailable: it cannot be opened.
// manager: where the devices are looked for; needed for this call only.
Result<std::shared_ptr<runtime::Delegate>> Make(
    std::span<const runtime::DelegateOption> options,
    munja::hal::Manager& manager);

}  // namespace munja::delegates::nn

#endif  // MUNJA_DELEGATES_NN_NN_DELEGATE_H_
