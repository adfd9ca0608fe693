#include "drivers/local/complete_device.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <cstring>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "drivers/local/device_memory.h"
#include "hal/c_structs.h"
#include "hal/execution.h"
#include "hal/fence.h"
#include "hal/manager/cache.h"
#include "hal/serialize.h"
#include "hal/types.h"
#include "hal/validate.h"
#include "munja/driver.hpp"

namespace munja::drivers::local {
namespace {

using driver::internal::Guarded;
using hal::Execution;
using hal::ReadStruct;

Execution Failed(int32_t status) {
  Execution answer;
  answer.status = status;
  return answer;
}

int32_t Tell(const Execution& answer, munja_nn_executed executed, void* user) {
  if (executed != nullptr) hal::ReportResult(answer, executed, user);
  return answer.status;
}

// ---- Files of compiled models: all that the model is ----

constexpr std::string_view kMagic = "munja-nn-local-1";
constexpr size_t kHead = kMagic.size() + 2 * MUNJA_NN_CACHE_TOKEN_BYTES;

// The model with its constants in one pool, which `bytes` hold.
hal::Model Gathered(const hal::Model& from, std::vector<uint8_t>* bytes) {
  constexpr size_t kAlignment = 64;
  hal::Model model = from;
  for (hal::Subgraph& subgraph : model.subgraphs)
    for (hal::Operand& operand : subgraph.operands) {
      if (operand.lifetime != MUNJA_NN_CONSTANT_REFERENCE) continue;
      const uint8_t* data = from.ConstantData(operand);
      const size_t at = (bytes->size() + kAlignment - 1) / kAlignment;
      bytes->resize(at * kAlignment);
      operand.location = {0, static_cast<uint32_t>(bytes->size()),
                          operand.location.length};
      bytes->insert(bytes->end(), data, data + operand.location.length);
    }
  model.pools.resize(bytes->empty() ? 0 : 1);
  return model;
}

// Digest of the token, the device and the content.
Result<hal::CacheToken> Seal(const munja_nn_device& device,
                             const uint8_t* token,
                             std::span<const uint8_t> content) {
  std::vector<uint8_t> all(token, token + MUNJA_NN_CACHE_TOKEN_BYTES);
  for (const std::string_view text : {device.name, device.version_string}) {
    all.insert(all.end(), text.begin(), text.end());
    all.push_back(0);
  }
  all.insert(all.end(), content.begin(), content.end());
  return hal::DigestOf(all);
}

void Save(const munja_nn_device& device, const munja_nn_cache& cache,
          const hal::Model& model) {
  if (cache.model_fd_count != 1 || cache.model_fds == nullptr ||
      cache.data_fd_count != 0)
    return;
  std::vector<uint8_t> constants;
  const hal::Model gathered = Gathered(model, &constants);
  if (constants.size() > UINT32_MAX) return;
  hal::ByteWriter content;
  hal::PutModel(gathered, std::vector<uint32_t>(gathered.pools.size()),
                content);
  content.PutList(constants);
  const auto seal = Seal(device, cache.token, content.bytes());
  if (!seal.ok()) return;
  std::vector<uint8_t> file(kMagic.begin(), kMagic.end());
  file.insert(file.end(), cache.token,
              cache.token + MUNJA_NN_CACHE_TOKEN_BYTES);
  file.insert(file.end(), seal->begin(), seal->end());
  file.insert(file.end(), content.bytes().begin(), content.bytes().end());
  const int fd = cache.model_fds[0];
  if (ftruncate(fd, 0) != 0) return;
  for (size_t at = 0; at < file.size();) {
    const ssize_t n =
        pwrite(fd, file.data() + at, file.size() - at, static_cast<off_t>(at));
    if (n < 0 && errno == EINTR) continue;
    // Half a file is found out when it is read.
    if (n <= 0) return;
    at += static_cast<size_t>(n);
  }
}

// The model that was saved under the token; nothing: it was not.
std::optional<hal::Model> Load(const munja_nn_device& device,
                               const munja_nn_cache& cache) {
  struct stat about = {};
  constexpr off_t kMax = off_t{1} << 33;
  const int fd = cache.model_fds[0];
  if (fstat(fd, &about) != 0 || about.st_size < off_t{kHead} ||
      about.st_size > kMax)
    return std::nullopt;
  // A copy: the file may change meanwhile.
  std::vector<uint8_t> file(static_cast<size_t>(about.st_size));
  for (size_t at = 0; at < file.size();) {
    const ssize_t n =
        pread(fd, file.data() + at, file.size() - at, static_cast<off_t>(at));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return std::nullopt;
    at += static_cast<size_t>(n);
  }
  const std::span<const uint8_t> all = file;
  const auto token = all.subspan(kMagic.size(), MUNJA_NN_CACHE_TOKEN_BYTES);
  const auto content = all.subspan(kHead);
  if (std::memcmp(file.data(), kMagic.data(), kMagic.size()) != 0 ||
      std::memcmp(token.data(), cache.token, token.size()) != 0)
    return std::nullopt;
  const auto seal = Seal(device, cache.token, content);
  if (!seal.ok() || std::memcmp(seal->data(), all.data() + kHead - seal->size(),
                                seal->size()) != 0)
    return std::nullopt;
  hal::ByteReader from(content);
  std::vector<uint32_t> pools;
  hal::Model model = hal::GetModel(from, pools);
  const auto constants =
      std::make_shared<std::vector<uint8_t>>(from.GetList<uint8_t>());
  if (!from.IsDone()) return std::nullopt;
  for (hal::Memory& pool : model.pools) {
    pool.data = constants->data();
    pool.bytes = constants->size();
    pool.owner = constants;
  }
  if (!hal::ValidateModel(model).ok()) return std::nullopt;
  return model;
}

// ---- The device ----

struct CompleteModel;

struct CompleteDevice {
  munja_nn_device table = {}, plain = {};
  DeviceMemory memory;
  std::mutex mutex;
  std::set<const void*> models;  // The live ones.

