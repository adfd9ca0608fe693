#include "nn/manager/compiled_model.h"

#include <string>
#include <utility>

namespace munja::nn {
namespace {

void Append(std::span<const Bytes> values, std::vector<Argument>& arguments,
            std::vector<Memory>& pools) {
  for (const Bytes& value : values) {
    Argument& argument = arguments.emplace_back();
    argument.location = {static_cast<uint32_t>(pools.size()), 0,
                         static_cast<uint32_t>(value.size)};
    Memory& pool = pools.emplace_back();
    pool.data = value.data;
    pool.bytes = value.size;
  }
}

}  // namespace

uint64_t DeadlineAfter(std::chrono::milliseconds timeout) {
  if (timeout.count() <= 0) return 0;
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(now + timeout)
          .count());
}

Result<std::unique_ptr<CompiledModel>> CompiledModel::Compile(
    Model model, std::shared_ptr<ManagedDevice> device,
    const QualityOfService& service) {
  MUNJA_RETURN_IF_ERROR(device->CheckUsable());
  std::unique_ptr<CompiledModel> made(new CompiledModel());
  made->model_ = std::move(model);
  made->device_ = std::move(device);
  made->service_ = service;
  munja_nn_compilation_options options = {};
  options.struct_size = sizeof options;
  options.preference = service.preference;
  options.priority = service.priority;
  options.deadline_ns = DeadlineAfter(service.compile_timeout);
  auto prepared = made->device_->device().Prepare(made->model_, options);
  if (!prepared.ok()) {
    made->device_->Report(prepared.status());
    return std::move(prepared).TakeStatus();
  }
  made->prepared_ = std::move(prepared).value();
  return made;
}

Status CompiledModel::Execute(std::span<const Bytes> inputs,
                              std::span<const Bytes> outputs) const {
  MUNJA_RETURN_IF_ERROR(device_->CheckUsable());
  Request request;
  Append(inputs, request.inputs, request.pools);
  Append(outputs, request.outputs, request.pools);
  munja_nn_execution_options options = {};
  options.struct_size = sizeof options;
  options.deadline_ns = DeadlineAfter(service_.run_timeout);
  const Execution execution = prepared_->Execute(request, options);
  Status status =
      FromDriver(execution.status, "device " + device_->name() + ": running");
  device_->Report(status);
  return status;
}

}  // namespace munja::nn
