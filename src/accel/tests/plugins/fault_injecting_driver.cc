// The fault-injecting driver: a plug-in for tests that adds two float32 tensors
// of one shape, with a fault where the input asks for one (see Fault).
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "munja/driver.h"
#include "tests/plugins/fault_injecting_driver.h"

namespace {

using munja::hal::Fault;

void Sleep(int milliseconds) {
  std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
}

// Without the sanitizer's handler, which would print a long report.
void Die(int number) {
  signal(number, SIG_DFL);
  raise(number);
}

uint64_t Now() {
  return static_cast<uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(
          std::chrono::steady_clock::now().time_since_epoch())
          .count());
}

struct Buffer {
  munja_nn_buffer table = {};
  std::vector<uint8_t> bytes;
  bool is_written = false;
};

struct Device {
  munja_nn_device table = {};
  std::mutex mutex;
  std::map<uint32_t, Buffer*> buffers;
  uint32_t next_token = 1;
  bool is_full = false;
  bool claims_all = false;
};

struct Prepared {
  munja_nn_prepared_model table = {};
  Device* device = nullptr;
  uint32_t elements = 0;
  float scale = 1.0f;
  std::atomic<int> under_way{0};
};

// The memory of an argument; null: it has none.
uint8_t* Find(Device* device, const munja_nn_request& request,
              const munja_nn_argument& argument, size_t bytes,
              bool is_written) {
  const munja_nn_memory& pool = request.pools[argument.location.pool];
  if (pool.token == 0)
    return argument.location.length < bytes
               ? nullptr
               : static_cast<uint8_t*>(pool.data) + argument.location.offset;
  const std::lock_guard lock(device->mutex);
  const auto found = device->buffers.find(pool.token);
  if (found == device->buffers.end()) return nullptr;
  Buffer& buffer = *found->second;
  if (is_written) buffer.is_written = true;
  return buffer.is_written && buffer.bytes.size() == bytes ? buffer.bytes.data()
                                                           : nullptr;
}

int32_t Tell(const munja_nn_result& result, munja_nn_executed executed,
             void* user) {
  executed(user, &result);
  return result.status;
}

