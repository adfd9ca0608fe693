#include "hal/manager/compiled_model.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "base/file.h"
#include "base/log.h"
#include "hal/c_structs.h"
#include "hal/manager/dump.h"
#include "hal/manager/partition.h"
#include "hal/manager/vlog.h"
#include "hal/operations.h"
#include "hal/slice.h"
#include "hal/types.h"
#include "hal/validate.h"

namespace munja::hal {
Candidate CandidateOf(const ManagedDevice& device, const Model& model,
                      std::vector<bool> supports) {
  const munja_nn_capabilities capabilities =
      ReadStruct(device.device().table().capabilities);
  Candidate candidate;
  candidate.supports = std::move(supports);
  for (const Operation& operation : model.main().operations)
    candidate.factors.push_back(TimeFactor(capabilities, model, operation));
  return candidate;
}

uint64_t DeadlineAfter(std::chrono::milliseconds timeout) {
  if (timeout.count() <= 0) return 0;
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(now + timeout)
          .count());
}

Result<std::vector<bool>> SupportedOn(const ManagedDevice& device,
                                      const Model& model) {
  const int32_t version =
      std::min(device.device().hal_version(), int32_t{MUNJA_NN_1_3});
  const Subgraph& main = model.main();
  std::vector<bool> supported(main.operations.size());
  std::vector<uint32_t> sayable;
  for (uint32_t k = 0; k < main.operations.size(); ++k) {
    const Slice alone = SliceOf(model, std::vector<uint32_t>{k});
    std::vector<std::string> lost;
    if (ConvertTo(alone.model, version, &lost).ok()) sayable.push_back(k);
  }
  if (sayable.empty()) return supported;
  std::vector<std::string> lost;
  MUNJA_ASSIGN_OR_RETURN(
      const Model part,
      ConvertTo(SliceOf(model, sayable).model, version, &lost));
  MUNJA_ASSIGN_OR_RETURN(const std::vector<bool> answer,
                         device.device().SupportedOperations(part));
  for (size_t i = 0; i < sayable.size(); ++i) supported[sayable[i]] = answer[i];
  return supported;
}

Result<std::unique_ptr<CompiledModel>> CompiledModel::Compile(
    const Model& model, DeviceList devices, const QualityOfService& service) {
  Status reason = Unavailable("there is no device");
  while (!devices.empty()) {
    std::unique_ptr<CompiledModel> made(new CompiledModel());
    made->service_ = service;
    std::shared_ptr<ManagedDevice> failed;
    Status status = made->Prepare(model, devices, &failed);
    if (status.ok()) status = made->PlaceValues(model);
    if (status.ok()) {
      Vlog(Subject::kCompilation, [&] { return made->ToText(); });
      made->Dump(model);
      made->Watch();
      return made;
    }
    if (failed == nullptr) {
      // Without a device that failed there may be none for something.
      return devices.size() > 1 || reason.code() == Code::kUnavailable
                 ? std::move(status)
                 : std::move(reason);
    }
    Log(Severity::kWarning, "device " + failed->name() + " is excluded: " +
                                std::string(status.message()));
    reason = std::move(status);
    std::erase(devices, failed);
  }
  return reason;
}

Status CompiledModel::Prepare(const Model& model, const DeviceList& devices,
                              std::shared_ptr<ManagedDevice>* failed) {
  std::vector<Candidate> candidates;
  for (const auto& device : devices) {
    auto supports = std::vector<bool>(model.main().operations.size());
    Status usable = device->CheckUsable();
    if (usable.ok()) {
      auto answer = SupportedOn(*device, model);
      if (answer.ok()) {
        supports = std::move(answer).value();
      } else {
        device->Report(answer.status());
        usable = std::move(answer).TakeStatus();
      }
    }
    if (!usable.ok() && devices.size() == 1) return usable;
    candidates.push_back(CandidateOf(*device, model, std::move(supports)));
  }
  MUNJA_ASSIGN_OR_RETURN(const std::vector<Step> steps,
                         PartitionModel(model, candidates));
  munja_nn_compilation_options options = {};
  options.struct_size = sizeof options;
  options.preference = service_.preference;
  options.priority = service_.priority;
  options.deadline_ns = DeadlineAfter(service_.compile_timeout);
  for (const Step& step : steps) {
    Stage& stage = stages_.emplace_back();
    stage.device = devices[static_cast<size_t>(step.candidate)];
    Slice slice = SliceOf(model, step.operations);
    stage.operations = step.operations;
    stage.inputs = std::move(slice.inputs);
    stage.outputs = std::move(slice.outputs);
    std::vector<std::string> lost;
    const int32_t version =
        std::min(stage.device->device().hal_version(), int32_t{MUNJA_NN_1_3});
    MUNJA_ASSIGN_OR_RETURN(stage.model,
                           ConvertTo(std::move(slice.model), version, &lost));
    for (const std::string& line : lost)
      Log(Severity::kWarning,
          "device " + stage.device->name() + " is not told " + line);
    auto prepared = PrepareStage(stage, options);
    if (!prepared.ok()) {
      stage.device->Report(prepared.status());
      *failed = stage.device;
      return std::move(prepared).TakeStatus();
    }
    stage.prepared = std::move(prepared).value();
  }
  return Status();
}

