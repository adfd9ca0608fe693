#include "delegates/opencl/opencl_delegate.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <iterator>
#include <numeric>
#include <utility>

#include "base/log.h"
#include "delegates/opencl/partition_kernel.h"
#include "delegates/opencl/recording.h"
#include "delegates/opencl/steps/steps.h"
#include "runtime/known_nodes.h"
#include "runtime/partition.h"
#include "runtime/tensor_bytes.h"

namespace munja::delegates::opencl {
namespace {

using runtime::DelegateOption;

// Cost of a partition on the CPU, and of a round trip to the device, in
// nanoseconds: as the drivers' framework weighs devices
// (docs/explanation/accelerators.md), with the time that a round trip takes.
constexpr int64_t kMultipliesPerNs = 16, kCpuBytesPerNs = 8,
                  kCopyBytesPerNs = 4;
constexpr int64_t kRoundTripNs = 100000;

struct Cost {
  int64_t multiply_accumulates = 0, bytes = 0;
  int64_t Nanoseconds() const {
    return std::max(multiply_accumulates / kMultipliesPerNs,
                    bytes / kCpuBytesPerNs);
  }
};

int64_t BytesOfValue(const graph::Subgraph& subgraph,
                     const runtime::ShapeInference& known, graph::ValueId v) {
  if (v == graph::kNoValue || !known.knows(v)) return 0;
  const auto bytes =
      runtime::TensorBytes(subgraph.values[v].type, known.shape(v));
  return bytes.ok() ? static_cast<int64_t>(*bytes) : 0;
}

Cost CostOf(const graph::Subgraph& subgraph,
            const runtime::ShapeInference& known, const Recording& recording,
            const graph::Node& node) {
  Cost cost;
  for (const Launch& launch : recording.launches)
    cost.multiply_accumulates += launch.multiply_accumulates;
  for (const auto* list : {&node.inputs, &node.outputs})
    for (const graph::ValueId v : *list)
      cost.bytes += BytesOfValue(subgraph, known, v);
  return cost;
}

// Why a node of integers is not taken; empty: it has none. Numbers that stand
// for others are meant, not sizes and indices.
std::string IntegersOf(const graph::Subgraph& subgraph,
                       const graph::Node& node) {
  for (const auto* list : {&node.inputs, &node.outputs})
    for (const graph::ValueId v : *list) {
      if (v == graph::kNoValue) continue;
      const graph::Value& value = subgraph.values[v];
      if (!value.constant && value.quantization.is_quantized())
        return "it computes with integers (" +
               std::string(ElementTypeName(value.type)) +
               "), which the CPU does: the device has kernels for floats, with "
               "weights of int8 where a layer's input is float";
    }
  return "";
}

// Small partitions next to others stay on the CPU where that costs less.
void LeaveIslands(const graph::Subgraph& subgraph,
                  const runtime::ShapeInference& known,
                  const std::vector<Cost>& costs,
                  std::vector<runtime::Delegate::NodeSupport>* support) {
  std::vector<bool> wanted;
  for (const auto& node : *support) wanted.push_back(node.is_supported);
  const auto partitions = runtime::PartitionNodes(subgraph, wanted);
  if (partitions.size() < 2) return;
  for (const runtime::Partition& partition : partitions) {
    Cost cost;
    for (const int n : partition.nodes) {
      cost.multiply_accumulates += costs[n].multiply_accumulates;
      cost.bytes += costs[n].bytes;
    }
    int64_t copied = 0;
    for (const auto* list : {&partition.inputs, &partition.outputs})
      for (const graph::ValueId v : *list)
        copied += BytesOfValue(subgraph, known, v);
    if (cost.Nanoseconds() >= copied / kCopyBytesPerNs + kRoundTripNs) continue;
    for (const int n : partition.nodes)
      (*support)[n] = {false,
                       "it costs less on the CPU than to copy what its "
                       "partition of " +
                           std::to_string(partition.nodes.size()) +
                           " nodes reads and writes"};
  }
}

Status BadClOption(const DelegateOption& option, const std::string& wants) {
  return InvalidArgument("delegate opencl: option " + option.key + "=" +
                         option.value + " wants " + wants);
}

Result<int> ReadClCount(const DelegateOption& option) {
  int count = 0;
  const char* end = option.value.data() + option.value.size();
  const auto [stop, error] = std::from_chars(option.value.data(), end, count);
  if (error != std::errc() || stop != end || count < 0)
    return BadClOption(option, "an integer, at least 0");
  return count;
}

Result<size_t> ReadClWord(const DelegateOption& option,
                          std::initializer_list<std::string_view> words) {
  const auto* const found = std::ranges::find(words, option.value);
  if (found != words.end()) return static_cast<size_t>(found - words.begin());
  std::string wanted;
  for (const std::string_view word : words)
    wanted += (wanted.empty() ? "" : ", ") + std::string(word);
  return BadClOption(option, "one of: " + wanted);
}

}  // namespace

std::string SignatureOf(const graph::Subgraph& subgraph,
                        const graph::Node& node) {
  std::string signature = node.op;
  if (node.inputs.size() > 1 && node.inputs[1] != graph::kNoValue &&
      subgraph.values[node.inputs[1]].constant)
    signature += " " + subgraph.values[node.inputs[1]].shape.ToString();
  return signature;
}

CheckedDevice::CheckedDevice(std::shared_ptr<Device> device, std::string cache,
                             std::optional<std::chrono::milliseconds> tune_time)
    : device_(std::move(device)),
      cache_(std::move(cache)),
      // Otherwise every start would re-tune.
      is_tuned_(
          cache_.is_used() &&
          (tune_time ? tune_time->count() > 0 : device_->info().type != "cpu")),
      tune_time_(tune_time.value_or(kTuneTime)) {
  right_ = LoadRight();
  groups_ = LoadGroups();
  const auto kept = cache_.Load(Key("wrong kernels"));
  if (!kept.ok()) return;
  // Lines of signature, tabulator, reason.
  const std::string text(kept->begin(), kept->end());
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const size_t tab = text.find('\t', at);
    if (tab < end)
      wrong_.emplace_back(text.substr(at, tab - at),
                          text.substr(tab + 1, end - tab - 1));
    at = end + 1;
  }
}

