#include "hal/case_runner.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "hal/types.h"
#include "hal/validate.h"

namespace munja::hal {
namespace {

// The alignment that devices may assume of each argument.
constexpr size_t kAlignment = 64;

// Memory of one pool, filled piece by piece.
class PoolMemory {
 public:
  Location Add(uint32_t pool, size_t bytes) {
    const size_t offset = bytes_;
    bytes_ += (bytes + kAlignment - 1) / kAlignment * kAlignment;
    return {pool, static_cast<uint32_t>(offset), static_cast<uint32_t>(bytes)};
  }
  // After the last Add.
  Memory Make() {
    memory_.resize(std::max(bytes_, kAlignment));
    Memory memory;
    memory.data = memory_.data();
    memory.bytes = memory_.size();
    return memory;
  }
  uint8_t* At(const Location& at) { return memory_.data() + at.offset; }

 private:
  size_t bytes_ = 0;
  std::vector<uint8_t> memory_;
};

// The outcome of one mode, which may not apply to the case.
struct ModeOutcome : Outcome {
  ModeOutcome() : is_left_out(true) {}
  ModeOutcome(Outcome outcome)  // NOLINT(google-explicit-constructor)
      : Outcome(std::move(outcome)) {}
  bool is_left_out = false, is_lacking = false;
};

ModeOutcome Lacking() {
  ModeOutcome outcome;
  outcome.is_lacking = true;
  return outcome;
}

Outcome WrongOutcome(std::string reason) {
  return {CaseStatus::kFailed, std::move(reason), {}, {}};
}

Outcome Failed(const Case& example, std::string reason) {
  if (example.expects_failure) return {};
  return WrongOutcome(std::move(reason));
}

munja_nn_execution_options PlainOptions() {
  munja_nn_execution_options options = {};
  options.struct_size = sizeof options;
  return options;
}

munja_nn_compilation_options CompilationOptions() {
  munja_nn_compilation_options options = {};
  options.struct_size = sizeof options;
  options.preference = MUNJA_NN_PREFER_FAST_SINGLE_ANSWER;
  options.priority = MUNJA_NN_PRIORITY_MEDIUM;
  return options;
}

// A request of a case, and the memory for it.
class CaseRequest {
 public:
  // spared: bytes that the first output's memory lacks.
  explicit CaseRequest(const Case& example, size_t spared = 0)
      : example_(example) {
    for (const auto& input : example.inputs) {
      Argument& argument = request_.inputs.emplace_back();
      argument.has_no_value = !input.has_value();
      if (input) argument.location = inputs_.Add(0, input->size());
    }
    for (const Expected& output : example.outputs) {
      // An output that is not looked at may come without values.
      const size_t bytes =
          output.is_ignored
              ? SizeOf(output.type, output.dimensions).value_or(0)
              : output.values.size() * FindType(output.type)->bytes;
      request_.outputs.emplace_back().location =
          outputs_.Add(1, bytes - spared);
      spared = 0;
    }
    request_.pools = {inputs_.Make(), outputs_.Make()};
    for (size_t i = 0; i < example.inputs.size(); ++i)
      if (example.inputs[i])
        std::ranges::copy(*example.inputs[i],
                          inputs_.At(request_.inputs[i].location));
  }

  Request& request() { return request_; }
  // The memory of an argument, as a pool of its own.
  Memory MemoryOf(const Argument& argument) const {
    Memory memory;
    const Location& at = argument.location;
    memory.data =
        static_cast<uint8_t*>(request_.pools[at.pool].data) + at.offset;
    memory.bytes = at.length;
    return memory;
  }

  // Nothing of its result is looked at.
  bool IsUndefined() const {
    return !example_.outputs.empty() &&
           std::ranges::all_of(example_.outputs, &Expected::is_ignored);
  }

