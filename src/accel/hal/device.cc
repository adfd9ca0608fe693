#include "hal/device.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <limits>
#include <mutex>
#include <utility>

#include "base/buffer.h"
#include "base/log.h"
#include "hal/c_structs.h"
#include "hal/types.h"
#include "hal/validate.h"

namespace munja::hal {
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

// The rules of a result; what breaks them is a failure.
Status CheckResult(const Request& request, const Execution& execution) {
  const int32_t status = execution.status;
  if (!IsStatus(status))
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
  if (status != MUNJA_NN_NONE &&
      (execution.timing.on_device != MUNJA_NN_NO_TIME ||
       execution.timing.in_driver != MUNJA_NN_NO_TIME))
    return InvalidArgument("a duration of a failure");
  if (execution.timing.on_device != MUNJA_NN_NO_TIME &&
      execution.timing.in_driver != MUNJA_NN_NO_TIME &&
      execution.timing.on_device > execution.timing.in_driver)
    return InvalidArgument("more time on the device than in the driver");
  return Status();
}

void OnExecuted(void* user, const munja_nn_result* result) {
  static_cast<Waiting<Execution>*>(user)->Set(ReadResult(result));
}

// The reported execution, where it keeps the rules; otherwise a failure.
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

uint64_t SteadyNow() {
  return static_cast<uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(
          std::chrono::steady_clock::now().time_since_epoch())
          .count());
}

// A driver that heeds deadlines is in time when it is told less than there is.
uint64_t Told(uint64_t deadline_ns) {
  constexpr uint64_t kMax = 20'000'000;
  const uint64_t now = SteadyNow();
  return deadline_ns <= now
             ? deadline_ns
             : deadline_ns - std::min(kMax, (deadline_ns - now) / 10);
}

// A request whose memory is its own.
class OwnRequest {
 public:
  static Result<std::shared_ptr<OwnRequest>> Create(const Request& from) {
    auto made = std::make_shared<OwnRequest>();
    made->request_ = from;
    for (Memory& pool : made->request_.pools) {
      made->buffers_.emplace_back();
      if (pool.token != 0 || pool.data == nullptr) continue;
      MUNJA_ASSIGN_OR_RETURN(made->buffers_.back(),
                             Buffer::Allocate(static_cast<size_t>(pool.bytes)));
      pool.data = made->buffers_.back().data();
      pool.fd = -1;
      pool.offset = 0;
      pool.owner = nullptr;
    }
    for (const Argument& input : from.inputs)
      Copy(from, input, made->request_, input);
    return made;
  }
  const Request& get() const { return request_; }
  void CopyOutputs(const Request& to) const {
    for (const Argument& output : to.outputs)
      Copy(request_, output, to, output);
  }

 private:
  static uint8_t* At(const Request& request, const Argument& argument) {
    const Location& at = argument.location;
    if (argument.has_no_value || at.pool >= request.pools.size())
      return nullptr;
    const Memory& pool = request.pools[at.pool];
    if (pool.token != 0 || pool.data == nullptr ||
        uint64_t{at.offset} + at.length > pool.bytes)
      return nullptr;
    return static_cast<uint8_t*>(pool.data) + at.offset;
  }
  static void Copy(const Request& from, const Argument& a, const Request& to,
                   const Argument& b) {
    const uint8_t* source = At(from, a);
    uint8_t* target = At(to, b);
    if (source != nullptr && target != nullptr)
      std::memcpy(target, source, a.location.length);
  }

  Request request_;
  std::vector<Buffer> buffers_;
};

// Cache files that stay open for as long as a driver may use them.
class OwnCache {
 public:
  explicit OwnCache(const munja_nn_cache& from) : cache_(ReadStruct(&from)) {
    const auto copy = [](const int32_t* fds, uint32_t count,
                         std::vector<int32_t>& to) {
      for (uint32_t i = 0; i < count; ++i)
        to.push_back(fcntl(fds[i], F_DUPFD_CLOEXEC, 3));
      return to.data();
    };
    cache_.model_fds = copy(from.model_fds, from.model_fd_count, model_);
    cache_.data_fds = copy(from.data_fds, from.data_fd_count, data_);
  }
  ~OwnCache() {
    for (const auto* list : {&model_, &data_})
      for (const int32_t fd : *list)
        if (fd >= 0) close(fd);
  }
  OwnCache(const OwnCache&) = delete;
  OwnCache& operator=(const OwnCache&) = delete;
  const munja_nn_cache& get() const { return cache_; }