std::string CheckedDevice::Key(std::string_view what) const {
  std::string key = std::string(what) + "\n" + device_->Identity() + Preamble();
  for (int f = 0; f < kFamilies; ++f) key += SourceOf(static_cast<Family>(f));
  return key;
}

std::string CheckedDevice::WrongReason(std::string_view signature) const {
  const std::lock_guard lock(mutex_);
  for (const auto& [of, reason] : wrong_)
    if (of == signature)
      return "its kernel was found wrong on this device: " + reason;
  return "";
}

void CheckedDevice::Remember(const std::string& signature,
                             const std::string& reason) {
  std::string text;
  {
    const std::lock_guard lock(mutex_);
    if (std::ranges::find(wrong_, signature, [](const auto& row) {
          return row.first;
        }) != wrong_.end())
      return;
    wrong_.emplace_back(signature, reason);
    for (const auto& [of, why] : wrong_) text += of + "\t" + why + "\n";
  }
  cache_.Save(Key("wrong kernels"),
              {reinterpret_cast<const uint8_t*>(text.data()), text.size()});
}

std::vector<uint64_t> CheckedDevice::LoadRight() const {
  const auto kept = cache_.Load(Key("right partitions"));
  std::vector<uint64_t> right;
  if (kept.ok()) right.resize(kept->size() / sizeof(uint64_t));
  if (!right.empty())
    std::memcpy(right.data(), kept->data(), right.size() * sizeof(uint64_t));
  return right;
}

bool CheckedDevice::WasRight(uint64_t fingerprint) const {
  const std::lock_guard lock(mutex_);
  return std::ranges::find(right_, fingerprint) != right_.end();
}

void CheckedDevice::RememberRight(uint64_t fingerprint) {
  // Sizes of pages have no end; the oldest are forgotten.
  constexpr size_t kMaxRight = 2048;
  // Another process may have added some. What two save at once only one keeps:
  // the other's is compared again some time.
  std::vector<uint64_t> right = LoadRight();
  const std::lock_guard lock(mutex_);
  for (const uint64_t one : right_)
    if (std::ranges::find(right, one) == right.end()) right.push_back(one);
  if (std::ranges::find(right, fingerprint) == right.end())
    right.push_back(fingerprint);
  if (right.size() > kMaxRight)
    right.erase(right.begin(), right.end() - kMaxRight);
  cache_.Save(Key("right partitions"),
              {reinterpret_cast<const uint8_t*>(right.data()),
               right.size() * sizeof(uint64_t)});
  right_ = std::move(right);
}