  int32_t Prepare(hal::Model model, const munja_nn_compilation_options& options,
                  munja_nn_prepared prepared, void* user);
};

struct CompleteModel {
  munja_nn_prepared_model table = {}, plain = {};
  CompleteDevice* device = nullptr;
  hal::Model model;  // Its constants are those of `plain`.
  std::mutex mutex;
  std::condition_variable changed;
  int under_way = 0;

  CompleteModel() = default;
  ~CompleteModel() {
    {
      std::unique_lock lock(mutex);
      changed.wait(lock, [&] { return under_way == 0; });
    }
    {
      const std::lock_guard lock(device->mutex);
      device->models.erase(this);
    }
    if (plain.release != nullptr) plain.release(plain.self);
  }
  CompleteModel(const CompleteModel&) = delete;
  CompleteModel& operator=(const CompleteModel&) = delete;

  // As long as it lives the model does.
  struct UnderWay {
    explicit UnderWay(CompleteModel& of) : model(of) {
      const std::lock_guard lock(model.mutex);
      ++model.under_way;
    }
    ~UnderWay() {
      const std::lock_guard lock(model.mutex);
      --model.under_way;
      model.changed.notify_all();
    }
    UnderWay(const UnderWay&) = delete;
    UnderWay& operator=(const UnderWay&) = delete;
    CompleteModel& model;
  };

  // The request without buffers; what it is checked by.
  int32_t Check(const hal::Request& request, bool outputs_known) const {
    if (!hal::ValidateRequest(model, request, outputs_known).ok())
      return MUNJA_NN_INVALID_ARGUMENT;
    for (const hal::Memory& pool : request.pools)
      if (pool.token != 0 && device->memory.Find(pool.token) == nullptr)
        return MUNJA_NN_INVALID_ARGUMENT;
    return MUNJA_NN_NONE;
  }