 private:
  munja_nn_cache cache_;
  std::vector<int32_t> model_, data_;
};

}  // namespace

// The result of preparing.
struct Device::Answer {
  // The callback's status; the call's where there was no callback.
  int32_t status = MUNJA_NN_GENERAL_FAILURE;
  munja_nn_prepared_model* model = nullptr;
};

Status Device::CheckHere(const std::string& what) const {
  const int count = left_behind();
  if (count == 0) return Status();
  return Unavailable(name_ + ": " + what + ": the driver is set aside, " +
                     std::to_string(count) +
                     " of its calls missed the deadline and are not back");
}

bool Device::IsGuarded(uint64_t deadline_ns) const {
  return keeper_ == Keeper::kDevice && deadline_ns != 0 &&
         deadline_ns <=
             static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
}

void Device::Release(void (*release)(void*), void* self) const {
  if (release == nullptr) return;
  guard_->WhenBack([release, self] { release(self); });
}

Execution Device::Run(const Request& request,
                      const munja_nn_execution_options& options,
                      const ExecuteFunction& run) const {
  Execution refused;
  refused.status = MUNJA_NN_DEVICE_UNAVAILABLE;
  if (!CheckHere("a request").ok()) return refused;
  if (!IsGuarded(options.deadline_ns)) return run(request, options);
  refused.status = MUNJA_NN_MISSED_DEADLINE_TRANSIENT;
  if (SteadyNow() >= options.deadline_ns) return refused;
  const auto own = OwnRequest::Create(request);
  if (!own.ok()) {
    refused.status = MUNJA_NN_RESOURCE_EXHAUSTED_TRANSIENT;
    return refused;
  }
  munja_nn_execution_options told = options;
  told.deadline_ns = Told(options.deadline_ns);
  auto execution = guard_->Run<Execution>(
      options.deadline_ns,
      [self = shared_from_this(), own = *own, told, run] {
        return run(own->get(), told);
      },
      [](const Execution&) {});
  if (!execution) {
    Log(Severity::kWarning,
        name_ +
            ": a request missed its deadline; its thread is left behind and "
            "the driver is set aside until it is back");
    return refused;
  }
  if (execution->status == MUNJA_NN_NONE) (*own)->CopyOutputs(request);
  return *std::move(execution);
}

Result<std::unique_ptr<PreparedModel>> Device::RunPrepare(
    uint64_t deadline_ns, std::function<Answer()> run,
    std::vector<Memory> pools, const std::string& what) const {
  Answer answer;
  if (!IsGuarded(deadline_ns)) {
    answer = run();
  } else {
    const auto back = guard_->Run<Answer>(
        deadline_ns, std::move(run),
        [self = shared_from_this(), pools](const Answer& late) {
          if (late.status != MUNJA_NN_NONE || late.model == nullptr) return;
          const munja_nn_prepared_model table = ReadStruct(late.model);
          if (table.release != nullptr) table.release(table.self);
        });
    if (!back)
      return TimedOut(what +
                      ": the deadline was missed; the thread is left behind "
                      "and the driver is set aside until it is back");
    answer = *back;
  }
  MUNJA_RETURN_IF_ERROR(FromDriver(answer.status, what));
  return Take(answer.model, std::move(pools), what);
}

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
      return OutOfMemory(what + ": the driver lacks resources");
    default:
      return Unavailable(what + ": the driver failed");
  }
}

Execution PreparedModel::Execute(
    const Request& request, const munja_nn_execution_options& options) const {
  return device_->Run(
      request, options,
      [table = table_, name = device_->name()](
          const Request& own, const munja_nn_execution_options& how) {
        const RequestStruct structs(own);
        Waiting<Execution> waiting;
        const int32_t status = table.execute(table.self, structs.get(), &how,
                                             OnExecuted, &waiting);
        return Conclude(name, own, status, waiting);
      });
}

std::optional<Execution> PreparedModel::ExecuteAsync(
    const Request& request, const munja_nn_execution_options& options) const {
  if (table_.execute_async == nullptr) return std::nullopt;
  return device_->Run(
      request, options,
      [table = table_, name = device_->name()](
          const Request& own, const munja_nn_execution_options& how) {
        const RequestStruct structs(own);
        Waiting<Execution> waiting;
        const int32_t status = table.execute_async(table.self, structs.get(),
                                                   &how, OnExecuted, &waiting);
        if (status != MUNJA_NN_NONE)
          return Conclude(name, own, status, waiting);
        Execution execution = waiting.Wait();
        if (!CheckResult(own, execution).ok()) return Execution();
        return execution;
      });
}

