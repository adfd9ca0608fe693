#include "nn/device.h"

#include <dlfcn.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <utility>

#include "base/log.h"
#include "nn/c_structs.h"
#include "nn/types.h"
#include "nn/validate.h"

namespace munja::nn {
namespace {

// Waits for a callback that any thread may make; the first one counts.
template <class Answer>
struct Waiting {
  std::mutex mutex;
  std::condition_variable changed;
  int calls = 0;
  Answer answer;

  void Set(Answer value) {
    const std::lock_guard lock(mutex);
    if (++calls == 1) answer = std::move(value);
    changed.notify_all();
  }
  bool WasSet() {
    const std::lock_guard lock(mutex);
    return calls > 0;
  }
  Answer Wait() {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return calls > 0; });
    return std::move(answer);
  }
};

Execution ReadResult(const munja_nn_result* from) {
  Execution execution;
  if (from == nullptr) return execution;
  const munja_nn_result result = ReadStruct(from);
  execution.status = result.status;
  if (result.outputs != nullptr)
    for (size_t i = 0; i < result.output_count; ++i) {
      const auto shape = ReadElement(result.outputs, i);
      OutputShape& output = execution.outputs.emplace_back();
      output.is_sufficient = shape.is_sufficient != 0;
      if (shape.dimensions != nullptr)
        output.dimensions.assign(shape.dimensions,
                                 shape.dimensions + shape.rank);
    }
  execution.on_device = result.timing.on_device;
  execution.in_driver = result.timing.in_driver;
  return execution;
}

// The rules of a result; what breaks them is a failure.
Status CheckResult(const Request& request, const Execution& execution) {
  const int32_t status = execution.status;
  if (status < MUNJA_NN_NONE || status > MUNJA_NN_RESOURCE_EXHAUSTED_PERSISTENT)
    return InvalidArgument("there is no status " + std::to_string(status));
  const bool has_shapes = !execution.outputs.empty();
  const bool is_short = status == MUNJA_NN_OUTPUT_INSUFFICIENT_SIZE;
  if (status != MUNJA_NN_NONE && !is_short && has_shapes)
    return InvalidArgument("output shapes with a failure");
  if ((has_shapes || is_short) &&
      execution.outputs.size() != request.outputs.size())
    return InvalidArgument("another number of output shapes than outputs");
  for (const OutputShape& output : execution.outputs)
    if (status == MUNJA_NN_NONE && !output.is_sufficient)
      return InvalidArgument("an output that did not fit, with success");
  if (status != MUNJA_NN_NONE && (execution.on_device != MUNJA_NN_NO_TIME ||
                                  execution.in_driver != MUNJA_NN_NO_TIME))
    return InvalidArgument("a duration of a failure");
  if (execution.on_device != MUNJA_NN_NO_TIME &&
      execution.in_driver != MUNJA_NN_NO_TIME &&
      execution.on_device > execution.in_driver)
    return InvalidArgument("more time on the device than in the driver");
  return Status();
}

void OnExecuted(void* user, const munja_nn_result* result) {
  static_cast<Waiting<Execution>*>(user)->Set(ReadResult(result));
}

// What was said, where it keeps to the rules; else a failure.
Execution Conclude(const std::string& device, const Request& request,
                   int32_t status, Waiting<Execution>& waiting) {
  // The callback comes before the return; without it there is no answer.
  if (!waiting.WasSet()) return {};
  Execution execution = waiting.Wait();
  if (execution.status != status) return {};
  if (const Status rules = CheckResult(request, execution); !rules.ok()) {
    Log(Severity::kWarning, device + ": its answer breaks the rules: " +
                                std::string(rules.message()));
    return {};
  }
  return execution;
}

struct Prepared {
  int32_t status = MUNJA_NN_GENERAL_FAILURE;
  munja_nn_prepared_model* model = nullptr;
};

void OnPrepared(void* user, int32_t status, munja_nn_prepared_model* made) {
  static_cast<Waiting<Prepared>*>(user)->Set({status, made});
}

}  // namespace

Status FromDriver(int32_t status, const std::string& what) {
  switch (status) {
    case MUNJA_NN_NONE:
      return Status();
    case MUNJA_NN_DEVICE_UNAVAILABLE:
      return Unavailable(what + ": the device is not available");
    case MUNJA_NN_OUTPUT_INSUFFICIENT_SIZE:
      return InvalidArgument(what + ": the memory of an output is too small");
    case MUNJA_NN_INVALID_ARGUMENT:
      return InvalidArgument(what + ": the driver finds the arguments wrong");
    case MUNJA_NN_MISSED_DEADLINE_TRANSIENT:
    case MUNJA_NN_MISSED_DEADLINE_PERSISTENT:
      return TimedOut(what + ": the deadline was missed");
    case MUNJA_NN_RESOURCE_EXHAUSTED_TRANSIENT:
    case MUNJA_NN_RESOURCE_EXHAUSTED_PERSISTENT:
      return OutOfMemory(what + ": the driver has not enough resources");
    default:
      return Unavailable(what + ": the driver failed");
  }
}