GroupSizes CheckedDevice::LoadGroups() const {
  GroupSizes groups;
  const auto kept = cache_.Load(Key("work-groups"));
  if (!kept.ok()) return groups;
  // Lines of size, space, kind.
  const std::string text(kept->begin(), kept->end());
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    int size = 0;
    const auto [stop, error] =
        std::from_chars(text.data() + at, text.data() + end, size);
    const auto kind = static_cast<size_t>(stop - text.data()) + 1;
    if (error == std::errc() && kind < end &&
        std::ranges::find(kGroupSizes, size) != std::end(kGroupSizes))
      groups[text.substr(kind, end - kind)] = size;
    at = end + 1;
  }
  return groups;
}

GroupSizes CheckedDevice::group_sizes() const {
  const std::lock_guard lock(mutex_);
  return groups_;
}

void CheckedDevice::RememberGroups(const GroupSizes& groups) {
  // Another process may have found some; of what both found either is good.
  GroupSizes all = LoadGroups();
  const std::lock_guard lock(mutex_);
  for (const GroupSizes* found : {&std::as_const(groups_), &groups})
    for (const auto& [kind, size] : *found) all[kind] = size;
  std::string text;
  for (const auto& [kind, size] : all)
    text += std::to_string(size) + " " + kind + "\n";
  cache_.Save(Key("work-groups"),
              {reinterpret_cast<const uint8_t*>(text.data()), text.size()});
  groups_ = std::move(all);
}

std::chrono::nanoseconds CheckedDevice::tune_time() const {
  const std::lock_guard lock(mutex_);
  return tune_time_;
}

void CheckedDevice::SpendTuneTime(std::chrono::nanoseconds spent) {
  const std::lock_guard lock(mutex_);
  tune_time_ -= std::min(spent, tune_time_);
}

void CheckedDevice::GiveUp(const Status& failure) {
  const std::lock_guard lock(mutex_);
  if (failure_.empty()) failure_ = std::string(failure.message());
}

Status CheckedDevice::CheckUsable() const {
  const std::lock_guard lock(mutex_);
  if (failure_.empty()) return Status();
  return Unavailable("the device failed before and is not asked again: " +
                     failure_);
}

Result<std::shared_ptr<CheckedDevice>> OpenClDelegate::Open() {
  if (device_ == nullptr) {
    // A device that a test breaks is its own.
    MUNJA_ASSIGN_OR_RETURN(
        auto device, GetDevice(options_->device, !options_->fails_in.empty()));
    device_ = std::make_shared<CheckedDevice>(device, options_->cache,
                                              options_->tune_time);
    if (options_->math == Math::kHalf && !device->info().has_fp16)
      Log(Severity::kWarning,
          "delegate opencl: the device " + device->info().name +
              " has no arithmetic of 16 bits (cl_khr_fp16): products are "
              "float32");
  }
  MUNJA_RETURN_IF_ERROR(device_->CheckUsable());
  return device_;
}

Result<std::vector<OpenClDelegate::NodeSupport>> OpenClDelegate::CheckSupport(
    const graph::Graph&, const graph::Subgraph& original) {
  MUNJA_ASSIGN_OR_RETURN(const auto device, Open());
  graph::Subgraph subgraph = original;
  MUNJA_RETURN_IF_ERROR(WidenWeights(subgraph));
  runtime::ShapeInference known(subgraph);
  runtime::AssumeSizes(subgraph, known);
  std::vector<int> all(subgraph.nodes.size());
  std::iota(all.begin(), all.end(), 0);
  known.Run(all);
  std::vector<NodeSupport> support(subgraph.nodes.size());
  std::vector<Cost> costs(subgraph.nodes.size());
  const ScalesOfWeights floats;  // Bytes are taken where floats are.
  for (const int n : all) {
    const graph::Node& node = subgraph.nodes[n];
    if (runtime::IsKnown(node, known)) {
      support[n].reason = "its values are known before the run";
      continue;
    }
    const std::string wrong = device->WrongReason(SignatureOf(subgraph, node));
    const std::string integers = IntegersOf(subgraph, node);
    Recorder alone(subgraph, known, floats);
    Status status = !integers.empty() ? Unsupported(integers)
                    : wrong.empty()   ? alone.Add(n)
                                      : Unavailable(wrong);
    if (status.ok()) {
      auto recording = alone.Finish(node.outputs);
      if (recording.ok()) {
        costs[n] = CostOf(subgraph, known, *recording, node);
        support[n].is_supported = true;
        continue;
      }
      status = std::move(recording).TakeStatus();
    }
    support[n].reason = std::string(status.message());
  }
  runtime::TakeKnown(subgraph, known, &support);
  if (!options_->takes_islands) LeaveIslands(subgraph, known, costs, &support);
  return support;
}

