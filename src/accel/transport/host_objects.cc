#include "transport/host_objects.h"

#include <utility>

namespace munja::hal {
namespace {

// The first result that a driver gives for a request that it runs at once.
struct Collected {
  bool was_called = false;
  Execution answer;

  static void Executed(void* user, const munja_nn_result* result) {
    auto* collected = static_cast<Collected*>(user);
    if (!collected->was_called) collected->answer = ReadResult(result);
    collected->was_called = true;
  }
};

}  // namespace

munja_nn_execution_options ToOptions(const WireOptions& options) {
  munja_nn_execution_options to = {};
  to.struct_size = sizeof to;
  to.measure = options.measure ? 1 : 0;
  to.deadline_ns = options.deadline_ns;
  to.loop_timeout_ns = options.loop_timeout_ns;
  return to;
}

HostBurst::HostBurst(HostSession* session, std::shared_ptr<HostModel> model,
                     const munja_nn_burst& table,
                     std::shared_ptr<SharedMemory> memory)
    : session_(session),
      model_(std::move(model)),
      table_(table),
      memory_(std::move(memory)),
      requests_(memory_->data()),
      results_(memory_->data() + kQueueBytes),
      thread_([this] { Serve(); }) {}

HostBurst::~HostBurst() {
  is_over_.store(true, std::memory_order_release);
  requests_.Ring();
  thread_.join();
  if (table_.release != nullptr) table_.release(table_.self);
}

void HostBurst::Forget(uint32_t memory) {
  std::shared_ptr<const void> kept;
  {
    const std::lock_guard lock(mutex_);
    const auto found = slots_.find(memory);
    if (found == slots_.end()) return;
    kept = std::move(found->second);
    slots_.erase(found);
  }
  if (table_.forget != nullptr)
    table_.forget(table_.self, static_cast<int32_t>(memory));
}

void HostBurst::Serve() {
  std::vector<Element> packet;
  while (requests_.Wait(UINT64_MAX, is_over_)) {
    if (is_over_.load(std::memory_order_acquire)) return;
    // A client whose positions make no sense gets no more answers.
    if (!requests_.Read(&packet).ok()) return;
    session_->KeepOrder();
    Result<NumberedRequest> read = ReadRequestPacket(packet);
    Execution answer;
    answer.status = MUNJA_NN_INVALID_ARGUMENT;
    uint32_t number = 0;
    if (read.ok()) {
      number = read->number;
      answer = Execute(read->request);
    }
    session_->KeepOrder();
    if (results_.Write(ResultPacket(answer, number)).ok()) continue;
    answer = {};  // Longer than the queue.
    if (!results_.Write(ResultPacket(answer, number)).ok()) return;
  }
}

Execution HostBurst::Execute(const WireRequest& request) {
  Execution answer;
  Bound bound;
  answer.status = session_->Bind(*model_, request, false, &bound);
  if (answer.status != MUNJA_NN_NONE) return answer;
  {
    const std::lock_guard lock(mutex_);
    for (size_t i = 0; i < bound.slots.size(); ++i)
      if (bound.slots[i] >= 0)
        slots_.emplace(static_cast<uint32_t>(bound.slots[i]),
                       bound.request.pools[i].owner);
  }
  const RequestStruct structs(bound.request);
  const munja_nn_execution_options options = ToOptions(request.options);
  Collected collected;
  const int32_t status =
      table_.execute != nullptr
          ? table_.execute(table_.self, structs.get(), bound.slots.data(),
                           &options, Collected::Executed, &collected)
          : model_->table.execute(model_->table.self, structs.get(), &options,
                                  Collected::Executed, &collected);
  if (collected.was_called) return collected.answer;
  answer.status =
      status == MUNJA_NN_NONE ? int32_t{MUNJA_NN_GENERAL_FAILURE} : status;
  return answer;
}

}  // namespace munja::hal
