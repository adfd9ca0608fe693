#include "drivers/local/local_driver.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/thread_pool.h"
#include "drivers/local/complete_device.h"
#include "hal/c_structs.h"
#include "hal/eval/executor.h"
#include "hal/eval/program.h"
#include "hal/model.h"
#include "hal/types.h"
#include "hal/validate.h"
#include "munja/driver.hpp"

namespace munja::drivers::local {
namespace {

int32_t ToDriver(const Status& status, const munja_nn_host* host) {
  if (!status.ok() && host != nullptr && host->log != nullptr)
    host->log(host->self, MUNJA_NN_LOG_VERBOSE,
              std::string(status.message()).c_str());
  switch (status.code()) {
    case Code::kOk:
      return MUNJA_NN_NONE;
    case Code::kInvalidArgument:
    case Code::kMalformed:
      return MUNJA_NN_INVALID_ARGUMENT;
    case Code::kTimedOut:
      return MUNJA_NN_MISSED_DEADLINE_PERSISTENT;
    case Code::kOutOfMemory:
      return MUNJA_NN_RESOURCE_EXHAUSTED_TRANSIENT;
    default:
      return MUNJA_NN_GENERAL_FAILURE;
  }
}

// Extensions' operations and the manufacturers' mean nothing here.
bool IsKnown(const hal::Model& model, const hal::Operation& operation,
             const hal::Subgraph& subgraph) {
  if (operation.type > MUNJA_NN_RANK) return false;
  for (const auto* list : {&operation.inputs, &operation.outputs})
    for (const uint32_t i : *list) {
      const hal::Operand& operand = subgraph.operands[i];
      if (hal::FindType(operand.type) == nullptr) return false;
      if (operand.type != MUNJA_NN_SUBGRAPH) continue;
      const hal::Subgraph& inner =
          model.subgraphs[hal::Model::SubgraphOf(operand)];
      for (const hal::Operation& other : inner.operations)
        if (!IsKnown(model, other, inner)) return false;
    }
  return true;
}

Result<hal::Model> ReadValid(const munja_nn_model& from) {
  MUNJA_ASSIGN_OR_RETURN(hal::Model model, hal::ReadModel(&from));
  MUNJA_RETURN_IF_ERROR(hal::ValidateModel(model));
  return model;
}

class Prepared : public driver::PreparedModel {
 public:
  // Without a program: operation by operation, with the reference kernels.
  Prepared(hal::Model model, const munja_nn_host* host)
      : own_model_(std::move(model)), model_(own_model_), host_(host) {}
  Prepared(std::unique_ptr<hal::Program> program, const munja_nn_host* host)
      : program_(std::move(program)), model_(program_->model()), host_(host) {}

  driver::Answer Execute(const munja_nn_request& from,
                         const munja_nn_execution_options& options) override {
    driver::Answer answer;
    const Status status = Run(from, options, &answer);
    if (!status.ok()) answer.status = ToDriver(status, host_);
    return answer;
  }

 private:
  Status Check(const hal::Request& request) const {
    for (const hal::Memory& pool : request.pools)
      if (pool.token != 0)
        return InvalidArgument("there is no buffer " +
                               std::to_string(pool.token));
    return hal::ValidateRequest(model_, request);
  }

  Status Run(const munja_nn_request& from,
             const munja_nn_execution_options& options,
             driver::Answer* answer) const {
    MUNJA_ASSIGN_OR_RETURN(const hal::Request request, hal::ReadRequest(&from));
    MUNJA_RETURN_IF_ERROR(Check(request));
    const auto data = [&](const hal::Argument& argument) {
      const hal::Location& at = argument.location;
      return static_cast<uint8_t*>(request.pools[at.pool].data) + at.offset;
    };
    const hal::Subgraph& main = model_.main();
    std::vector<hal::Tensor> inputs;
    for (size_t i = 0; i < request.inputs.size(); ++i) {
      const hal::Argument& argument = request.inputs[i];
      hal::Tensor& input = inputs.emplace_back();
      input.is_absent = argument.has_no_value;
      if (input.is_absent) continue;
      input.dimensions = hal::Combined(main.operands[main.inputs[i]], argument);
      input.bytes = {data(argument), argument.location.length};
    }
    hal::EvalOptions how;
    how.reference_kernels = program_ == nullptr;
    how.deadline_ns =
        options.deadline_ns == MUNJA_NN_UNLIMITED ? 0 : options.deadline_ns;
    how.loop_timeout_ns = options.loop_timeout_ns;
    MUNJA_ASSIGN_OR_RETURN(const std::vector<hal::Tensor> outputs,
                           program_ != nullptr
                               ? program_->Run(std::move(inputs), how)
                               : hal::Evaluate(model_, std::move(inputs), how));
    bool fits = true;
    for (size_t i = 0; i < outputs.size(); ++i) {
      const hal::Operand& operand = main.operands[main.outputs[i]];
      hal::Operand stated = operand;
      stated.dimensions = hal::Combined(operand, request.outputs[i]);
      MUNJA_RETURN_IF_ERROR(hal::CheckStated(stated, outputs[i])
                                .With("output " + std::to_string(i)));
      const bool is_sufficient =
          outputs[i].bytes.size() <= request.outputs[i].location.length;
      answer->outputs.push_back({outputs[i].dimensions, is_sufficient});
      fits = fits && is_sufficient;
    }
    answer->status = fits ? MUNJA_NN_NONE : MUNJA_NN_OUTPUT_INSUFFICIENT_SIZE;
    if (!fits) return Status();
    for (size_t i = 0; i < outputs.size(); ++i)
      if (!outputs[i].bytes.empty())
        std::memcpy(data(request.outputs[i]), outputs[i].bytes.data(),
                    outputs[i].bytes.size());
    return Status();
  }