namespace {

Execution RunFenced(const munja_nn_prepared_model& table,
                    const Request& request,
                    const munja_nn_execution_options& options) {
  const RequestStruct structs(request);
  int32_t fence = -1;
  munja_nn_fence_info* given = nullptr;
  Execution execution;
  execution.status = table.execute_fenced(table.self, structs.get(), &options,
                                          nullptr, 0, 0, &fence, &given);
  if (execution.status != MUNJA_NN_NONE) return execution;
  if (fence >= 0) {
    // Done: readable and writable; failed: only readable (munja/driver.h).
    pollfd waiting = {fence, POLLIN, 0};
    while (poll(&waiting, 1, -1) < 0 && errno == EINTR) {
    }
    waiting.events = POLLIN | POLLOUT;
    poll(&waiting, 1, 0);
    close(fence);
    if ((waiting.revents & POLLOUT) == 0)
      execution.status = MUNJA_NN_GENERAL_FAILURE;
  }
  if (given == nullptr) return execution;
  const munja_nn_fence_info info = ReadStruct(given);
  munja_nn_timing launched = {}, fenced = {};
  if (info.query != nullptr) {
    const int32_t status = info.query(info.self, &launched, &fenced);
    if (execution.status == MUNJA_NN_NONE) execution.status = status;
  }
  if (info.release != nullptr) info.release(info.self);
  return execution;
}

}  // namespace

std::optional<Execution> PreparedModel::ExecuteFenced(
    const Request& request, const munja_nn_execution_options& options) const {
  if (table_.execute_fenced == nullptr) return std::nullopt;
  return device_->Run(request, options,
                      [table = table_](const Request& own,
                                       const munja_nn_execution_options& how) {
                        return RunFenced(table, own, how);
                      });
}

