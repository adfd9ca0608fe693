#include "delegates/nn/nn_delegate.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <sstream>
#include <utility>

#include "base/log.h"
#include "delegates/nn/nn_kernel.h"
#include "hal/manager/partition.h"
#include "hal/manager/vlog.h"
#include "hal/operations.h"
#include "hal/raise/raising.h"
#include "runtime/known_nodes.h"
#include "runtime/shape_inference.h"

namespace munja::delegates::nn {
namespace {

using runtime::DelegateOption;

constexpr int kUsualCacheMb = 256;

// The values that the nodes write and that other nodes or callers read.
std::vector<graph::ValueId> OutputsOf(const graph::Subgraph& subgraph,
                                      const std::vector<bool>& is_inside) {
  std::vector<bool> is_wanted(subgraph.values.size());
  for (const graph::ValueId v : subgraph.outputs) is_wanted[v] = true;
  for (size_t n = 0; n < subgraph.nodes.size(); ++n)
    if (!is_inside[n])
      for (const graph::ValueId v : subgraph.nodes[n].inputs)
        if (v != graph::kNoValue) is_wanted[v] = true;
  std::vector<graph::ValueId> outputs;
  for (size_t n = 0; n < subgraph.nodes.size(); ++n)
    if (is_inside[n])
      for (const graph::ValueId v : subgraph.nodes[n].outputs)
        if (is_wanted[v]) outputs.push_back(v);
  return outputs;
}

Status BadOption(const DelegateOption& option, const std::string& wants) {
  return InvalidArgument("delegate nn: option " + option.key + "=" +
                         option.value + " wants " + wants);
}

Result<int> ReadCount(const DelegateOption& option) {
  int count = 0;
  const char* end = option.value.data() + option.value.size();
  const auto [stop, error] = std::from_chars(option.value.data(), end, count);
  if (error != std::errc() || stop != end || count < 0)
    return BadOption(option, "an integer, at least 0");
  return count;
}

// The number of the word that the option is.
Result<int32_t> ReadWord(const DelegateOption& option,
                         std::initializer_list<std::string_view> words) {
  const auto* found = std::ranges::find(words, option.value);
  if (found != words.end()) return static_cast<int32_t>(found - words.begin());
  std::string wanted;
  for (const std::string_view word : words)
    wanted += (wanted.empty() ? "" : ", ") + std::string(word);
  return BadOption(option, "one of: " + wanted);
}

// "npu", "npu,dsp", or "auto": all that there are, and the CPU.
Status FindDevices(const std::string& names, const std::string& drivers,
                   bool is_isolated, munja::hal::Manager& manager,
                   Options* options) {
  options->names = names;
  if (names == "auto") {
    auto found = manager.All(drivers);
    for (const std::string& problem : found.problems)
      Log(Severity::kWarning, problem);
    options->devices = std::move(found.devices);
    options->weighs_cpu = true;
    return Status();
  }
  std::stringstream list(names);
  for (std::string name; std::getline(list, name, ',');) {
    MUNJA_ASSIGN_OR_RETURN(auto device,
                           manager.Get(name, drivers, is_isolated));
    options->devices.push_back(std::move(device));
  }
  if (options->devices.empty())
    return InvalidArgument(
        "delegate nn wants a device: nn:NAME, or the option device=NAME");
  return Status();
}

}  // namespace

Result<std::vector<NnDelegate::NodeSupport>> NnDelegate::CheckSupport(
    const graph::Graph&, const graph::Subgraph& given) {
  graph::Subgraph subgraph = given;
  munja::hal::WidenHalves(subgraph);
  runtime::ShapeInference known(subgraph);
  runtime::AssumeSizes(subgraph, known);
  std::vector<int> all;
  for (size_t n = 0; n < subgraph.nodes.size(); ++n)
    all.push_back(static_cast<int>(n));
  known.Run(all);
  std::vector<NodeSupport> support(subgraph.nodes.size());
  std::vector<bool> can_be_said(subgraph.nodes.size());
  std::vector<int> nodes;
  for (const int n : all) {
    const auto& outputs = subgraph.nodes[n].outputs;
    // Sizes as data: who reads them must know them before the run.
    if (runtime::IsKnown(subgraph.nodes[n], known)) {
      support[n].reason = "its values are known before the run";
      continue;
    }
    munja::hal::Raising alone(subgraph, known);
    Status status = alone.Add(n);
    if (status.ok()) {
      auto finished = alone.Finish(outputs);
      if (!finished.ok()) status = std::move(finished).TakeStatus();
    }
    can_be_said[n] = status.ok();
    if (status.ok())
      nodes.push_back(n);
    else
      support[n].reason = std::string(status.message());
  }
  for (const int n : all)
    if (!support[n].reason.empty())
      munja::hal::Vlog(munja::hal::Subject::kModel, [&] {
        return graph::Describe(subgraph, static_cast<size_t>(n)) + ": " +
               support[n].reason;
      });
  if (nodes.empty()) return support;
  MUNJA_ASSIGN_OR_RETURN(munja::hal::Raised raised,
                         munja::hal::Raise(subgraph, known, nodes,
                                           OutputsOf(subgraph, can_be_said)));
  raised.model.is_relaxed = options_->is_relaxed;
  MUNJA_RETURN_IF_ERROR(AskDevices(raised, &support));
  runtime::TakeKnown(subgraph, known, &support);
  return support;
}

Status NnDelegate::AskDevices(const munja::hal::Raised& raised,
                              std::vector<NodeSupport>* support) const {
  const auto& operations = raised.model.main().operations;
  std::vector<munja::hal::Candidate> candidates;
  std::vector<bool> is_supported(operations.size());
  Status failure;
  for (const auto& device : options_->devices) {
    Status status = device->CheckUsable();
    if (status.ok()) {
      auto answer = munja::hal::SupportedOn(*device, raised.model);
      if (answer.ok()) {
        for (size_t k = 0; k < operations.size(); ++k)
          if ((*answer)[k]) is_supported[k] = true;
        candidates.push_back(munja::hal::CandidateOf(
            *device, raised.model, std::move(answer).value()));
        continue;
      }
      device->Report(answer.status());
      status = std::move(answer).TakeStatus();
    }
    failure = std::move(status);
  }
  if (candidates.empty() && !failure.ok()) return failure;
  // A node is taken as a whole.
  std::vector<bool> is_refused(support->size());
  const auto refuse = [&](size_t k, std::string reason) {
    const auto node = static_cast<size_t>(raised.node_of[k]);
    if (!is_refused[node]) (*support)[node].reason = std::move(reason);
    is_refused[node] = true;
  };
  for (size_t k = 0; k < operations.size(); ++k) {
    (*support)[static_cast<size_t>(raised.node_of[k])].is_supported = true;
    if (!is_supported[k])
      refuse(k, "no device supports " +
                    munja::hal::OperationName(operations[k].type));
  }
  if (options_->weighs_cpu) {
    munja::hal::Candidate cpu;
    cpu.is_at_hand = true;
    cpu.supports.assign(operations.size(), true);
    cpu.factors.assign(operations.size(), 1.0);
    candidates.push_back(std::move(cpu));
    MUNJA_ASSIGN_OR_RETURN(
        const auto steps, munja::hal::PartitionModel(raised.model, candidates));
    for (const munja::hal::Step& step : steps)
      if (static_cast<size_t>(step.candidate) + 1 == candidates.size())
        for (const uint32_t k : step.operations)
          refuse(k, "the CPU costs less");
  }
  for (size_t n = 0; n < is_refused.size(); ++n)
    if (is_refused[n]) (*support)[n].is_supported = false;
  return Status();
}

Result<std::unique_ptr<ops::Kernel>> NnDelegate::Compile(
    const graph::Graph&, const graph::Subgraph& subgraph,
    const runtime::Partition& partition) {
  return std::unique_ptr<ops::Kernel>(
      std::make_unique<NnKernel>(options_, subgraph, partition));
}

Result<std::shared_ptr<runtime::Delegate>> Make(
    std::span<const DelegateOption> given, munja::hal::Manager& manager) {
  Options options;
  std::string device, drivers, cache;
  bool is_isolated = false;
  int cache_limit_mb = kUsualCacheMb;
  for (const DelegateOption& option : given) {
    if (option.key == "device") {
      device = option.value;
    } else if (option.key == "drivers") {
      drivers = option.value;
    } else if (option.key == "isolated") {
      MUNJA_ASSIGN_OR_RETURN(const int32_t word, ReadWord(option, {"0", "1"}));
      is_isolated = word == 1;
    } else if (option.key == "preference") {
      MUNJA_ASSIGN_OR_RETURN(
          options.service.preference,
          ReadWord(option, {"low-power", "fast", "sustained"}));
    } else if (option.key == "priority") {
      MUNJA_ASSIGN_OR_RETURN(options.service.priority,
                             ReadWord(option, {"low", "medium", "high"}));
    } else if (option.key == "compile_timeout_ms") {
      MUNJA_ASSIGN_OR_RETURN(const int count, ReadCount(option));
      options.service.compile_timeout = std::chrono::milliseconds(count);
    } else if (option.key == "timeout_ms") {
      MUNJA_ASSIGN_OR_RETURN(const int count, ReadCount(option));
      options.service.run_timeout = std::chrono::milliseconds(count);
    } else if (option.key == "relaxed") {
      MUNJA_ASSIGN_OR_RETURN(const int32_t word, ReadWord(option, {"0", "1"}));
      options.is_relaxed = word == 1;
    } else if (option.key == "cache") {
      cache = option.value;
    } else if (option.key == "cache_limit_mb") {
      MUNJA_ASSIGN_OR_RETURN(cache_limit_mb, ReadCount(option));
    } else if (option.key == "trace") {
      options.service.trace =
          std::make_shared<runtime::TraceFile>(option.value);
    } else if (option.key == "dump") {
      options.service.dump_directory = option.value;
    } else if (option.key == "vlog") {
      MUNJA_RETURN_IF_ERROR(munja::hal::SetVerbose(option.value));
    } else if (option.key == "idle_ms") {
      MUNJA_ASSIGN_OR_RETURN(const int count, ReadCount(option));
      options.service.idle_after = std::chrono::milliseconds(count);
    } else if (option.key == "max_partitions") {
      MUNJA_ASSIGN_OR_RETURN(options.limits.max_partitions, ReadCount(option));
    } else if (option.key == "min_nodes") {
      MUNJA_ASSIGN_OR_RETURN(options.limits.min_nodes, ReadCount(option));
    } else {
      return InvalidArgument(
          "delegate nn has no option '" + option.key +
          "': device, drivers, isolated, preference, "
          "priority, compile_timeout_ms, "
          "timeout_ms, relaxed, cache, cache_limit_mb, "
          "trace, dump, vlog, idle_ms, max_partitions, min_nodes");
    }
  }
  if (!cache.empty())
    options.service.cache =
        std::make_shared<const munja::hal::CompilationCache>(
            cache, static_cast<uint64_t>(cache_limit_mb) << 20);
  MUNJA_RETURN_IF_ERROR(
      FindDevices(device, drivers, is_isolated, manager, &options));
  return std::shared_ptr<runtime::Delegate>(
      std::make_shared<NnDelegate>(std::move(options)));
}

}  // namespace munja::delegates::nn