Result<std::unique_ptr<PreparedModel>> CompiledModel::PrepareStage(
    const Stage& stage, const munja_nn_compilation_options& options) const {
  const Device& device = stage.device->device();
  runtime::TraceSpan span(service_.trace.get(), "compilation",
                          "prepare on " + stage.device->name());
  span.Tell("operations", std::to_string(stage.model.main().operations.size()));
  const uint32_t model_files = device.table().model_cache_files;
  const uint32_t data_files = device.table().data_cache_files;
  if (service_.cache == nullptr || model_files + data_files == 0)
    return device.Prepare(stage.model, options);
  const auto note = [&](const Status& status) {
    Log(Severity::kWarning, "device " + stage.device->name() + ": " +
                                std::string(status.message()));
  };
  const auto token =
      TokenOf(stage.model, device, options.preference, options.priority);
  if (!token.ok()) {
    note(token.status());
    return device.Prepare(stage.model, options);
  }
  auto saved = service_.cache->Load(*token, model_files, data_files);
  if (saved.ok()) {
    auto prepared = device.PrepareFromCache(*saved->get(), options.deadline_ns);
    if (prepared.ok()) {
      span.Tell("from", "cache");
      Vlog(Subject::kCompilation,
           [&] { return stage.device->name() + ": out of the cache"; });
      return prepared;
    }
    note(prepared.status());
    service_.cache->Remove(*token);
  } else if (saved.status().code() != Code::kNotFound) {
    note(saved.status());
  }
  auto files = CacheFiles::Make(*token, model_files, data_files);
  munja_nn_compilation_options with_cache = options;
  if (files.ok()) with_cache.cache = files->get();
  auto prepared = device.Prepare(stage.model, with_cache);
  if (prepared.ok() && files.ok()) {
    // If saving fails, the next start compiles again.
    const Status kept = service_.cache->Save(*token, *files);
    if (!kept.ok()) note(kept);
  }
  return prepared;
}

Status CompiledModel::PlaceValues(const Model& model) {
  const Subgraph& main = model.main();
  std::vector<std::vector<std::pair<size_t, uint32_t>>> readers(
      main.operands.size());
  std::vector<std::pair<size_t, uint32_t>> writers(main.operands.size());
  std::vector<bool> is_written(main.operands.size());
  for (size_t s = 0; s < stages_.size(); ++s) {
    const Stage& stage = stages_[s];
    for (uint32_t i = 0; i < stage.inputs.size(); ++i)
      readers[stage.inputs[i]].emplace_back(s, i);
    for (uint32_t i = 0; i < stage.outputs.size(); ++i) {
      writers[stage.outputs[i]] = {s, i};
      is_written[stage.outputs[i]] = true;
    }
  }
  places_.resize(main.operands.size());
  std::vector<bool> is_placed(main.operands.size());
  const auto place = [&](const std::vector<uint32_t>& list, Place::Kind kind) {
    for (size_t i = 0; i < list.size(); ++i) {
      places_[list[i]] = {kind, i};
      is_placed[list[i]] = true;
    }
  };
  place(main.inputs, Place::kInput);
  place(main.outputs, Place::kOutput);
  for (uint32_t v = 0; v < main.operands.size(); ++v) {
    if (!is_written[v] || is_placed[v]) continue;
    const Operand& operand = main.operands[v];
    const auto bytes = SizeOf(operand.type, operand.dimensions);
    if (!bytes || *bytes == 0)
      return Unsupported("the size of a value between devices is not known");
    places_[v] = {Place::kBetween, between_bytes_.size()};
    between_bytes_.push_back(*bytes);
    // A value that only its own device reads need not leave it.
    const auto& device = stages_[writers[v].first].device;
    const bool stays = device->device().table().allocate != nullptr &&
                       std::ranges::all_of(readers[v], [&](const auto& reader) {
                         return stages_[reader.first].device == device;
                       });
    if (!stays) continue;
    places_[v] = {Place::kOnDevice, on_device_.size()};
    on_device_.push_back({between_bytes_.size() - 1, readers[v], {writers[v]}});
  }
  return Status();
}