  Execution Run(hal::Request request,
                const munja_nn_execution_options& options) {
    BoundBuffers buffers;
    int32_t status = Check(request, false);
    if (status == MUNJA_NN_NONE)
      status = buffers.Bind(device->memory, this, &request);
    if (status != MUNJA_NN_NONE) return Failed(status);
    const hal::RequestStruct structs(request);
    Execution answer;
    plain.execute(
        plain.self, structs.get(), &options,
        [](void* to, const munja_nn_result* result) {
          *static_cast<Execution*>(to) = hal::ReadResult(result);
        },
        &answer);
    std::vector<const hal::Dimensions*> shapes;
    for (const hal::OutputShape& shape : answer.outputs)
      shapes.push_back(&shape.dimensions);
    status = buffers.Conclude(answer.status, shapes);
    return status == answer.status ? answer : Failed(status);
  }

  int32_t Execute(const munja_nn_request* from,
                  const munja_nn_execution_options* options,
                  munja_nn_executed executed, void* user) {
    const munja_nn_request read = ReadStruct(from);
    bool has_buffers = false;
    for (uint32_t i = 0; i < read.pool_count && read.pools != nullptr; ++i)
      has_buffers = has_buffers || hal::ReadElement(read.pools, i).token != 0;
    if (!has_buffers)
      return plain.execute(plain.self, from, options, executed, user);
    Execution answer;
    answer.status = Guarded([&]() -> int32_t {
      auto request = hal::ReadRequest(from);
      if (!request.ok()) return MUNJA_NN_INVALID_ARGUMENT;
      answer = Run(std::move(request).value(), ReadStruct(options));
      return answer.status;
    });
    return Tell(answer, executed, user);
  }

  // In a thread of its own, which `release` waits for.
  template <class Task>
  void Start(Task task) {
    auto run = std::make_unique<UnderWay>(*this);
    std::thread([run = std::move(run), task = std::move(task)]() mutable {
      // The task is destroyed before the model may be.
      { Task(std::move(task))(); }
      run = nullptr;
    }).detach();
  }

  int32_t ExecuteAsync(const munja_nn_request* from,
                       const munja_nn_execution_options* options,
                       munja_nn_executed executed, void* user) {
    if (executed == nullptr) return MUNJA_NN_INVALID_ARGUMENT;
    const int32_t status = Guarded([&]() -> int32_t {
      auto read = hal::ReadRequest(from);
      if (!read.ok()) return MUNJA_NN_INVALID_ARGUMENT;
      const auto request =
          std::make_shared<const hal::Request>(std::move(read).value());
      if (const int32_t wrong = Check(*request, false); wrong != MUNJA_NN_NONE)
        return wrong;
      Start([this, request, how = ReadStruct(options), executed, user] {
        Execution answer;
        answer.status = Guarded([&] {
          answer = Run(*request, how);
          return answer.status;
        });
        Tell(answer, executed, user);
      });
      return MUNJA_NN_NONE;
    });
    if (status != MUNJA_NN_NONE) Tell(Failed(status), executed, user);
    return status;
  }

