#include "transport/remote_burst.h"

#include <utility>
#include <vector>

#include "hal/c_structs.h"

namespace munja::hal {
namespace {

bool IsSame(const Memory& a, const Memory& b) {
  return a.data == b.data && a.bytes == b.bytes && a.fd == b.fd &&
         a.offset == b.offset;
}

}  // namespace

struct RemoteBurst::Tables {
  static RemoteBurst* Of(void* self) { return static_cast<RemoteBurst*>(self); }
  static int32_t Execute(void* self, const munja_nn_request* request,
                         const int32_t* slots,
                         const munja_nn_execution_options* options,
                         munja_nn_executed executed, void* user) {
    return Of(self)->Execute(request, slots, options, executed, user);
  }
  static void Forget(void* self, int32_t slot) { Of(self)->Forget(slot); }
  static void Release(void* self) {
    if (!Of(self)->model_->device()->IsForeign()) delete Of(self);
  }
};

RemoteBurst::RemoteBurst(RemoteModel* model) : model_(model) {
  table_.struct_size = sizeof table_;
  table_.self = this;
  table_.execute = Tables::Execute;
  table_.forget = Tables::Forget;
  table_.release = Tables::Release;
}

RemoteBurst::~RemoteBurst() {
  const std::shared_ptr<Connection> connection = ready_on_.lock();
  if (connection != nullptr && !connection->is_lost())
    PostRelease(*connection, ObjectKind::kBurst, id_);
}

int32_t RemoteBurst::Create(RemoteModel* model, munja_nn_burst** burst) {
  if (burst == nullptr) return MUNJA_NN_INVALID_ARGUMENT;
  *burst = nullptr;
  RemoteDevice* const device = model->device();
  if (device->IsForeign()) return MUNJA_NN_DEVICE_UNAVAILABLE;
  std::unique_ptr<RemoteBurst> made(new RemoteBurst(model));
  const Deadline deadline =
      RemoteDevice::DeadlineOf(0, device->options().other_ns);
  int32_t status = MUNJA_NN_NONE;
  const auto connection = device->Acquire(deadline, &status);
  if (connection == nullptr) return status;
  {
    const std::lock_guard lock(made->mutex_);
    status = made->Ensure(connection, deadline);
  }
  if (status == MUNJA_NN_NONE) *burst = &made.release()->table_;
  return status;
}

int32_t RemoteBurst::Ensure(const std::shared_ptr<Connection>& connection,
                            const Deadline& deadline) {
  uint32_t model = 0;
  const int32_t status = model_->Ensure(connection, deadline, &model);
  if (status != MUNJA_NN_NONE || ready_on_.lock() == connection) return status;
  auto queues = SharedMemory::Create(2 * kQueueBytes);
  if (!queues.ok()) return MUNJA_NN_RESOURCE_EXHAUSTED_TRANSIENT;
  const uint32_t id = model_->device()->NewId();
  ByteWriter to;
  to.Put(id);
  to.Put(model);
  Connection::Call call;
  call.message = {
      MessageType::kCreateBurst, 0, to.Take(), {queues.value()->fd()}, *queues};
  call.deadline = deadline;
  call.grace_ns = model_->device()->options().other_ns;
  call.late = [weak = std::weak_ptr(connection), id](const Message&) {
    if (const auto on = weak.lock(); on != nullptr)
      PostRelease(*on, ObjectKind::kBurst, id);
  };
  const Connection::Reply reply = connection->Ask(std::move(call));
  if (!reply.is_answered) return reply.status;
  ByteReader from(reply.answer.payload);
  const auto answered = from.Get<int32_t>();
  if (!from.IsDone() || !IsStatus(answered)) return MUNJA_NN_GENERAL_FAILURE;
  if (answered != MUNJA_NN_NONE) return answered;
  queues_ = std::move(queues).value();
  requests_.emplace(queues_->data());
  results_.emplace(queues_->data() + kQueueBytes);
  connection->AddBell(queues_);
  id_ = id;
  ready_on_ = connection;
  return MUNJA_NN_NONE;
}

int32_t RemoteBurst::Ship(const Request& request, const int32_t* slots,
                          const munja_nn_execution_options& options,
                          const Deadline& deadline, Shipment* to) {
  int32_t status = RemoteModel::Describe(request, options, deadline, to);
  for (size_t i = 0; i < request.pools.size() && status == MUNJA_NN_NONE; ++i) {
    const Memory& pool = request.pools[i];
    if (pool.token != 0) {
      status = model_->AddBuffer(pool.token, to);
      continue;
    }
    const int32_t name = slots == nullptr ? -1 : slots[i];
    auto found = name < 0 ? slots_.end() : slots_.find(name);
    if (found != slots_.end() && !IsSame(found->second.memory, pool)) {
      Drop(found->second);
      slots_.erase(found);
      found = slots_.end();
    }
    if (found != slots_.end()) {
      RemoteModel::AddPool(request, i, found->second.region,
                           found->second.is_staged, to);
      continue;
    }
    bool is_staged = false;
    auto region = model_->device()->RegionOf(pool, &is_staged);
    if (!region.ok()) return MUNJA_NN_RESOURCE_EXHAUSTED_TRANSIENT;
    RemoteModel::AddPool(request, i, *region, is_staged, to);
    if (name >= 0) {
      slots_[name] = {pool, *region, is_staged};
    } else {
      to->unnamed.push_back(*region);
    }
  }
  return status;
}

int32_t RemoteBurst::Deliver(const std::shared_ptr<Connection>& connection,
                             const Deadline& deadline,
                             const Shipment& shipment) {
  bool is_news = false;
  for (RemoteBuffer* buffer : shipment.buffers)
    if (const int32_t status = buffer->Ensure(connection, deadline);
        status != MUNJA_NN_NONE)
      return status;
  for (const auto& region : shipment.regions)
    is_news = Region::Tell(region, connection) || is_news;
  if (!is_news) return MUNJA_NN_NONE;
  // The queue does not wait for the socket.
  Connection::Call call;
  call.message.type = MessageType::kSync;
  call.deadline = deadline;
  call.grace_ns = model_->device()->options().grace_ns;
  const Connection::Reply reply = connection->Ask(std::move(call));
  return reply.is_answered ? int32_t{MUNJA_NN_NONE} : reply.status;
}

Execution RemoteBurst::Exchange(const std::shared_ptr<Connection>& connection,
                                const Deadline& deadline,
                                const Shipment& shipment) {
  Execution answer;
  answer.status = MUNJA_NN_DEVICE_UNAVAILABLE;
  const uint32_t number = ++number_;
  const Status written = requests_->Write(RequestPacket(shipment.wire, number));
  if (!written.ok() && written.code() == Code::kOutOfMemory) {
    answer.status = MUNJA_NN_RESOURCE_EXHAUSTED_PERSISTENT;
    return answer;
  }
  std::vector<Element> packet;
  if (!written.ok()) {
    connection->Abandon(std::string(written.message()));
  } else if (!results_->Wait(deadline.at_ns, connection->is_lost())) {
    // Later answers come too late, and could not be told from the
    // result of the next request's memory.
    if (!connection->is_lost()) {
      connection->Abandon("a request of a burst goes on after its deadline");
      if (!deadline.is_watchdog)
        answer.status = MUNJA_NN_MISSED_DEADLINE_TRANSIENT;
    }
  } else if (connection->is_lost() && !results_->IsReady()) {
    return answer;
  } else {
    Status read = results_->Read(&packet);
    Result<NumberedAnswer> result =
        read.ok() ? ReadResultPacket(packet)
                  : Result<NumberedAnswer>(std::move(read));
    if (result.ok() && result->number == number) {
      connection->SetServed();
      return std::move(result->answer);
    }
    connection->Abandon("a result of a burst makes no sense");
  }
  return answer;
}

int32_t RemoteBurst::Execute(const munja_nn_request* from, const int32_t* slots,
                             const munja_nn_execution_options* from_options,
                             munja_nn_executed executed, void* user) {
  RemoteDevice* const device = model_->device();
  if (device->IsForeign())
    return ReportStatus(MUNJA_NN_DEVICE_UNAVAILABLE, executed, user);
  const munja_nn_execution_options options = ReadStruct(from_options);
  const Deadline deadline = RemoteDevice::DeadlineOf(
      options.deadline_ns, device->options().execution_ns);
  Request request;
  int32_t status = model_->Read(from, false, &request);
  std::shared_ptr<Connection> connection;
  if (status == MUNJA_NN_NONE) connection = device->Acquire(deadline, &status);
  if (status != MUNJA_NN_NONE) return ReportStatus(status, executed, user);
  Execution answer;
  {
    const std::lock_guard lock(mutex_);
    Shipment shipment;
    answer.status = Ship(request, slots, options, deadline, &shipment);
    if (answer.status == MUNJA_NN_NONE)
      answer.status = Ensure(connection, deadline);
    if (answer.status == MUNJA_NN_NONE)
      answer.status = Deliver(connection, deadline, shipment);
    if (answer.status == MUNJA_NN_NONE) {
      shipment.CopyIn();
      answer = WithRules(Exchange(connection, deadline, shipment),
                         request.outputs.size(), options.measure != 0);
      if (answer.status == MUNJA_NN_NONE) shipment.CopyOut();
    }
    for (const auto& region : shipment.unnamed) Drop({{}, region, false});
  }
  ReportResult(answer, executed, user);
  return answer.status;
}

void RemoteBurst::Forget(int32_t slot) {
  if (model_->device()->IsForeign()) return;
  const std::lock_guard lock(mutex_);
  const auto found = slots_.find(slot);
  if (found == slots_.end()) return;
  Drop(found->second);
  slots_.erase(found);
}

// The host keeps what lies there until it has said so to the driver.
void RemoteBurst::Drop(const Slot& slot) {
  const std::shared_ptr<Connection> connection = ready_on_.lock();
  if (connection == nullptr || connection->is_lost()) return;
  ByteWriter to;
  to.Put(id_);
  to.Put(slot.region->id());
  connection->Post({MessageType::kForgetSlot, 0, to.Take(), {}, nullptr});
}

}  // namespace munja::hal