Result<std::unique_ptr<CompiledModel::Workspace>> CompiledModel::MakeWorkspace()
    const {
  auto made = std::make_unique<Workspace>();
  std::vector<bool> is_needed(between_bytes_.size(), true);
  for (const OnDevice& value : on_device_) {
    const auto roles = [&](const auto& list) {
      std::vector<Device::Role> result;
      for (const auto& [stage, index] : list)
        result.push_back({stages_[stage].prepared.get(), index});
      return result;
    };
    const Device& device = stages_[value.outputs[0].first].device->device();
    auto buffer = device.Allocate(roles(value.inputs), roles(value.outputs));
    is_needed[value.between] = !buffer.ok();
    made->on_device.push_back(buffer.ok() ? std::move(buffer).value()
                                          : nullptr);
  }
  for (size_t i = 0; i < between_bytes_.size(); ++i) {
    if (!is_needed[i]) {
      made->between.emplace_back();
      continue;
    }
    MUNJA_ASSIGN_OR_RETURN(Buffer buffer, Buffer::Allocate(between_bytes_[i]));
    made->between.push_back(std::move(buffer));
  }
  made->bursts.resize(stages_.size());
  return made;
}

Result<std::unique_ptr<CompiledModel::Workspace>> CompiledModel::TakeWorkspace()
    const {
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      std::unique_ptr<Workspace> workspace = std::move(idle_.back());
      idle_.pop_back();
      return workspace;
    }
  }
  return MakeWorkspace();
}

Status CompiledModel::Execute(std::span<const Bytes> inputs,
                              std::span<const Bytes> outputs) const {
  for (const Stage& stage : stages_)
    MUNJA_RETURN_IF_ERROR(stage.device->CheckUsable());
  MUNJA_ASSIGN_OR_RETURN(std::unique_ptr<Workspace> workspace, TakeWorkspace());
  MUNJA_RETURN_IF_ERROR(RunStages(*workspace, inputs, outputs));
  bool must_wake = false;
  {
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(workspace));
    last_used_ = Watchdog::Clock::now();
    must_wake = watchdog_ != nullptr && !is_waited_for_;
    is_waited_for_ = true;
  }
  if (must_wake) watchdog_->Wake();
  return Status();
}

CompiledModel::~CompiledModel() {
  if (watchdog_ != nullptr) watchdog_->Remove(&watched_);
}

void CompiledModel::Watch() {
  if (service_.idle_after.count() <= 0) return;
  watched_.release_idle = [this](Watchdog::Clock::time_point now) {
    return ReleaseIdle(now);
  };
  watchdog_ = Watchdog::Get();
  watchdog_->Add(&watched_);
}

Watchdog::Clock::time_point CompiledModel::ReleaseIdle(
    Watchdog::Clock::time_point now) {
  std::vector<std::unique_ptr<Workspace>> idle;
  {
    const std::lock_guard lock(mutex_);
    if (!is_waited_for_) return Watchdog::Clock::time_point::max();
    const auto due = last_used_ + service_.idle_after;
    if (now < due) return due;
    idle = std::move(idle_);
    idle_.clear();
    is_waited_for_ = false;
  }
  idle.clear();
  for (const Stage& stage : stages_) {
    const munja_nn_device& table = stage.device->device().table();
    if (table.idle != nullptr && stage.device->device().left_behind() == 0)
      table.idle(table.self);
    Vlog(Subject::kManager,
         [&] { return stage.device->name() + ": idle, memory given back"; });
  }
  return Watchdog::Clock::time_point::max();
}