int32_t Run(Prepared* model, const munja_nn_request& request,
            const munja_nn_execution_options* options,
            munja_nn_executed executed, void* user) {
  const uint64_t begin = Now();
  munja_nn_result result = {};
  result.struct_size = sizeof result;
  result.timing = {MUNJA_NN_NO_TIME, MUNJA_NN_NO_TIME};
  const size_t bytes = model->elements * sizeof(float);
  const auto* a = reinterpret_cast<const float*>(
      Find(model->device, request, request.inputs[0], bytes, false));
  const auto* b = reinterpret_cast<const float*>(
      Find(model->device, request, request.inputs[1], bytes, false));
  if (a == nullptr || b == nullptr) {
    result.status = MUNJA_NN_GENERAL_FAILURE;
    return Tell(result, executed, user);
  }
  munja_nn_output_shape shape = {sizeof(munja_nn_output_shape), 1, 1,
                                 &model->elements};
  result.outputs = &shape;
  result.output_count = 1;
  switch (static_cast<Fault>(static_cast<int>(a[0]))) {
    case Fault::kNone:
    case Fault::kWrongResult:
      break;
    case Fault::kLate:
      if (options != nullptr && options->deadline_ns < INT64_MAX)
        while (Now() < options->deadline_ns) Sleep(1);
      Sleep(300);
      break;
    case Fault::kCrash:
      Die(SIGSEGV);
      break;
    case Fault::kExit:
      _exit(0);
    case Fault::kHang:
      for (;;) Sleep(1000);
    case Fault::kSlow:
      Sleep(300);
      break;
    case Fault::kUnknownStatus:
      result.status = 77;
      result.output_count = 0;
      return Tell(result, executed, user);
    case Fault::kManyShapes: {
      const std::vector<munja_nn_output_shape> shapes(100, shape);
      result.outputs = shapes.data();
      result.output_count = 100;
      return Tell(result, executed, user);
    }
    case Fault::kWrongTiming:
      result.timing = {9, 3};
      break;
    case Fault::kProtocolError: {
      const std::array<char, 100> junk = {'n', 'o'};
      [[maybe_unused]] const ssize_t written =
          write(3, junk.data(), junk.size());
      for (;;) Sleep(1000);
    }
    case Fault::kNoCallback:
      return MUNJA_NN_NONE;
    case Fault::kCallsTwice:
      result.status = MUNJA_NN_RESOURCE_EXHAUSTED_TRANSIENT;
      result.output_count = 0;
      executed(user, &result);
      break;
    case Fault::kStop:
      kill(getpid(), SIGSTOP);
      for (;;) Sleep(1000);  // It takes a moment to stop all threads.
    case Fault::kRespectsCancel:
      while (options->deadline_ns == 0 || Now() < options->deadline_ns)
        Sleep(1);
      result.status = MUNJA_NN_MISSED_DEADLINE_PERSISTENT;
      result.output_count = 0;
      return Tell(result, executed, user);
  }
  auto* sum = reinterpret_cast<float*>(
      Find(model->device, request, request.outputs[0], bytes, true));
  if (sum == nullptr) {
    shape.is_sufficient = 0;
    result.status = MUNJA_NN_OUTPUT_INSUFFICIENT_SIZE;
    return Tell(result, executed, user);
  }
  for (uint32_t i = 0; i < model->elements; ++i)
    sum[i] = model->scale * (a[i] + b[i]);
  if (static_cast<Fault>(static_cast<int>(a[0])) == Fault::kWrongResult)
    sum[0] += 1;
  if (options != nullptr && options->measure != 0 &&
      result.timing.on_device == MUNJA_NN_NO_TIME)
    result.timing.in_driver = (Now() - begin) / 1000;
  return Tell(result, executed, user);
}

int32_t Execute(void* self, const munja_nn_request* request,
                const munja_nn_execution_options* options,
                munja_nn_executed executed, void* user) {
  return Run(static_cast<Prepared*>(self), *request, options, executed, user);
}

// A copy of a request's structs, for a thread.
struct Copied {
  std::vector<munja_nn_argument> inputs, outputs;
  std::vector<munja_nn_memory> pools;
  munja_nn_request request = {};
  munja_nn_execution_options options = {};

  Copied(const munja_nn_request& from, const munja_nn_execution_options& with)
      : inputs(from.inputs, from.inputs + from.input_count),
        outputs(from.outputs, from.outputs + from.output_count),
        pools(from.pools, from.pools + from.pool_count),
        request(from),
        options(with) {
    request.inputs = inputs.data();
    request.outputs = outputs.data();
    request.pools = pools.data();
  }
};

int32_t ExecuteAsync(void* self, const munja_nn_request* request,
                     const munja_nn_execution_options* options,
                     munja_nn_executed executed, void* user) {
  auto* model = static_cast<Prepared*>(self);
  ++model->under_way;
  std::thread([model, executed, user,
               copied = std::make_shared<Copied>(*request, *options)] {
    Run(model, copied->request, &copied->options, executed, user);
    --model->under_way;
  }).detach();
  return MUNJA_NN_NONE;
}

struct FenceInfo {
  munja_nn_fence_info table = {};
  std::atomic<int32_t> status{MUNJA_NN_GENERAL_FAILURE};
  std::thread thread;
  int fence = -1;
};

