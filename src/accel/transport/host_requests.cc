// Requests that a client sends to its host: executions, and their bursts.
#include <poll.h>

#include <atomic>
#include <cerrno>
#include <memory>
#include <utility>
#include <vector>

#include "hal/c_structs.h"
#include "hal/fence.h"
#include "hal/validate.h"
#include "transport/host_objects.h"
#include "transport/host_session.h"

namespace munja::hal {

// A request that a driver runs, until it says what became of it.
struct Running {
  HostSession* session = nullptr;
  uint64_t serial = 0;
  std::shared_ptr<HostModel> model;
  Bound bound;
  std::unique_ptr<RequestStruct> structs;
  munja_nn_execution_options options = {};
  std::atomic<bool> is_answered{false};
  std::shared_ptr<Running> self;  // Until then.

  void Answer(const Execution& answer) {
    if (is_answered.exchange(true)) return;
    HostSession* const of = session;
    of->AnswerExecution(serial, answer);
    // Not here, where the driver is in its callback: the model may end with it,
    // and this at any moment from here on.
    of->workers_.Submit([last = std::move(self)] {});
    of->End();
  }
  static void Executed(void* user, const munja_nn_result* result) {
    static_cast<Running*>(user)->Answer(ReadResult(result));
  }
};

int32_t HostSession::Bind(const HostModel& model, const WireRequest& request,
                          bool outputs_known, Bound* bound) {
  bound->request.inputs = request.inputs;
  bound->request.outputs = request.outputs;
  std::vector<bool> is_writable;
  for (const WirePool& pool : request.pools) {
    Memory& memory = bound->request.pools.emplace_back();
    is_writable.push_back(true);
    bound->slots.push_back(-1);
    if (pool.is_buffer) {
      std::shared_ptr<HostBuffer> buffer = BufferOf(pool.id);
      if (buffer == nullptr) return MUNJA_NN_INVALID_ARGUMENT;
      memory.token = buffer->table.token;
      bound->buffers.push_back(std::move(buffer));
      continue;
    }
    std::shared_ptr<SharedMemory> shared = MemoryOf(pool.id);
    if (shared == nullptr || pool.bytes == 0 || pool.bytes > shared->bytes())
      return MUNJA_NN_INVALID_ARGUMENT;
    memory.data = shared->data();
    memory.bytes = pool.bytes;
    memory.fd = shared->fd();
    memory.offset = shared->offset();
    is_writable.back() = shared->is_writable();
    bound->slots.back() = static_cast<int32_t>(pool.id);
    memory.owner = std::move(shared);
  }
  const auto is_inside = [&](const Argument& argument, bool is_output) {
    if (argument.has_no_value) return !is_output;
    const Location& at = argument.location;
    if (at.pool >= bound->request.pools.size()) return false;
    if (is_output && !is_writable[at.pool]) return false;
    const Memory& pool = bound->request.pools[at.pool];
    return pool.token != 0
               ? at.offset == 0 && at.length == 0
               : at.offset <= pool.bytes && at.length <= pool.bytes - at.offset;
  };
  for (const Argument& input : request.inputs)
    if (!is_inside(input, false)) return MUNJA_NN_INVALID_ARGUMENT;
  for (const Argument& output : request.outputs)
    if (!is_inside(output, true)) return MUNJA_NN_INVALID_ARGUMENT;
  // Only the driver knows the operands of a model from a cache.
  if (model.model.has_value() &&
      !ValidateRequest(*model.model, bound->request, outputs_known).ok())
    return MUNJA_NN_INVALID_ARGUMENT;
  return MUNJA_NN_NONE;
}

void HostSession::Execute(const Message& message) {
  ByteReader from(message.payload);
  auto running = std::make_shared<Running>();
  running->session = this;
  running->serial = message.serial;
  running->model = ModelOf(from.Get<uint32_t>());
  const bool is_async = from.GetFlag();
  const WireRequest request = GetRequest(from);
  int32_t status = MUNJA_NN_INVALID_ARGUMENT;
  if (from.IsDone() && running->model != nullptr)
    status = Bind(*running->model, request, false, &running->bound);
  if (status != MUNJA_NN_NONE)
    return AnswerStatusOfExecution(message.serial, status);
  running->structs = std::make_unique<RequestStruct>(running->bound.request);
  running->options = ToOptions(request.options);
  running->self = running;
  Begin();
  workers_.Submit([running, is_async] {
    const munja_nn_prepared_model& table = running->model->table;
    const auto execute = is_async && table.execute_async != nullptr
                             ? table.execute_async
                             : table.execute;
    const int32_t result =
        execute(table.self, running->structs->get(), &running->options,
                Running::Executed, running.get());
    Execution answer;
    if (execute == table.execute && result == MUNJA_NN_NONE) {
      running->Answer(answer);  // It must have been called.
    } else if (result != MUNJA_NN_NONE) {
      answer.status = result;
      running->Answer(answer);
    }
  });
}

void HostSession::AnswerStatusOfExecution(uint64_t serial, int32_t status) {
  Execution answer;
  answer.status = status;
  AnswerExecution(serial, answer);
}

void HostSession::ExecuteFenced(const Message& message) {
  ByteReader from(message.payload);
  auto running = std::make_shared<Running>();
  running->model = ModelOf(from.Get<uint32_t>());
  const auto duration_ns = from.Get<uint64_t>();
  const WireRequest request = GetRequest(from);
  int32_t status = MUNJA_NN_INVALID_ARGUMENT;
  if (from.IsDone() && running->model != nullptr)
    status = Bind(*running->model, request, true, &running->bound);
  if (status != MUNJA_NN_NONE)
    return AnswerStatusOfExecution(message.serial, status);
  running->structs = std::make_unique<RequestStruct>(running->bound.request);
  running->options = ToOptions(request.options);
  workers_.Submit([this, running, duration_ns, serial = message.serial] {
    const munja_nn_prepared_model& table = running->model->table;
    Execution answer;
    if (table.execute_fenced == nullptr) {
      const auto executed = [](void* user, const munja_nn_result* result) {
        *static_cast<Execution*>(user) = ReadResult(result);
      };
      if (duration_ns != 0 && running->options.deadline_ns == 0)
        running->options.deadline_ns = MonotonicNow() + duration_ns;
      const int32_t result =
          table.execute(table.self, running->structs->get(), &running->options,
                        executed, &answer);
      if (result != MUNJA_NN_NONE) answer.status = result;
      answer.outputs.clear();
      return AnswerExecution(serial, answer);
    }
    int32_t fence = -1;
    munja_nn_fence_info* info = nullptr;
    answer.status = table.execute_fenced(table.self, running->structs->get(),
                                         &running->options, nullptr, 0,
                                         duration_ns, &fence, &info);
    const Descriptor owned(fence);
    const munja_nn_fence_info asked = ReadStruct(info);
    if (answer.status == MUNJA_NN_NONE) {
      pollfd wait = {owned.get(), POLLIN, 0};
      while (owned.get() >= 0 && poll(&wait, 1, -1) < 0 && errno == EINTR) {
      }
      munja_nn_timing launched = {MUNJA_NN_NO_TIME, MUNJA_NN_NO_TIME};
      if (asked.query != nullptr)
        answer.status = asked.query(asked.self, &launched, &answer.timing);
      else if (owned.get() >= 0 && (wait.revents & POLLOUT) == 0)
        answer.status = MUNJA_NN_GENERAL_FAILURE;
    }
    if (asked.release != nullptr) asked.release(asked.self);
    AnswerExecution(serial, answer);
  });
}

void HostSession::CreateBurst(Message message) {
  ByteReader from(message.payload);
  const auto id = from.Get<uint32_t>();
  const std::shared_ptr<HostModel> model = ModelOf(from.Get<uint32_t>());
  const bool is_valid =
      from.IsDone() && model != nullptr && message.files.size() == 1;
  auto memory =
      is_valid
          ? SharedMemory::Map(std::move(message.files[0]), 0, 2 * kQueueBytes,
                              SharedMemory::kReadWrite)
          : Result<std::shared_ptr<SharedMemory>>(InvalidArgument("no queues"));
  if (!memory.ok() || !memory.value()->is_writable())
    return AnswerStatus(message.serial, MUNJA_NN_INVALID_ARGUMENT);
  workers_.Submit(
      [this, id, model, memory = memory.value(), serial = message.serial] {
        munja_nn_burst table = {};
        int32_t status = MUNJA_NN_NONE;
        if (model->table.create_burst != nullptr) {
          munja_nn_burst* burst = nullptr;
          status = model->table.create_burst(model->table.self, &burst);
          if (status == MUNJA_NN_NONE) table = ReadStruct(burst);
          if (status == MUNJA_NN_NONE && table.execute == nullptr)
            status = MUNJA_NN_GENERAL_FAILURE;
        }
        if (status == MUNJA_NN_NONE) {
          auto made = std::make_shared<HostBurst>(this, model, table, memory);
          const std::lock_guard lock(tables_);
          if (!bursts_.emplace(id, std::move(made)).second)
            status = MUNJA_NN_INVALID_ARGUMENT;
        }
        AnswerStatus(serial, status);
      });
}

}  // namespace munja::hal