Result<std::unique_ptr<ops::Kernel>> OpenClDelegate::Compile(
    const graph::Graph&, const graph::Subgraph& subgraph,
    const runtime::Partition& partition) {
  MUNJA_ASSIGN_OR_RETURN(auto device, Open());
  MUNJA_ASSIGN_OR_RETURN(
      auto kernel, PartitionKernel::Make(options_, std::move(device), subgraph,
                                         partition, splits_));
  return std::unique_ptr<ops::Kernel>(std::move(kernel));
}

Result<std::shared_ptr<runtime::Delegate>> Make(
    std::span<const DelegateOption> given) {
  Options options;
  options.cache = UsualCacheFolder();
  options.trace = runtime::ProcessTrace();
  for (const DelegateOption& option : given) {
    if (option.key == "device") {
      options.device = option.value;
    } else if (option.key == "precision") {
      MUNJA_ASSIGN_OR_RETURN(const size_t word,
                             ReadClWord(option, {"fp32", "fp16"}));
      options.is_half = word == 1;
    } else if (option.key == "arithmetic") {
      MUNJA_ASSIGN_OR_RETURN(
          const size_t word,
          ReadClWord(option, {"fp32", "fp16", "emulated_fp16"}));
      options.math = static_cast<Math>(word);
    } else if (option.key == "weights") {
      MUNJA_ASSIGN_OR_RETURN(const size_t word,
                             ReadClWord(option, {"auto", "float", "int8"}));
      options.byte_weights = static_cast<ByteWeights>(word);
    } else if (option.key == "check") {
      MUNJA_ASSIGN_OR_RETURN(const size_t word,
                             ReadClWord(option, {"always", "first", "never"}));
      options.checks = static_cast<Checks>(word);
    } else if (option.key == "cache") {
      options.cache = option.value == "off" ? "" : option.value;
    } else if (option.key == "timeout_ms") {
      MUNJA_ASSIGN_OR_RETURN(const int count, ReadClCount(option));
      options.run_timeout = std::chrono::milliseconds(count);
    } else if (option.key == "compile_timeout_ms") {
      MUNJA_ASSIGN_OR_RETURN(const int count, ReadClCount(option));
      options.compile_timeout = std::chrono::milliseconds(count);
    } else if (option.key == "tune_ms") {
      MUNJA_ASSIGN_OR_RETURN(const int count, ReadClCount(option));
      options.tune_time = std::chrono::milliseconds(count);
    } else if (option.key == "islands") {
      MUNJA_ASSIGN_OR_RETURN(const size_t word, ReadClWord(option, {"0", "1"}));
      options.takes_islands = word == 1;
    } else if (option.key == "memory") {
      MUNJA_ASSIGN_OR_RETURN(const size_t word,
                             ReadClWord(option, {"shared", "apart"}));
      options.shares_memory = word == 0;
    } else if (option.key == "trace") {
      options.trace = std::make_shared<runtime::TraceFile>(option.value);
    } else if (option.key == "max_partitions") {
      MUNJA_ASSIGN_OR_RETURN(options.limits.max_partitions,
                             ReadClCount(option));
    } else if (option.key == "min_nodes") {
      MUNJA_ASSIGN_OR_RETURN(options.limits.min_nodes, ReadClCount(option));
    } else if (option.key == "fail_in") {
      options.fails_in = option.value;
      const bool is_phase = option.value == "build" ||
                            option.value == "allocate" ||
                            option.value == "run" || option.value == "hang";
      if (!is_phase && FindStep(option.value) == nullptr)
        return BadClOption(option,
                           "build, allocate, run, hang or an operator that it "
                           "has");
    } else {
      return InvalidArgument(
          "delegate opencl has no option '" + option.key +
          "': device, precision, arithmetic, weights, check, cache, "
          "timeout_ms, "
          "compile_timeout_ms, tune_ms, islands, memory, trace, "
          "max_partitions, "
          "min_nodes, fail_in");
    }
  }
  if (options.math != Math::kFloat && !options.is_half)
    return InvalidArgument(
        "delegate opencl: the option arithmetic wants precision=fp16: numbers "
        "of 32 bits are not multiplied in 16");
  return std::shared_ptr<runtime::Delegate>(
      std::make_shared<OpenClDelegate>(std::move(options)));
}

}  // namespace munja::delegates::opencl