int32_t ExecuteFenced(void* self, const munja_nn_request* request,
                      const munja_nn_execution_options* options, const int32_t*,
                      uint32_t, uint64_t, int32_t* fence,
                      munja_nn_fence_info** info) {
  auto* model = static_cast<Prepared*>(self);
  auto* made = new FenceInfo();
  made->table.struct_size = sizeof made->table;
  made->table.self = made;
  made->table.query = [](void* of, munja_nn_timing* launched,
                         munja_nn_timing* fenced) {
    *launched = *fenced = {MUNJA_NN_NO_TIME, MUNJA_NN_NO_TIME};
    return static_cast<FenceInfo*>(of)->status.load();
  };
  made->table.release = [](void* of) {
    static_cast<FenceInfo*>(of)->thread.join();
    close(static_cast<FenceInfo*>(of)->fence);
    delete static_cast<FenceInfo*>(of);
  };
  *fence = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  made->fence = dup(*fence);
  made->thread = std::thread(
      [model, made, copied = std::make_shared<Copied>(*request, *options)] {
        made->status = Run(
            model, copied->request, &copied->options,
            [](void*, const munja_nn_result*) {}, nullptr);
        const uint64_t value = made->status == MUNJA_NN_NONE
                                   ? MUNJA_NN_FENCE_DONE
                                   : MUNJA_NN_FENCE_FAILED;
        [[maybe_unused]] const ssize_t written =
            write(made->fence, &value, sizeof value);
      });
  *info = &made->table;
  return MUNJA_NN_NONE;
}

// Remembers the memory of each slot.
struct Burst {
  munja_nn_burst table = {};
  Prepared* model = nullptr;
  std::mutex mutex;
  std::map<int32_t, void*> kept;
};

int32_t CreateBurst(void* self, munja_nn_burst** burst) {
  auto* made = new Burst();
  made->model = static_cast<Prepared*>(self);
  made->table.struct_size = sizeof made->table;
  made->table.self = made;
  made->table.execute = [](void* of, const munja_nn_request* request,
                           const int32_t* slots,
                           const munja_nn_execution_options* options,
                           munja_nn_executed executed, void* user) {
    auto* it = static_cast<Burst*>(of);
    Copied copied(*request, *options);
    for (size_t i = 0; i < copied.pools.size(); ++i) {
      if (slots[i] < 0) continue;
      const std::lock_guard lock(it->mutex);
      copied.pools[i].data =
          it->kept.try_emplace(slots[i], copied.pools[i].data).first->second;
    }
    return Run(it->model, copied.request, &copied.options, executed, user);
  };
  made->table.forget = [](void* of, int32_t slot) {
    const std::lock_guard lock(static_cast<Burst*>(of)->mutex);
    static_cast<Burst*>(of)->kept.erase(slot);
  };
  made->table.release = [](void* of) { delete static_cast<Burst*>(of); };
  *burst = &made->table;
  return MUNJA_NN_NONE;
}

// The code of a number of our extension in this model; 0: none.
int32_t Named(const munja_nn_model& model, uint16_t number) {
  for (uint32_t i = 0; i < model.extension_count; ++i)
    if (std::strcmp(model.extensions[i].name, munja::hal::kTestExtension) == 0)
      return static_cast<int32_t>(uint32_t{model.extensions[i].prefix} << 16 |
                                  number);
  return 0;
}

bool IsAddition(const Device& device, const munja_nn_model& model,
                float* scale) {
  const munja_nn_subgraph& main = model.subgraphs[0];
  *scale = 1.0f;
  if (main.operation_count != 1 || main.input_count != 2) return false;
  const int32_t operation = main.operations[0].type;
  const int32_t type = main.operands[main.inputs[0]].type;
  if (operation == MUNJA_NN_ADD) return type == MUNJA_NN_TENSOR_FLOAT32;
  const munja_nn_operand& output = main.operands[main.outputs[0]];
  if (!device.is_full || operation != Named(model, munja::hal::kScaledAdd) ||
      type != Named(model, munja::hal::kScaledTensor) || output.type != type ||
      output.extension_bytes != sizeof *scale)
    return false;
  std::memcpy(scale, output.extension_data, sizeof *scale);
  return true;
}