void CompiledModel::Dump(const Model& model) const {
  if (service_.dump_directory.empty()) return;
  static constinit std::atomic<int> number{0};
  std::vector<std::string> owners(model.main().operations.size());
  for (const Stage& stage : stages_)
    for (const uint32_t k : stage.operations) owners[k] = stage.device->name();
  const std::string path = service_.dump_directory + "/model-" +
                           std::to_string(number.fetch_add(1)) + ".dot";
  if (const Status status = WriteFile(path, ToDot(model, owners)); !status.ok())
    Log(Severity::kWarning, std::string(status.message()));
}

Status CompiledModel::RunStages(Workspace& workspace,
                                std::span<const Bytes> inputs,
                                std::span<const Bytes> outputs) const {
  munja_nn_execution_options options = {};
  options.struct_size = sizeof options;
  options.deadline_ns = DeadlineAfter(service_.run_timeout);
  options.measure =
      service_.trace != nullptr || IsVerbose(Subject::kExecution) ? 1 : 0;
  runtime::TraceSpan span(service_.trace.get(), "execution", "run");
  // The second run makes a burst worthwhile.
  if (workspace.was_used && !workspace.has_bursts) {
    for (size_t s = 0; s < stages_.size(); ++s)
      workspace.bursts[s] = stages_[s].prepared->CreateBurst();
    workspace.has_bursts = true;
  }
  for (size_t s = 0; s < stages_.size(); ++s) {
    const Stage& stage = stages_[s];
    Request request;
    const auto append = [&](const std::vector<uint32_t>& values,
                            std::vector<Argument>& arguments) {
      for (const uint32_t v : values) {
        const Place& place = places_[v];
        Argument& argument = arguments.emplace_back();
        argument.location.pool = static_cast<uint32_t>(request.pools.size());
        Memory& pool = request.pools.emplace_back();
        size_t between = place.index;
        if (place.kind == Place::kOnDevice) {
          if (const auto& buffer = workspace.on_device[place.index]) {
            pool.token = buffer->token();
            continue;
          }
          between = on_device_[place.index].between;
        }
        const Bytes bytes = place.kind == Place::kInput ? inputs[place.index]
                            : place.kind == Place::kOutput
                                ? outputs[place.index]
                                : Bytes{workspace.between[between].data(),
                                        between_bytes_[between]};
        argument.location.length = static_cast<uint32_t>(bytes.size);
        pool.data = bytes.data;
        pool.bytes = bytes.size;
      }
    };
    append(stage.inputs, request.inputs);
    append(stage.outputs, request.outputs);
    MUNJA_RETURN_IF_ERROR(RunStage(s, workspace, request, options));
  }
  workspace.was_used = true;
  return Status();
}

Status CompiledModel::RunStage(
    size_t index, const Workspace& workspace, const Request& request,
    const munja_nn_execution_options& options) const {
  const Stage& stage = stages_[index];
  runtime::TraceSpan span(service_.trace.get(), "execution",
                          "run on " + stage.device->name());
  const std::unique_ptr<Burst>& burst = workspace.bursts[index];
  const Execution execution = burst != nullptr
                                  ? burst->Execute(request, options)
                                  : stage.prepared->Execute(request, options);
  const auto microseconds = [](uint64_t time) {
    return time == MUNJA_NN_NO_TIME ? std::string("unknown")
                                    : std::to_string(time);
  };
  span.Tell("burst", burst != nullptr ? "yes" : "no");
  span.Tell("us on device", microseconds(execution.timing.on_device));
  span.Tell("us in driver", microseconds(execution.timing.in_driver));
  Vlog(Subject::kExecution, [&] {
    return stage.device->name() + ": status " +
           std::to_string(execution.status) + ", " +
           microseconds(execution.timing.on_device) + " us on the device, " +
           microseconds(execution.timing.in_driver) + " us in the driver" +
           (burst != nullptr ? ", by burst" : "");
  });
  Status status = FromDriver(
      execution.status, "device " + stage.device->name() + ": running a model");
  if (!status.ok())
    Vlog(Subject::kDriver, [&] { return std::string(status.message()); });
  stage.device->Report(status);
  return status;
}

std::string CompiledModel::ToText() const {
  std::string text;
  for (const Stage& stage : stages_) {
    const size_t count = stage.model.main().operations.size();
    text += (text.empty() ? "" : ", ") + stage.device->name() + ": " +
            std::to_string(count) + (count == 1 ? " operation" : " operations");
  }
  return text;
}

}  // namespace munja::hal