  Outcome Judged(const Execution& execution) {
    // Undefined results (an integer divided by zero) may be failures.
    const bool is_failure = execution.status == MUNJA_NN_GENERAL_FAILURE ||
                            execution.status == MUNJA_NN_INVALID_ARGUMENT;
    if (is_failure && IsUndefined()) return {};
    if (execution.status != MUNJA_NN_NONE)
      return Failed(example_, "the execution ends with status " +
                                  std::to_string(execution.status));
    if (example_.expects_failure)
      return WrongOutcome("runs, where a failure is expected");
    std::vector<Output> results;
    for (size_t i = 0; i < request_.outputs.size(); ++i) {
      const Memory memory = MemoryOf(request_.outputs[i]);
      const auto* bytes = static_cast<const uint8_t*>(memory.data);
      results.push_back({execution.outputs.empty()
                             ? example_.outputs[i].dimensions
                             : execution.outputs[i].dimensions,
                         {bytes, bytes + memory.bytes}});
    }
    const std::string difference = DifferenceFrom(example_, results);
    if (difference.empty()) return {};
    return WrongOutcome(difference);
  }

 private:
  const Case& example_;
  Request request_;
  PoolMemory inputs_, outputs_;
};

ModeOutcome RunBurst(const PreparedModel& prepared, const Case& example) {
  const auto burst = prepared.CreateBurst();
  if (burst == nullptr) return Lacking();
  Outcome outcome;
  for (int i = 0; i < 2 && outcome.status == CaseStatus::kPassed; ++i) {
    CaseRequest request(example);
    outcome = request.Judged(burst->Execute(request.request(), PlainOptions()));
  }
  return outcome;
}

bool HasEmptyOutput(const Case& example) {
  return std::ranges::any_of(example.outputs, [](const Expected& output) {
    return output.values.empty();
  });
}

// Every input and output that has a value in a buffer of its own.
ModeOutcome RunInMemory(const Device& device, const PreparedModel& prepared,
                        const Case& example) {
  if (HasEmptyOutput(example)) return {};
  CaseRequest holder(example);
  Request request = holder.request();
  std::vector<std::unique_ptr<DeviceBuffer>> buffers;
  const auto use = [&](Argument& argument) {
    Memory pool;
    pool.token = buffers.back()->token();
    argument.location = {static_cast<uint32_t>(request.pools.size()), 0, 0};
    request.pools.push_back(pool);
  };
  const Subgraph& main = example.model.main();
  for (uint32_t i = 0; i < request.inputs.size(); ++i) {
    Argument& argument = request.inputs[i];
    if (argument.has_no_value || argument.location.length == 0) continue;
    const Device::Role role = {&prepared, i};
    auto buffer = device.Allocate({&role, 1}, {});
    if (!buffer.ok()) return Lacking();  // It keeps no values.
    buffers.push_back(std::move(buffer).value());
    const Status filled = buffers.back()->CopyFrom(
        holder.MemoryOf(argument), main.operands[main.inputs[i]].dimensions);
    if (!filled.ok()) return WrongOutcome(std::string(filled.message()));
    use(argument);
  }
  std::vector<const DeviceBuffer*> of_output;
  for (uint32_t i = 0; i < request.outputs.size(); ++i) {
    const Device::Role role = {&prepared, i};
    auto buffer = device.Allocate({}, {&role, 1});
    if (!buffer.ok()) return Lacking();
    buffers.push_back(std::move(buffer).value());
    of_output.push_back(buffers.back().get());
    use(request.outputs[i]);
  }
  const Execution execution = prepared.Execute(request, PlainOptions());
  if (execution.status == MUNJA_NN_NONE)
    for (size_t i = 0; i < of_output.size(); ++i) {
      const Status read =
          of_output[i]->CopyTo(holder.MemoryOf(holder.request().outputs[i]));
      if (!read.ok()) return WrongOutcome(std::string(read.message()));
    }
  return holder.Judged(execution);
}

Case WithDynamicOutputs(Case example) {
  Subgraph& main = example.model.subgraphs[0];
  for (const uint32_t i : main.outputs)
    std::ranges::fill(main.operands[i].dimensions, 0u);
  return example;
}

// The answer to memory that is too small is exactly described.
ModeOutcome JudgeShort(const Case& example, const Execution& execution) {
  // Taken as "outputs of dynamic size are not supported".
  if (execution.status == MUNJA_NN_GENERAL_FAILURE) return Lacking();
  if (execution.status != MUNJA_NN_OUTPUT_INSUFFICIENT_SIZE)
    return WrongOutcome("ends with status " + std::to_string(execution.status) +
                        ", where an output does not fit");
  for (size_t i = 0; i < execution.outputs.size(); ++i)
    if (execution.outputs[i].is_sufficient != (i != 0))
      return WrongOutcome("says of output " + std::to_string(i) +
                          " that its memory is " +
                          (i != 0 ? "too small" : "large enough"));
  // The reported dimensions are right.
  for (size_t i = 0; i < execution.outputs.size(); ++i) {
    const Dimensions& said = execution.outputs[i].dimensions;
    const Dimensions& is = example.outputs[i].dimensions;
    bool fits = said.empty() || said.size() == is.size();
    for (size_t k = 0; fits && k < said.size(); ++k)
      fits = said[k] == 0 || said[k] == is[k];
    if (!fits)
      return WrongOutcome("returns wrong dimensions of output " +
                          std::to_string(i));
  }
  return Outcome();
}

// Files without a name.
class ScratchCacheFiles {
 public:
  explicit ScratchCacheFiles(const munja_nn_device& device) {
    for (uint32_t i = 0; i < device.model_cache_files; ++i)
      model_.push_back(memfd_create("model", MFD_CLOEXEC));
    for (uint32_t i = 0; i < device.data_cache_files; ++i)
      data_.push_back(memfd_create("data", MFD_CLOEXEC));
    cache_.struct_size = sizeof cache_;
    cache_.model_fds = model_.data();
    cache_.data_fds = data_.data();
    cache_.model_fd_count = device.model_cache_files;
    cache_.data_fd_count = device.data_cache_files;
  }
  ~ScratchCacheFiles() {
    for (const auto* list : {&model_, &data_})
      for (const int fd : *list)
        if (fd >= 0) close(fd);
  }
  ScratchCacheFiles(const ScratchCacheFiles&) = delete;
  ScratchCacheFiles& operator=(const ScratchCacheFiles&) = delete;
  const munja_nn_cache& get() const { return cache_; }