Execution PreparedModel::Execute(
    const Request& request, const munja_nn_execution_options& options) const {
  const RequestStruct structs(request);
  Waiting<Execution> waiting;
  const int32_t status = table_.execute(table_.self, structs.get(), &options,
                                        OnExecuted, &waiting);
  return Conclude(device_->name(), request, status, waiting);
}

std::unique_ptr<Burst> PreparedModel::CreateBurst() const {
  munja_nn_burst* burst = nullptr;
  if (table_.create_burst == nullptr ||
      table_.create_burst(table_.self, &burst) != MUNJA_NN_NONE ||
      burst == nullptr)
    return nullptr;
  std::unique_ptr<Burst> made(new Burst());
  made->device_ = device_;
  made->table_ = ReadStruct(burst);
  if (made->table_.execute == nullptr) return nullptr;
  return made;
}

Execution Burst::Execute(const Request& request,
                         const munja_nn_execution_options& options) const {
  const RequestStruct structs(request);
  const std::vector<int32_t> slots(request.pools.size(), -1);
  Waiting<Execution> waiting;
  const int32_t status = table_.execute(
      table_.self, structs.get(), slots.data(), &options, OnExecuted, &waiting);
  return Conclude(device_->name(), request, status, waiting);
}

Burst::~Burst() {
  if (table_.release != nullptr) table_.release(table_.self);
}

DeviceBuffer::~DeviceBuffer() {
  if (table_.release != nullptr) table_.release(table_.self);
}

PreparedModel::~PreparedModel() {
  if (table_.release != nullptr) table_.release(table_.self);
}

Result<std::shared_ptr<Device>> Device::Open(
    munja_nn_device* device, std::shared_ptr<const void> library) {
  if (device == nullptr) return Unavailable("the driver gave no device");
  std::shared_ptr<Device> made(new Device());
  made->table_ = ReadStruct(device);
  made->library_ = std::move(library);
  const munja_nn_device& table = made->table_;
  if (table.name != nullptr) made->name_ = table.name;
  const auto dash = made->name_.find('-');
  if (dash == 0 || dash + 1 >= made->name_.size() ||
      made->name_.find('-', dash + 1) != std::string::npos)
    return Unavailable("a device is called '" + made->name_ +
                       "', where 'vendor-device' is wanted");
  const std::string where = "device " + made->name_ + ": ";
  if (table.supported_operations == nullptr || table.prepare == nullptr ||
      table.release == nullptr || table.capabilities == nullptr)
    return Unavailable(where + "a required function is missing");
  if (table.version_string == nullptr || *table.version_string == '\0')
    return Unavailable(where + "it has no version");
  if (table.type < MUNJA_NN_DEVICE_OTHER ||
      table.type > MUNJA_NN_DEVICE_ACCELERATOR)
    return Unavailable(where + "there is no type " +
                       std::to_string(table.type));
  if (table.hal_version < MUNJA_NN_1_0)
    return Unavailable(where + "there is no version " +
                       std::to_string(table.hal_version));
  if (table.model_cache_files > MUNJA_NN_MAX_CACHE_FILES ||
      table.data_cache_files > MUNJA_NN_MAX_CACHE_FILES)
    return Unavailable(where + "it wants more cache files than there may be");
  return made;
}

Device::~Device() {
  if (table_.release != nullptr) table_.release(table_.self);
}

Result<std::vector<bool>> Device::SupportedOperations(
    const Model& model) const {
  const size_t count = model.main().operations.size();
  // One more than asked for: who writes beyond the end is found out.
  std::vector<uint8_t> supported(count + 1, 0);
  supported[count] = 0xa5;
  const ModelStruct structs(model);
  const int32_t status =
      table_.supported_operations(table_.self, structs.get(), supported.data());
  MUNJA_RETURN_IF_ERROR(
      FromDriver(status, name_ + ": asked for supported operations"));
  if (supported[count] != 0xa5)
    return Unavailable(name_ + ": it answers for more operations than asked");
  std::vector<bool> result;
  for (size_t i = 0; i < count; ++i) result.push_back(supported[i] == 1);
  return result;
}

Result<std::unique_ptr<PreparedModel>> Device::Take(
    munja_nn_prepared_model* model, const std::string& what) const {
  if (model == nullptr) return Unavailable(what + ": the driver gave none");
  std::unique_ptr<PreparedModel> result(new PreparedModel());
  result->device_ = shared_from_this();
  result->given_ = model;
  result->table_ = ReadStruct(model);
  if (result->table_.execute == nullptr || result->table_.release == nullptr)
    return Unavailable(what + ": a required function is missing");
  return result;
}

Result<std::unique_ptr<PreparedModel>> Device::Prepare(
    const Model& model, const munja_nn_compilation_options& options) const {
  const ModelStruct structs(model);
  Waiting<Prepared> waiting;
  const int32_t status = table_.prepare(table_.self, structs.get(), &options,
                                        OnPrepared, &waiting);
  const std::string what = name_ + ": preparing a model";
  if (status != MUNJA_NN_NONE && !waiting.WasSet())
    return FromDriver(status, what);
  const Prepared answer = waiting.Wait();
  MUNJA_RETURN_IF_ERROR(FromDriver(answer.status, what));
  return Take(answer.model, what);
}