  const hal::Model own_model_;
  const std::unique_ptr<hal::Program> program_;
  const hal::Model& model_;
  const munja_nn_host* const host_;
};

class LocalDevice : public driver::Device {
 public:
  LocalDevice(bool reference_kernels, const munja_nn_host* host)
      : use_reference_(reference_kernels), host_(host) {}
  explicit LocalDevice(Accelerator accelerator)
      : use_reference_(false),
        host_(nullptr),
        accelerator_(std::move(accelerator)) {}

  driver::Description Describe() override {
    driver::Description description;
    if (accelerator_.delegate != nullptr) {
      description.name = accelerator_.name;
      description.version_string = accelerator_.version;
      description.type = accelerator_.type;
      for (int32_t type = 0; type < MUNJA_NN_SUBGRAPH; ++type)
        description.SetPerformance(type, accelerator_.time, accelerator_.time);
      return description;
    }
    description.name = use_reference_ ? "munja-reference" : "munja-cpu";
    description.version_string = MUNJA_VERSION_TEXT;
    description.type = MUNJA_NN_DEVICE_CPU;
    // The framework's CPU path is what others are measured against.
    const float ratio = use_reference_ ? 100.0f : 1.0f;
    for (int32_t type = 0; type < MUNJA_NN_SUBGRAPH; ++type)
      description.SetPerformance(type, ratio, ratio);
    return description;
  }

  int32_t SupportedOperations(const munja_nn_model& from,
                              uint8_t* supported) override {
    const auto model = ReadValid(from);
    if (!model.ok()) return ToDriver(model.status(), host_);
    const auto known = Supported(*model);
    if (!known.ok()) return ToDriver(known.status(), host_);
    for (size_t i = 0; i < known->size(); ++i) supported[i] = (*known)[i];
    return MUNJA_NN_NONE;
  }

  int32_t Prepare(const munja_nn_model& from,
                  const munja_nn_compilation_options&,
                  std::unique_ptr<driver::PreparedModel>* prepared) override {
    auto model = ReadValid(from);
    if (!model.ok()) return ToDriver(model.status(), host_);
    const auto known = Supported(*model);
    if (!known.ok()) return ToDriver(known.status(), host_);
    if (std::ranges::find(*known, false) != known->end())
      return MUNJA_NN_GENERAL_FAILURE;
    if (use_reference_) {
      *prepared = std::make_unique<Prepared>(std::move(model).value(), host_);
      return MUNJA_NN_NONE;
    }
    auto program = hal::Program::Create(std::move(model).value(), Pool(),
                                        accelerator_.delegate);
    if (!program.ok()) return ToDriver(program.status(), host_);
    *prepared = std::make_unique<Prepared>(std::move(program).value(), host_);
    return MUNJA_NN_NONE;
  }

 private:
  // By operation of the main subgraph.
  Result<std::vector<bool>> Supported(const hal::Model& model) const {
    const hal::Subgraph& main = model.main();
    std::vector<bool> known;
    for (const hal::Operation& operation : main.operations)
      known.push_back(IsKnown(model, operation, main));
    if (accelerator_.delegate == nullptr ||
        std::ranges::find(known, false) != known.end())
      return known;
    return hal::OperationsTakenBy(*accelerator_.delegate, model);
  }
  // Shared by all models; made with the first one.
  std::shared_ptr<ThreadPool> Pool() {
    const std::lock_guard lock(mutex_);
    if (pool_ == nullptr) pool_ = std::make_shared<ThreadPool>(0);
    return pool_;
  }

  const bool use_reference_;
  const munja_nn_host* const host_;
  const Accelerator accelerator_;  // Without a delegate: it is none.
  std::mutex mutex_;
  std::shared_ptr<ThreadPool> pool_;
};

}  // namespace

munja_nn_device* OpenDevice(std::string_view name, const munja_nn_host* host) {
  const bool is_reference = name == "reference";
  if (!is_reference && name != "cpu") return nullptr;
  return Complete(
      driver::Export(std::make_unique<LocalDevice>(is_reference, host)));
}

munja_nn_device* OpenAccelerator(Accelerator accelerator) {
  return Complete(
      driver::Export(std::make_unique<LocalDevice>(std::move(accelerator))));
}

}  // namespace munja::drivers::local