uint32_t Elements(const munja_nn_model& model) {
  const munja_nn_operand& first =
      model.subgraphs[0].operands[model.subgraphs[0].inputs[0]];
  uint32_t elements = 1;
  for (uint32_t i = 0; i < first.rank; ++i) elements *= first.dimensions[i];
  return elements;
}

int32_t Supported(void* self, const munja_nn_model* model, uint8_t* supported) {
  const Device& device = *static_cast<Device*>(self);
  float scale = 1.0f;
  for (uint32_t i = 0; i < model->subgraphs[0].operation_count; ++i)
    supported[i] =
        device.claims_all || IsAddition(device, *model, &scale) ? 1 : 0;
  return MUNJA_NN_NONE;
}

int32_t Give(Device* device, uint32_t elements, float scale,
             munja_nn_prepared prepared, void* user) {
  auto* made = new Prepared();
  made->device = device;
  made->elements = elements;
  made->scale = scale;
  made->table.struct_size = sizeof made->table;
  made->table.self = made;
  made->table.execute = Execute;
  if (device->is_full) {
    made->table.execute_async = ExecuteAsync;
    made->table.execute_fenced = ExecuteFenced;
    made->table.create_burst = CreateBurst;
  }
  made->table.release = [](void* of) {
    while (static_cast<Prepared*>(of)->under_way != 0) Sleep(1);
    delete static_cast<Prepared*>(of);
  };
  prepared(user, MUNJA_NN_NONE, &made->table);
  return MUNJA_NN_NONE;
}

// The cache file: a magic word, the token, the element count and the scale.
struct Saved {
  uint32_t word = 0x59444f4d;
  std::array<uint8_t, MUNJA_NN_CACHE_TOKEN_BYTES> token = {};
  uint32_t elements = 0;
  float scale = 1.0f;
};

int32_t Prepare(void* self, const munja_nn_model* model,
                const munja_nn_compilation_options* options,
                munja_nn_prepared prepared, void* user) {
  float scale = 1.0f;
  if (static_cast<Device*>(self)->claims_all) {
    prepared(user, MUNJA_NN_GENERAL_FAILURE, nullptr);
    return MUNJA_NN_GENERAL_FAILURE;
  }
  if (!IsAddition(*static_cast<Device*>(self), *model, &scale)) {
    prepared(user, MUNJA_NN_INVALID_ARGUMENT, nullptr);
    return MUNJA_NN_INVALID_ARGUMENT;
  }
  const uint32_t elements = Elements(*model);
  if (elements == munja::hal::kElementsThatCrash) Die(SIGABRT);
  if (options->cache != nullptr && options->cache->model_fd_count == 1) {
    Saved saved;
    std::memcpy(saved.token.data(), options->cache->token, saved.token.size());
    saved.elements = elements;
    saved.scale = scale;
    [[maybe_unused]] const ssize_t written =
        pwrite(options->cache->model_fds[0], &saved, sizeof saved, 0);
  }
  return Give(static_cast<Device*>(self), elements, scale, prepared, user);
}

int32_t PrepareFromCache(void* self, uint64_t, const munja_nn_cache* cache,
                         munja_nn_prepared prepared, void* user) {
  Saved saved;
  const uint32_t word = saved.word;
  if (cache->model_fd_count == 1 &&
      pread(cache->model_fds[0], &saved, sizeof saved, 0) == sizeof saved &&
      saved.word == word &&
      std::memcmp(saved.token.data(), cache->token, saved.token.size()) == 0)
    return Give(static_cast<Device*>(self), saved.elements, saved.scale,
                prepared, user);
  prepared(user, MUNJA_NN_GENERAL_FAILURE, nullptr);
  return MUNJA_NN_GENERAL_FAILURE;
}