  int32_t ExecuteFenced(const munja_nn_request* from,
                        const munja_nn_execution_options* options,
                        const int32_t* wait_for, uint32_t wait_count,
                        uint64_t duration_ns, int32_t* fence,
                        munja_nn_fence_info** info);
  int32_t CreateBurst(munja_nn_burst** burst);
};

CompleteModel* ModelOf(void* self) { return static_cast<CompleteModel*>(self); }
CompleteDevice* DeviceOf(void* self) {
  return static_cast<CompleteDevice*>(self);
}

// Until all are signalled. MUNJA_NN_NONE, or why not.
int32_t WaitForFences(const std::vector<Descriptor>& fences,
                      uint64_t deadline_ns) {
  for (const Descriptor& fence : fences)
    for (;;) {
      int wait_ms = -1;
      if (deadline_ns != 0) {
        const uint64_t now = hal::MonotonicNow();
        if (now >= deadline_ns) return MUNJA_NN_MISSED_DEADLINE_TRANSIENT;
        constexpr uint64_t kMinute = 60'000;
        wait_ms = static_cast<int>(
            std::min(kMinute, (deadline_ns - now) / 1'000'000 + 1));
      }
      pollfd state = {fence.get(), POLLIN, 0};
      const int ready = poll(&state, 1, wait_ms);
      if (ready < 0 && errno != EINTR) return MUNJA_NN_GENERAL_FAILURE;
      if (ready <= 0) continue;
      if (hal::IsFailedFence(fence.get())) return MUNJA_NN_GENERAL_FAILURE;
      break;
    }
  return MUNJA_NN_NONE;
}

int32_t CompleteModel::ExecuteFenced(const munja_nn_request* from,
                                     const munja_nn_execution_options* options,
                                     const int32_t* wait_for,
                                     uint32_t wait_count, uint64_t duration_ns,
                                     int32_t* fence,
                                     munja_nn_fence_info** info) {
  if (fence == nullptr || info == nullptr) return MUNJA_NN_INVALID_ARGUMENT;
  *fence = -1;
  *info = nullptr;
  return Guarded([&]() -> int32_t {
    auto read = hal::ReadRequest(from);
    if (!read.ok()) return MUNJA_NN_INVALID_ARGUMENT;
    const auto request =
        std::make_shared<const hal::Request>(std::move(read).value());
    if (const int32_t wrong = Check(*request, true); wrong != MUNJA_NN_NONE)
      return wrong;
    const auto fences = std::make_shared<std::vector<Descriptor>>();
    for (uint32_t i = 0; i < wait_count; ++i) {
      if (wait_for == nullptr || hal::IsFailedFence(wait_for[i]))
        return MUNJA_NN_INVALID_ARGUMENT;
      fences->push_back(hal::Duplicate(wait_for[i]));
      if (fences->back().get() < 0) return MUNJA_NN_INVALID_ARGUMENT;
    }
    const auto fenced = std::make_shared<hal::Fenced>();
    fenced->begun_ns = hal::MonotonicNow();
    fenced->fence = Descriptor(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    Descriptor callers = hal::Duplicate(fenced->fence.get());
    if (callers.get() < 0) return MUNJA_NN_RESOURCE_EXHAUSTED_TRANSIENT;
    Start([this, request, fences, fenced, duration_ns,
           how = ReadStruct(options)]() mutable {
      Execution answer;
      answer.status = Guarded([&] {
        const uint64_t until =
            how.deadline_ns == MUNJA_NN_UNLIMITED ? 0 : how.deadline_ns;
        if (const int32_t status = WaitForFences(*fences, until);
            status != MUNJA_NN_NONE)
          return status;
        munja_nn_execution_options limited = how;
        const uint64_t now = hal::MonotonicNow();
        if (duration_ns != 0 && duration_ns < UINT64_MAX - now)
          limited.deadline_ns = until == 0 ? now + duration_ns
                                           : std::min(until, now + duration_ns);
        answer = Run(*request, limited);
        return answer.status;
      });
      fenced->Finish(answer, how.measure != 0);
    });
    *info = hal::FenceInfo::Make(fenced);
    *fence = callers.Release();
    return MUNJA_NN_NONE;
  });
}

// Pools need not be mapped again here: slots mean nothing.
struct CompleteBurst {
  munja_nn_burst table = {};
  CompleteModel* model = nullptr;

  static int32_t Execute(void* self, const munja_nn_request* request,
                         const int32_t*,
                         const munja_nn_execution_options* options,
                         munja_nn_executed executed, void* user) {
    return static_cast<CompleteBurst*>(self)->model->Execute(request, options,
                                                             executed, user);
  }
  static void Release(void* self) { delete static_cast<CompleteBurst*>(self); }
};

int32_t CompleteModel::CreateBurst(munja_nn_burst** burst) {
  if (burst == nullptr) return MUNJA_NN_INVALID_ARGUMENT;
  return Guarded([&]() -> int32_t {
    auto* made = new CompleteBurst();
    made->model = this;
    made->table = {sizeof made->table, made, CompleteBurst::Execute, nullptr,
                   CompleteBurst::Release};
    *burst = &made->table;
    return MUNJA_NN_NONE;
  });
}

munja_nn_prepared_model ModelTable(CompleteModel* model) {
  munja_nn_prepared_model table = {};
  table.struct_size = sizeof table;
  table.self = model;
  table.execute = [](void* self, const munja_nn_request* request,
                     const munja_nn_execution_options* options,
                     munja_nn_executed executed, void* user) {
    return ModelOf(self)->Execute(request, options, executed, user);
  };
  table.execute_async = [](void* self, const munja_nn_request* request,
                           const munja_nn_execution_options* options,
                           munja_nn_executed executed, void* user) {
    return ModelOf(self)->ExecuteAsync(request, options, executed, user);
  };
  table.execute_fenced = [](void* self, const munja_nn_request* request,
                            const munja_nn_execution_options* options,
                            const int32_t* wait_for, uint32_t wait_count,
                            uint64_t duration_ns, int32_t* fence,
                            munja_nn_fence_info** info) {
    return ModelOf(self)->ExecuteFenced(request, options, wait_for, wait_count,
                                        duration_ns, fence, info);
  };
  table.create_burst = [](void* self, munja_nn_burst** burst) {
    return ModelOf(self)->CreateBurst(burst);
  };
  table.release = [](void* self) { delete ModelOf(self); };
  return table;
}

// The result of the plain device.
struct Given {
  int32_t status = MUNJA_NN_GENERAL_FAILURE;
  munja_nn_prepared_model* model = nullptr;
};

int32_t CompleteDevice::Prepare(hal::Model model,
                                const munja_nn_compilation_options& options,
                                munja_nn_prepared prepared, void* user) {
  if (prepared == nullptr) return MUNJA_NN_INVALID_ARGUMENT;
  std::unique_ptr<CompleteModel> made;
  const int32_t status = Guarded([&]() -> int32_t {
    const hal::ModelStruct structs(model);
    Given given;
    const int32_t result = plain.prepare(
        plain.self, structs.get(), &options,
        [](void* to, int32_t is, munja_nn_prepared_model* it) {
          *static_cast<Given*>(to) = {is, it};
        },
        &given);
    if (given.model == nullptr)
      return result != MUNJA_NN_NONE ? result : MUNJA_NN_GENERAL_FAILURE;
    made = std::make_unique<CompleteModel>();
    made->device = this;
    made->plain = ReadStruct(given.model);
    made->model = std::move(model);
    made->table = ModelTable(made.get());
    const std::lock_guard lock(mutex);
    models.insert(made.get());
    return MUNJA_NN_NONE;
  });
  if (status == MUNJA_NN_NONE && options.cache != nullptr)
    Guarded([&] {  // Without effect on what was prepared.
      Save(table, ReadStruct(options.cache), made->model);
      return int32_t{MUNJA_NN_NONE};
    });
  prepared(user, status,
           status == MUNJA_NN_NONE ? &made.release()->table : nullptr);
  return status;
}

int32_t PrepareModel(void* self, const munja_nn_model* from,
                     const munja_nn_compilation_options* options,
                     munja_nn_prepared prepared, void* user) {
  if (prepared == nullptr) return MUNJA_NN_INVALID_ARGUMENT;
  auto model = hal::ReadModel(from);
  if (model.ok())
    return DeviceOf(self)->Prepare(std::move(model).value(),
                                   ReadStruct(options), prepared, user);
  prepared(user, MUNJA_NN_INVALID_ARGUMENT, nullptr);
  return MUNJA_NN_INVALID_ARGUMENT;
}

int32_t PrepareFromCache(void* self, uint64_t deadline_ns,
                         const munja_nn_cache* from, munja_nn_prepared prepared,
                         void* user) {
  if (prepared == nullptr) return MUNJA_NN_INVALID_ARGUMENT;
  std::optional<hal::Model> model;
  const int32_t status = Guarded([&]() -> int32_t {
    const munja_nn_cache cache = ReadStruct(from);
    if (cache.model_fd_count != 1 || cache.model_fds == nullptr ||
        cache.data_fd_count != 0)
      return MUNJA_NN_INVALID_ARGUMENT;
    model = Load(DeviceOf(self)->table, cache);
    return model ? MUNJA_NN_NONE : MUNJA_NN_GENERAL_FAILURE;
  });
  if (status != MUNJA_NN_NONE) {
    prepared(user, status, nullptr);
    return status;
  }
  munja_nn_compilation_options options = {};
  options.struct_size = sizeof options;
  options.preference = MUNJA_NN_PREFER_FAST_SINGLE_ANSWER;
  options.priority = MUNJA_NN_PRIORITY_MEDIUM;
  options.deadline_ns = deadline_ns;
  return DeviceOf(self)->Prepare(std::move(*model), options, prepared, user);
}

int32_t Allocate(void* self, const munja_nn_buffer_description* from,
                 munja_nn_buffer** buffer) {
  if (buffer == nullptr) return MUNJA_NN_INVALID_ARGUMENT;
  *buffer = nullptr;
  return Guarded([&]() -> int32_t {
    CompleteDevice& device = *DeviceOf(self);
    const munja_nn_buffer_description read = ReadStruct(from);
    if ((read.rank > 0 && read.dimensions == nullptr) ||
        (read.model_count > 0 && read.models == nullptr))
      return MUNJA_NN_INVALID_ARGUMENT;
    std::vector<DeviceMemory::Use> uses;
    const std::lock_guard lock(device.mutex);
    const auto add = [&](const munja_nn_buffer_role* roles, uint32_t count,
                         bool is_output) {
      for (uint32_t i = 0; i < count; ++i) {
        if (roles == nullptr) return false;
        const munja_nn_buffer_role role = hal::ReadElement(roles, i);
        if (role.model >= read.model_count ||
            !(role.frequency > 0.0f && role.frequency <= 1.0f))
          return false;
        const void* of = ReadStruct(read.models[role.model]).self;
        if (!device.models.contains(of)) return false;
        const hal::Subgraph& main =
            static_cast<const CompleteModel*>(of)->model.main();
        const auto& list = is_output ? main.outputs : main.inputs;
        if (role.index >= list.size()) return false;
        uses.push_back(
            {{of, is_output, role.index}, &main.operands[list[role.index]]});
      }
      return true;
    };
    if (!add(read.input_roles, read.input_role_count, false) ||
        !add(read.output_roles, read.output_role_count, true))
      return MUNJA_NN_INVALID_ARGUMENT;
    const hal::Dimensions dimensions =
        read.rank == 0
            ? hal::Dimensions()
            : hal::Dimensions(read.dimensions, read.dimensions + read.rank);
    return device.memory.Allocate(uses, dimensions, buffer);
  });
}

}  // namespace

munja_nn_device* Complete(munja_nn_device* plain) {
  if (plain == nullptr) return nullptr;
  auto* made = new CompleteDevice();
  made->plain = ReadStruct(plain);
  made->table = made->plain;
  munja_nn_device& table = made->table;
  table.struct_size = sizeof table;
  table.self = made;
  table.model_cache_files = 1;
  table.data_cache_files = 0;
  table.status = [](void* self) {
    const munja_nn_device& of = DeviceOf(self)->plain;
    return of.status == nullptr ? int32_t{MUNJA_NN_DEVICE_AVAILABLE}
                                : of.status(of.self);
  };
  table.supported_operations = [](void* self, const munja_nn_model* model,
                                  uint8_t* supported) {
    const munja_nn_device& of = DeviceOf(self)->plain;
    return of.supported_operations(of.self, model, supported);
  };
  table.prepare = PrepareModel;
  table.prepare_from_cache = PrepareFromCache;
  table.allocate = Allocate;
  table.idle = nullptr;
  table.release = [](void* self) {
    const munja_nn_device of = DeviceOf(self)->plain;
    delete DeviceOf(self);
    of.release(of.self);
  };
  return &table;
}

}  // namespace munja::drivers::local