std::unique_ptr<Burst> PreparedModel::CreateBurst() const {
  munja_nn_burst* burst = nullptr;
  if (table_.create_burst == nullptr || device_->left_behind() > 0 ||
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
  return device_->Run(
      request, options,
      [table = table_, name = device_->name()](
          const Request& own, const munja_nn_execution_options& how) {
        const RequestStruct structs(own);
        const std::vector<int32_t> slots(own.pools.size(), -1);
        Waiting<Execution> waiting;
        const int32_t status =
            table.execute(table.self, structs.get(), slots.data(), &how,
                          OnExecuted, &waiting);
        return Conclude(name, own, status, waiting);
      });
}

Burst::~Burst() { device_->Release(table_.release, table_.self); }

namespace {

munja_nn_memory MemoryStruct(const Memory& memory) {
  return {sizeof(munja_nn_memory),
          memory.data,
          memory.bytes,
          memory.fd,
          memory.token,
          memory.offset};
}

}  // namespace

Status DeviceBuffer::CopyFrom(const Memory& memory,
                              const Dimensions& dimensions) const {
  const std::string what = device_->name() + ": filling a buffer";
  MUNJA_RETURN_IF_ERROR(device_->CheckHere("filling a buffer"));
  if (table_.copy_from == nullptr)
    return Unavailable(what + ": the driver cannot");
  const munja_nn_memory from = MemoryStruct(memory);
  return FromDriver(table_.copy_from(table_.self, &from, dimensions.data(),
                                     static_cast<uint32_t>(dimensions.size())),
                    what);
}

Status DeviceBuffer::CopyTo(const Memory& memory) const {
  const std::string what = device_->name() + ": reading a buffer";
  MUNJA_RETURN_IF_ERROR(device_->CheckHere("reading a buffer"));
  if (table_.copy_to == nullptr)
    return Unavailable(what + ": the driver cannot");
  const munja_nn_memory to = MemoryStruct(memory);
  return FromDriver(table_.copy_to(table_.self, &to), what);
}

DeviceBuffer::~DeviceBuffer() { device_->Release(table_.release, table_.self); }

PreparedModel::~PreparedModel() {
  // The driver may read the model's constants until it is released.
  if (table_.release != nullptr)
    device_->guard_->WhenBack([release = table_.release, self = table_.self,
                               pools = std::move(pools_)] { release(self); });
}

Result<std::shared_ptr<Device>> Device::Open(
    munja_nn_device* device, std::shared_ptr<const void> library,
    Keeper keeper) {
  if (device == nullptr) return Unavailable("the driver gave no device");
  std::shared_ptr<Device> made(new Device());
  made->table_ = ReadStruct(device);
  made->library_ = std::move(library);
  made->keeper_ = keeper;
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
  MUNJA_RETURN_IF_ERROR(CheckHere("asked for supported operations"));
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
    munja_nn_prepared_model* model, std::vector<Memory> pools,
    const std::string& what) const {
  if (model == nullptr) return Unavailable(what + ": the driver gave none");
  std::unique_ptr<PreparedModel> result(new PreparedModel());
  result->device_ = shared_from_this();
  result->given_ = model;
  result->pools_ = std::move(pools);
  result->table_ = ReadStruct(model);
  if (result->table_.execute == nullptr || result->table_.release == nullptr)
    return Unavailable(what + ": a required function is missing");
  return result;
}

namespace {

struct Made {
  int32_t status = MUNJA_NN_GENERAL_FAILURE;
  munja_nn_prepared_model* model = nullptr;
};

void OnPrepared(void* user, int32_t status, munja_nn_prepared_model* made) {
  static_cast<Waiting<Made>*>(user)->Set({status, made});
}

// begin: starts preparing, with a callback and what it is for.
template <class Begin>
Made WaitForModel(const Begin& begin) {
  Waiting<Made> waiting;
  const int32_t status = begin(OnPrepared, &waiting);
  if (status != MUNJA_NN_NONE && !waiting.WasSet()) return {status, nullptr};
  return waiting.Wait();
}

}  // namespace

Result<std::unique_ptr<PreparedModel>> Device::Prepare(
    const Model& model, const munja_nn_compilation_options& options) const {
  MUNJA_RETURN_IF_ERROR(CheckHere("preparing a model"));
  const std::string what = name_ + ": preparing a model";
  const auto run = [self = shared_from_this()](
                       const Model& of,
                       const munja_nn_compilation_options& how) -> Answer {
    const ModelStruct structs(of);
    const Made made = WaitForModel([&](munja_nn_prepared prepared, void* user) {
      return self->table_.prepare(self->table_.self, structs.get(), &how,
                                  prepared, user);
    });
    return {made.status, made.model};
  };
  if (!IsGuarded(options.deadline_ns))
    return RunPrepare(
        0, [&] { return run(model, options); }, model.pools, what);
  // The driver may still use these after the caller stopped waiting.
  const auto own = std::make_shared<const Model>(model);
  munja_nn_compilation_options told = options;
  told.deadline_ns = Told(options.deadline_ns);
  std::shared_ptr<const OwnCache> cache;
  if (options.cache != nullptr) {
    cache = std::make_shared<const OwnCache>(*options.cache);
    told.cache = &cache->get();
  }
  return RunPrepare(
      options.deadline_ns, [run, own, cache, told] { return run(*own, told); },
      model.pools, what);
}

Result<std::unique_ptr<PreparedModel>> Device::PrepareFromCache(
    const munja_nn_cache& cache, uint64_t deadline_ns) const {
  MUNJA_RETURN_IF_ERROR(CheckHere("preparing a model from files"));
  const std::string what = name_ + ": preparing a model from files";
  if (table_.prepare_from_cache == nullptr)
    return Unavailable(what + ": the driver cannot");
  const bool is_guarded = IsGuarded(deadline_ns);
  const uint64_t told = is_guarded ? Told(deadline_ns) : deadline_ns;
  const auto own = std::make_shared<const OwnCache>(cache);
  return RunPrepare(
      deadline_ns,
      [self = shared_from_this(), own, told]() -> Answer {
        const Made made =
            WaitForModel([&](munja_nn_prepared prepared, void* user) {
              return self->table_.prepare_from_cache(
                  self->table_.self, told, &own->get(), prepared, user);
            });
        return {made.status, made.model};
      },
      {}, what);
}

Result<std::unique_ptr<DeviceBuffer>> Device::Allocate(
    std::span<const Role> inputs, std::span<const Role> outputs) const {
  const std::string what = name_ + ": allocating memory";
  MUNJA_RETURN_IF_ERROR(CheckHere("allocating memory"));
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
  return Device::Open(device, library, Keeper::kDevice);
}

}  // namespace munja::hal