Result<std::unique_ptr<PreparedModel>> Device::PrepareFromCache(
    const munja_nn_cache& cache, uint64_t deadline_ns) const {
  const std::string what = name_ + ": preparing a model from files";
  if (table_.prepare_from_cache == nullptr)
    return Unavailable(what + ": the driver cannot");
  Waiting<Prepared> waiting;
  const int32_t status = table_.prepare_from_cache(
      table_.self, deadline_ns, &cache, OnPrepared, &waiting);
  if (status != MUNJA_NN_NONE && !waiting.WasSet())
    return FromDriver(status, what);
  const Prepared answer = waiting.Wait();
  MUNJA_RETURN_IF_ERROR(FromDriver(answer.status, what));
  return Take(answer.model, what);
}

Result<std::unique_ptr<DeviceBuffer>> Device::Allocate(
    std::span<const Role> inputs, std::span<const Role> outputs) const {
  const std::string what = name_ + ": allocating memory";
  if (table_.allocate == nullptr)
    return Unavailable(what + ": the driver cannot");
  std::vector<munja_nn_prepared_model*> models;
  const auto list = [&](std::span<const Role> roles) {
    std::vector<munja_nn_buffer_role> made;
    for (const Role& role : roles) {
      const auto place = std::ranges::find(models, role.model->given_);
      const auto index = static_cast<uint32_t>(place - models.begin());
      if (place == models.end()) models.push_back(role.model->given_);
      made.push_back({sizeof(munja_nn_buffer_role), index, role.index, 1.0f});
    }
    return made;
  };
  const auto in = list(inputs), out = list(outputs);
  munja_nn_buffer_description description = {};
  description.struct_size = sizeof description;
  description.models = models.data();
  description.model_count = static_cast<uint32_t>(models.size());
  description.input_roles = in.data();
  description.input_role_count = static_cast<uint32_t>(in.size());
  description.output_roles = out.data();
  description.output_role_count = static_cast<uint32_t>(out.size());
  munja_nn_buffer* buffer = nullptr;
  MUNJA_RETURN_IF_ERROR(
      FromDriver(table_.allocate(table_.self, &description, &buffer), what));
  if (buffer == nullptr) return Unavailable(what + ": the driver gave none");
  std::unique_ptr<DeviceBuffer> made(new DeviceBuffer());
  made->device_ = shared_from_this();
  made->table_ = ReadStruct(buffer);
  if (made->table_.token == 0)
    return Unavailable(what + ": the driver gave token 0");
  return made;
}

Result<std::shared_ptr<Device>> LoadDriver(const std::string& path,
                                           const munja_nn_host* host) {
  std::string file = path;
  uint32_t index = 0;
  if (const size_t at = path.rfind('#');
      at != path.npos && at + 1 < path.size() && path.size() - at < 6 &&
      path.find_first_not_of("0123456789", at + 1) == path.npos) {
    file = path.substr(0, at);
    for (size_t i = at + 1; i < path.size(); ++i)
      index = 10 * index + static_cast<uint32_t>(path[i] - '0');
  }
  if (file.find('/') == file.npos) file = "./" + file;
  void* handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* reason = dlerror();
    return Unavailable(path + ": cannot be opened as a driver: " +
                       (reason == nullptr ? "" : reason));
  }
  const std::shared_ptr<const void> library(
      handle, [](const void* h) { dlclose(const_cast<void*>(h)); });
  const auto entry = reinterpret_cast<munja_driver_entry_function>(
      dlsym(handle, MUNJA_DRIVER_ENTRY));
  if (entry == nullptr)
    return Unavailable(path + ": is no driver: it has no " MUNJA_DRIVER_ENTRY);
  static constexpr munja_nn_host kHost = {
      sizeof(munja_nn_host), nullptr,
      [](void*, int32_t severity, const char* line) {
        if (line == nullptr || severity < MUNJA_NN_LOG_INFO) return;
        Log(severity == MUNJA_NN_LOG_INFO      ? Severity::kInfo
            : severity == MUNJA_NN_LOG_WARNING ? Severity::kWarning
                                               : Severity::kError,
            std::string("driver: ") + line);
      }};
  const munja_nn_driver driver =
      ReadStruct(entry(host == nullptr ? &kHost : host));
  if (driver.abi != MUNJA_DRIVER_ABI || driver.open == nullptr)
    return Unavailable(path + ": is a driver for another version, " +
                       std::to_string(driver.abi) + " instead of " +
                       std::to_string(MUNJA_DRIVER_ABI));
  if (index >= driver.device_count)
    return Unavailable(path + ": has " + std::to_string(driver.device_count) +
                       " devices");
  munja_nn_device* device = nullptr;
  MUNJA_RETURN_IF_ERROR(FromDriver(driver.open(driver.self, index, &device),
                                   path + ": opening a device"));
  return Device::Open(device, library);
}

}  // namespace munja::nn