 private:
  std::vector<int32_t> model_, data_;
  munja_nn_cache cache_ = {};
};

ModeOutcome RunFromCache(const Device& device, const Case& example) {
  if (device.table().model_cache_files + device.table().data_cache_files == 0)
    return Lacking();
  const ScratchCacheFiles files(device.table());
  munja_nn_compilation_options options = CompilationOptions();
  options.cache = &files.get();
  const auto first = device.Prepare(example.model, options);
  if (!first.ok())
    return Failed(example, std::string(first.status().message()));
  const auto prepared = device.PrepareFromCache(files.get(), 0);
  if (!prepared.ok())
    return Failed(example, std::string(prepared.status().message()));
  CaseRequest request(example);
  return request.Judged(
      (*prepared)->Execute(request.request(), PlainOptions()));
}

// Prepares the model; null where that ends the case, with *outcome.
std::unique_ptr<PreparedModel> PrepareCase(const Device& device,
                                           const Case& example,
                                           Outcome* outcome) {
  const auto supported = device.SupportedOperations(example.model);
  if (!supported.ok()) {
    *outcome = Failed(example, std::string(supported.status().message()));
    return nullptr;
  }
  for (size_t i = 0; i < supported->size(); ++i)
    if (!(*supported)[i]) {
      *outcome = {CaseStatus::kUnsupported,
                  "operation " + std::to_string(i) + " is refused",
                  {},
                  {}};
      return nullptr;
    }
  auto prepared = device.Prepare(example.model, CompilationOptions());
  if (prepared.ok()) return std::move(prepared).value();
  *outcome = Failed(example, std::string(prepared.status().message()));
  return nullptr;
}

Outcome RunSync(const Device& device, const Case& example) {
  Outcome outcome;
  const auto prepared = PrepareCase(device, example, &outcome);
  if (prepared == nullptr) return outcome;
  CaseRequest request(example);
  return request.Judged(prepared->Execute(request.request(), PlainOptions()));
}

// The model is prepared already.
ModeOutcome RunInMode(const Device& device, const PreparedModel& prepared,
                      const Case& example, Mode mode) {
  switch (mode) {
    case Mode::kSync: {
      CaseRequest request(example);
      return request.Judged(
          prepared.Execute(request.request(), PlainOptions()));
    }
    case Mode::kAsync: {
      CaseRequest request(example);
      const auto execution =
          prepared.ExecuteAsync(request.request(), PlainOptions());
      if (!execution) return Lacking();
      return request.Judged(*execution);
    }
    case Mode::kBurst:
      return RunBurst(prepared, example);
    case Mode::kFenced: {
      // All outputs must be known, and have a size.
      if (HasEmptyOutput(example)) return {};
      CaseRequest request(example);
      const auto execution =
          prepared.ExecuteFenced(request.request(), PlainOptions());
      if (!execution) return Lacking();
      return request.Judged(*execution);
    }
    case Mode::kMemory:
      return RunInMemory(device, prepared, example);
    case Mode::kDynamic:
      if (example.expects_failure) return {};
      return RunSync(device, WithDynamicOutputs(example));
    case Mode::kShort: {
      if (example.expects_failure || example.outputs.empty() ||
          example.outputs[0].is_ignored ||
          // The size of a scalar is always known.
          !IsTensor(example.outputs[0].type) ||
          example.outputs[0].values.size() *
                  FindType(example.outputs[0].type)->bytes <
              2)
        return {};
      const Case dynamic = WithDynamicOutputs(example);
      Outcome outcome;
      const auto other = PrepareCase(device, dynamic, &outcome);
      if (other == nullptr) return outcome;
      CaseRequest request(dynamic, 1);
      return JudgeShort(example,
                        other->Execute(request.request(), PlainOptions()));
    }
    case Mode::kCache:
      return RunFromCache(device, example);
    case Mode::kSigned:
      if (!CanBeSigned(example)) return {};
      return RunSync(device, Signed(example));
  }
  return {};
}

}  // namespace

std::string_view NameOf(Mode mode) {
  static constexpr std::string_view kNames[] = {"sync",   "async",  "burst",
                                                "fenced", "memory", "dynamic",
                                                "short",  "cache",  "signed"};
  return kNames[static_cast<size_t>(mode)];
}

Result<std::vector<Mode>> ParseModes(std::string_view text) {
  if (text == "all")
    return std::vector<Mode>(std::begin(kAllModes), std::end(kAllModes));
  std::vector<Mode> modes;
  while (true) {
    const size_t comma = std::min(text.find(','), text.size());
    const std::string_view name = text.substr(0, comma);
    const auto* mode = std::ranges::find(kAllModes, name, NameOf);
    if (mode == std::end(kAllModes)) {
      std::string known = "all";
      for (const Mode w : kAllModes) known += ", " + std::string(NameOf(w));
      return InvalidArgument("there is no way '" + std::string(name) +
                             "' of running a case; known are " + known);
    }
    modes.push_back(*mode);
    if (comma == text.size()) return modes;
    text.remove_prefix(comma + 1);
  }
}

Outcome RunCase(const Device& device, const Case& example,
                std::span<const Mode> modes) {
  // The driver has to refuse a model that fits no version.
  if (CompliantWithV1_3(example.model) &&
      !CompliantWith(example.model, device.hal_version()))
    return {
        CaseStatus::kUnsupported, "the model is newer than the device", {}, {}};
  Outcome outcome;
  const auto prepared = PrepareCase(device, example, &outcome);
  if (prepared == nullptr) return outcome;
  for (const Mode mode : modes) {
    ModeOutcome one = RunInMode(device, *prepared, example, mode);
    // The case itself is supported: what is refused is its variant (unknown
    // dimensions, signed values).
    if (one.status == CaseStatus::kUnsupported) one = Lacking();
    if (one.is_lacking)
      outcome.lacking.push_back(mode);
    else if (!one.is_left_out)
      outcome.run.push_back(mode);
    if (one.status == CaseStatus::kPassed) continue;
    outcome.status = one.status;
    outcome.reason = std::move(one.reason);
    if (modes.size() > 1)
      outcome.reason = std::string(NameOf(mode)) + ": " + outcome.reason;
    return outcome;
  }
  // Nothing was seen that could be called passed.
  if (outcome.run.empty() && !outcome.lacking.empty()) {
    outcome.status = CaseStatus::kUnsupported;
    outcome.reason = "the device does not have this way: " +
                     std::string(NameOf(outcome.lacking[0]));
  }
  return outcome;
}

}  // namespace munja::hal