int32_t Allocate(void* self, const munja_nn_buffer_description* description,
                 munja_nn_buffer** buffer) {
  auto* device = static_cast<Device*>(self);
  auto* made = new Buffer();
  made->bytes.resize(
      static_cast<Prepared*>(description->models[0]->self)->elements *
      sizeof(float));
  made->table.struct_size = sizeof made->table;
  made->table.self = made;
  made->table.copy_to = [](void* of, const munja_nn_memory* memory) {
    auto* it = static_cast<Buffer*>(of);
    if (!it->is_written) return int32_t{MUNJA_NN_GENERAL_FAILURE};
    if (memory->bytes != it->bytes.size())
      return int32_t{MUNJA_NN_INVALID_ARGUMENT};
    std::memcpy(memory->data, it->bytes.data(), it->bytes.size());
    return int32_t{MUNJA_NN_NONE};
  };
  made->table.copy_from = [](void* of, const munja_nn_memory* memory,
                             const uint32_t*, uint32_t) {
    auto* it = static_cast<Buffer*>(of);
    if (memory->bytes != it->bytes.size())
      return int32_t{MUNJA_NN_INVALID_ARGUMENT};
    std::memcpy(it->bytes.data(), memory->data, it->bytes.size());
    it->is_written = true;
    return int32_t{MUNJA_NN_NONE};
  };
  // The table of a device outlives its buffers; its map forgets them late.
  made->table.release = [](void* of) { delete static_cast<Buffer*>(of); };
  const std::lock_guard lock(device->mutex);
  made->table.token = device->next_token++;
  device->buffers[made->table.token] = made;
  *buffer = &made->table;
  return MUNJA_NN_NONE;
}

constexpr munja_nn_operand_performance kPerformance = {
    sizeof(munja_nn_operand_performance),
    MUNJA_NN_TENSOR_FLOAT32,
    {0.5f, 0.25f}};
constexpr munja_nn_capabilities kCapabilities = {sizeof(munja_nn_capabilities),
                                                 {1, 1},
                                                 {1, 2},
                                                 &kPerformance,
                                                 1,
                                                 {3, 1},
                                                 {4, 1}};
constexpr munja_nn_extension_type kType = {sizeof(munja_nn_extension_type),
                                           munja::hal::kScaledTensor, 1, 4};
constexpr munja_nn_extension kExtension = {
    sizeof(munja_nn_extension), munja::hal::kTestExtension, &kType, 1};

int32_t Open(void*, uint32_t index, munja_nn_device** device) {
  auto* made = new Device();
  made->is_full = index == static_cast<uint32_t>(munja::hal::TestDevice::kFull);
  made->claims_all =
      index == static_cast<uint32_t>(munja::hal::TestDevice::kClaims);
  munja_nn_device& table = made->table;
  table.struct_size = sizeof table;
  table.self = made;
  table.name = made->is_full      ? "test-full"
               : made->claims_all ? "test-claims"
                                  : "test-plain";
  table.version_string = "test 1";
  table.type = MUNJA_NN_DEVICE_ACCELERATOR;
  table.hal_version = MUNJA_NN_1_3;
  table.capabilities = &kCapabilities;
  table.supported_operations = Supported;
  table.prepare = Prepare;
  table.release = [](void* of) { delete static_cast<Device*>(of); };
  if (made->is_full) {
    table.extensions = &kExtension;
    table.extension_count = 1;
    table.model_cache_files = 1;
    table.status = [](void*) { return int32_t{MUNJA_NN_DEVICE_BUSY}; };
    table.prepare_from_cache = PrepareFromCache;
    table.allocate = Allocate;
  }
  *device = &table;
  return MUNJA_NN_NONE;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) const munja_nn_driver*
munja_driver_entry(const munja_nn_host* host) {
  static constexpr munja_nn_driver kDriver = {
      sizeof(munja_nn_driver), MUNJA_DRIVER_ABI, 3, nullptr, Open};
  host->log(host->self, MUNJA_NN_LOG_INFO,
            "hello from the fault-injecting driver");
  return &kDriver;
}
