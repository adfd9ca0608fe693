#include <sys/eventfd.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/log.h"
#include "hal/c_structs.h"
#include "hal/fence.h"
#include "hal/validate.h"
#include "transport/remote.h"
#include "transport/remote_burst.h"

namespace munja::hal {
namespace {

// Numbers of a driver's buffers have nothing before or behind them.
bool IsInside(const Argument& argument, const std::vector<Memory>& pools) {
  if (argument.has_no_value) return true;
  const Location& at = argument.location;
  if (at.pool >= pools.size()) return false;
  const Memory& pool = pools[at.pool];
  if (pool.token != 0) return at.offset == 0 && at.length == 0;
  return pool.data != nullptr && at.offset <= pool.bytes &&
         at.length <= pool.bytes - at.offset;
}

}  // namespace

Execution TakeAnswer(Connection* connection, const Connection::Reply& reply,
                     size_t outputs, bool measure) {
  Execution answer;
  if (!reply.is_answered) {
    answer.status = reply.status;
    return answer;
  }
  ByteReader from(reply.answer.payload);
  answer = GetAnswer(from);
  if (!from.IsDone()) {
    connection->Abandon("its answer cannot be read");
    answer = {};
    answer.status = MUNJA_NN_DEVICE_UNAVAILABLE;
    return answer;
  }
  connection->SetServed();
  return WithRules(std::move(answer), outputs, measure);
}

Execution WithRules(Execution answer, size_t outputs, bool measure) {
  const Status rules = CheckAnswer(answer, outputs, measure);
  if (rules.ok()) return answer;
  Log(Severity::kWarning, "an answer of a driver breaks the rules: " +
                              std::string(rules.message()));
  return {};
}

int32_t ReportStatus(int32_t status, munja_nn_executed executed, void* user) {
  Execution answer;
  answer.status = status;
  ReportResult(answer, executed, user);
  return status;
}

uint64_t DeadlineForHost(const Deadline& deadline) {
  if (deadline.is_watchdog) return 0;
  const uint64_t now = MonotonicNow();
  if (deadline.at_ns == UINT64_MAX || deadline.at_ns <= now)
    return deadline.at_ns;
  constexpr uint64_t kLongestMargin = 20'000'000;
  return deadline.at_ns - std::min((deadline.at_ns - now) / 10, kLongestMargin);
}

void Shipment::CopyIn() const {
  for (const Copy& copy : in) std::memcpy(copy.to, copy.from, copy.bytes);
}

void Shipment::CopyOut() const {
  for (const Copy& copy : out) std::memcpy(copy.to, copy.from, copy.bytes);
}

int32_t Shipment::Deliver(const std::shared_ptr<Connection>& connection,
                          const Deadline& deadline) const {
  for (RemoteBuffer* buffer : buffers)
    if (const int32_t status = buffer->Ensure(connection, deadline);
        status != MUNJA_NN_NONE)
      return status;
  for (const auto& region : regions) Region::Tell(region, connection);
  return MUNJA_NN_NONE;
}

struct RemoteModel::Tables {
  static RemoteModel* Of(void* self) { return static_cast<RemoteModel*>(self); }
  static int32_t Execute(void* self, const munja_nn_request* request,
                         const munja_nn_execution_options* options,
                         munja_nn_executed executed, void* user) {
    return Of(self)->Execute(request, options, executed, user);
  }
  static int32_t ExecuteAsync(void* self, const munja_nn_request* request,
                              const munja_nn_execution_options* options,
                              munja_nn_executed executed, void* user) {
    return Of(self)->ExecuteAsync(request, options, executed, user);
  }
  static int32_t ExecuteFenced(void* self, const munja_nn_request* request,
                               const munja_nn_execution_options* options,
                               const int32_t* wait_for, uint32_t wait_count,
                               uint64_t duration_ns, int32_t* fence,
                               munja_nn_fence_info** info) {
    return Of(self)->ExecuteFenced(request, options, wait_for, wait_count,
                                   duration_ns, fence, info);
  }
  static int32_t CreateBurst(void* self, munja_nn_burst** burst) {
    return RemoteBurst::Create(Of(self), burst);
  }
  static void Release(void* self) {
    RemoteModel* const model = Of(self);
    if (model->device_->IsForeign()) return;
    model->WaitUntilIdle();
    model->device_->RemoveModel(&model->table_);
    const std::shared_ptr<RemoteModel> last = std::move(model->own_);
  }
};

RemoteModel::RemoteModel(RemoteDevice* device) : device_(device) {
  table_.struct_size = sizeof table_;
  table_.self = this;
  table_.execute = Tables::Execute;
  table_.execute_async = Tables::ExecuteAsync;
  table_.execute_fenced = Tables::ExecuteFenced;
  table_.create_burst = Tables::CreateBurst;
  table_.release = Tables::Release;
}

RemoteModel::~RemoteModel() {
  const std::shared_ptr<Connection> connection = ready_on_.lock();
  if (connection == nullptr || connection->is_lost()) return;
  PostRelease(*connection, ObjectKind::kModel, id_);
}

void PostRelease(Connection& connection, ObjectKind kind, uint32_t id) {
  ByteWriter to;
  to.Put(static_cast<uint32_t>(kind));
  to.Put(id);
  connection.Post({MessageType::kRelease, 0, to.Take(), {}, nullptr});
}

void RemoteModel::Begin() {
  const std::lock_guard lock(mutex_);
  ++under_way_;
}

void RemoteModel::End() {
  const std::lock_guard lock(mutex_);
  --under_way_;
  changed_.notify_all();
}

void RemoteModel::WaitUntilIdle() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return under_way_ == 0 && !is_building_; });
}

bool RemoteModel::KeepCache(const munja_nn_cache& cache) {
  const auto keep = [&](const int32_t* files, uint32_t count) {
    if (count > MUNJA_NN_MAX_CACHE_FILES || (count > 0 && files == nullptr))
      return false;
    for (uint32_t i = 0; i < count; ++i) {
      cache_files_.push_back(Duplicate(files[i]));
      if (cache_files_.back().get() < 0) return false;
    }
    return true;
  };
  if (keep(cache.model_fds, cache.model_fd_count) &&
      keep(cache.data_fds, cache.data_fd_count)) {
    model_files_ = cache.model_fd_count;
    data_files_ = cache.data_fd_count;
    token_.assign(cache.token, cache.token + sizeof cache.token);
    return true;
  }
  cache_files_.clear();
  return false;
}

void RemoteModel::StartBuilding(const std::shared_ptr<Connection>& connection,
                                const Deadline& deadline, bool from_cache,
                                std::function<void(int32_t)> done) {
  const uint32_t id = device_->NewId();
  ByteWriter to;
  to.Put(id);
  to.Put(preference_);
  to.Put(priority_);
  to.Put(DeadlineForHost(deadline));
  to.Put<uint8_t>(!token_.empty());
  if (!token_.empty()) {
    to.Put(model_files_);
    to.Put(data_files_);
    for (const uint8_t byte : token_) to.Put(byte);
  }
  Connection::Call call;
  for (const Descriptor& file : cache_files_)
    call.message.files.push_back(file.get());
  call.message.type =
      from_cache ? MessageType::kPrepareFromCache : MessageType::kPrepare;
  call.message.payload = to.Take();
  if (!from_cache) {
    for (const auto& region : regions_) Region::Tell(region, connection);
    call.message.payload.insert(call.message.payload.end(), told_.begin(),
                                told_.end());
  }
  call.deadline = deadline;
  // A driver may not heed deadlines here; others need not suffer from that.
  call.grace_ns = device_->options().preparation_ns;
  const std::weak_ptr<Connection> weak = connection;
  call.done = [this, weak, id, done = std::move(done)](int32_t status,
                                                       const Message* answer) {
    const std::shared_ptr<Connection> on = weak.lock();
    if (answer != nullptr) {
      ByteReader from(answer->payload);
      status = from.Get<int32_t>();
      if (!from.IsDone() || !IsStatus(status))
        status = MUNJA_NN_GENERAL_FAILURE;
    }
    if (status == MUNJA_NN_NONE && on == nullptr)
      status = MUNJA_NN_DEVICE_UNAVAILABLE;
    {
      const std::lock_guard lock(mutex_);
      if (status == MUNJA_NN_NONE) {
        ready_on_ = on;
        id_ = id;
      }
    }
    done(status);
  };
  call.late = [weak, id](const Message& answer) {
    ByteReader from(answer.payload);
    const std::shared_ptr<Connection> on = weak.lock();
    if (from.Get<int32_t>() == MUNJA_NN_NONE && on != nullptr)
      PostRelease(*on, ObjectKind::kModel, id);
  };
  connection->Start(std::move(call));
}

void RemoteModel::Rebuild(const std::shared_ptr<Connection>& connection,
                          bool from_cache) {
  const Deadline deadline =
      RemoteDevice::DeadlineOf(0, device_->options().preparation_ns);
  StartBuilding(
      connection, deadline, from_cache,
      [this, weak = std::weak_ptr(connection), from_cache](int32_t status) {
        const std::shared_ptr<Connection> on = weak.lock();
        // If the cache fails, the model is prepared.
        if (status != MUNJA_NN_NONE && from_cache && !told_.empty() &&
            on != nullptr && !on->is_lost()) {
          Rebuild(on, false);
          return;
        }
        const std::lock_guard lock(mutex_);
        is_building_ = false;
        build_status_ = status;
        changed_.notify_all();
      });
}

int32_t RemoteModel::Ensure(const std::shared_ptr<Connection>& connection,
                            const Deadline& deadline, uint32_t* id) {
  std::unique_lock lock(mutex_);
  bool has_built = false;
  for (;;) {
    if (ready_on_.lock() == connection) {
      *id = id_;
      return MUNJA_NN_NONE;
    }
    if (!is_building_) {
      if (has_built)
        return build_status_ != MUNJA_NN_NONE
                   ? build_status_
                   : int32_t{MUNJA_NN_DEVICE_UNAVAILABLE};
      is_building_ = true;
      lock.unlock();
      Rebuild(connection, !token_.empty());
      lock.lock();
    }
    has_built = true;
    while (is_building_) {
      const uint64_t now = MonotonicNow();
      if (now >= deadline.at_ns)
        return deadline.is_watchdog
                   ? int32_t{MUNJA_NN_DEVICE_UNAVAILABLE}
                   : int32_t{MUNJA_NN_MISSED_DEADLINE_TRANSIENT};
      constexpr uint64_t kLongestWait = 3'600'000'000'000;
      changed_.wait_for(lock, std::chrono::nanoseconds(std::min(
                                  deadline.at_ns - now, kLongestWait)));
    }
  }
}

int32_t RemoteModel::Read(const munja_nn_request* from, bool outputs_known,
                          Request* to) const {
  if (from == nullptr) return MUNJA_NN_INVALID_ARGUMENT;
  auto request = ReadRequest(from);
  if (!request.ok()) return MUNJA_NN_INVALID_ARGUMENT;
  for (const auto* arguments : {&request->inputs, &request->outputs})
    for (const Argument& argument : *arguments)
      if (!IsInside(argument, request->pools)) return MUNJA_NN_INVALID_ARGUMENT;
  if (model_.has_value() &&
      !ValidateRequest(*model_, *request, outputs_known).ok())
    return MUNJA_NN_INVALID_ARGUMENT;
  *to = std::move(request).value();
  return MUNJA_NN_NONE;
}

void RemoteModel::AddPool(const Request& request, size_t index,
                          const std::shared_ptr<Region>& region, bool is_staged,
                          Shipment* to) {
  const Memory& pool = request.pools[index];
  to->wire.pools.push_back({false, region->id(), pool.bytes});
  to->regions.push_back(region);
  auto* const data = static_cast<uint8_t*>(pool.data);
  for (const Argument& input : request.inputs)
    if (is_staged && !input.has_no_value && input.location.pool == index &&
        input.location.length > 0)
      to->in.push_back({region->data() + input.location.offset,
                        data + input.location.offset, input.location.length});
  for (const Argument& output : request.outputs) {
    if (output.location.pool != index || output.location.length == 0) continue;
    if (is_staged)
      to->out.push_back({data + output.location.offset,
                         region->data() + output.location.offset,
                         output.location.length});
    else
      to->writes_shared = true;
  }
}

int32_t RemoteModel::Describe(const Request& request,
                              const munja_nn_execution_options& options,
                              const Deadline& deadline, Shipment* to) {
  to->wire.inputs = request.inputs;
  to->wire.outputs = request.outputs;
  to->wire.options.measure = options.measure != 0;
  to->wire.options.deadline_ns = DeadlineForHost(deadline);
  to->wire.options.loop_timeout_ns = options.loop_timeout_ns;
  return options.loop_timeout_ns > MUNJA_NN_MAX_LOOP_TIMEOUT_NS
             ? int32_t{MUNJA_NN_INVALID_ARGUMENT}
             : int32_t{MUNJA_NN_NONE};
}

int32_t RemoteModel::AddBuffer(uint32_t token, Shipment* to) const {
  RemoteBuffer* const buffer = device_->BufferOf(token);
  if (buffer == nullptr) return MUNJA_NN_INVALID_ARGUMENT;
  to->buffers.push_back(buffer);
  to->wire.pools.push_back({true, token, 0});
  return MUNJA_NN_NONE;
}

int32_t RemoteModel::Ship(const Request& request,
                          const munja_nn_execution_options& options,
                          const Deadline& deadline, Shipment* to) const {
  int32_t status = Describe(request, options, deadline, to);
  for (size_t i = 0; i < request.pools.size() && status == MUNJA_NN_NONE; ++i) {
    const Memory& pool = request.pools[i];
    if (pool.token != 0) {
      status = AddBuffer(pool.token, to);
      continue;
    }
    bool is_staged = false;
    auto region = device_->RegionOf(pool, &is_staged);
    if (!region.ok()) return MUNJA_NN_RESOURCE_EXHAUSTED_TRANSIENT;
    AddPool(request, i, *region, is_staged, to);
  }
  return status;
}

int32_t RemoteModel::PrepareCall(const std::shared_ptr<Connection>& connection,
                                 const Deadline& deadline,
                                 const std::shared_ptr<Shipment>& shipment,
                                 Connection::Call* call) {
  uint32_t id = 0;
  int32_t status = Ensure(connection, deadline, &id);
  if (status == MUNJA_NN_NONE) status = shipment->Deliver(connection, deadline);
  if (status != MUNJA_NN_NONE) return status;
  ByteWriter to;
  to.Put(id);
  call->message.type = MessageType::kExecute;
  call->message.payload = to.Take();
  call->deadline = deadline;
  call->grace_ns = device_->options().grace_ns;
  call->writes_shared = shipment->writes_shared;
  call->keep = shipment;
  return MUNJA_NN_NONE;
}

namespace {

// Appends the message behind the model's number.
void AppendRequest(const Shipment& shipment, ByteWriter to,
                   std::vector<uint8_t>& payload) {
  PutRequest(shipment.wire, to);
  payload.insert(payload.end(), to.bytes().begin(), to.bytes().end());
}

}  // namespace

int32_t RemoteModel::Execute(const munja_nn_request* from,
                             const munja_nn_execution_options* from_options,
                             munja_nn_executed executed, void* user) {
  if (device_->IsForeign())
    return ReportStatus(MUNJA_NN_DEVICE_UNAVAILABLE, executed, user);
  const munja_nn_execution_options options = ReadStruct(from_options);
  const Deadline deadline = RemoteDevice::DeadlineOf(
      options.deadline_ns, device_->options().execution_ns);
  Request request;
  const auto shipment = std::make_shared<Shipment>();
  Connection::Call call;
  int32_t status = Read(from, false, &request);
  if (status == MUNJA_NN_NONE)
    status = Ship(request, options, deadline, shipment.get());
  std::shared_ptr<Connection> connection;
  if (status == MUNJA_NN_NONE) connection = device_->Acquire(deadline, &status);
  if (status == MUNJA_NN_NONE)
    status = PrepareCall(connection, deadline, shipment, &call);
  if (status != MUNJA_NN_NONE) return ReportStatus(status, executed, user);
  shipment->CopyIn();
  ByteWriter to;
  to.Put<uint8_t>(0);
  AppendRequest(*shipment, std::move(to), call.message.payload);
  const Connection::Reply reply = connection->Ask(std::move(call));
  const Execution answer = TakeAnswer(
      connection.get(), reply, request.outputs.size(), options.measure != 0);
  if (answer.status == MUNJA_NN_NONE) shipment->CopyOut();
  ReportResult(answer, executed, user);
  return answer.status;
}

int32_t RemoteModel::ExecuteAsync(
    const munja_nn_request* from,
    const munja_nn_execution_options* from_options, munja_nn_executed executed,
    void* user) {
  if (device_->IsForeign())
    return ReportStatus(MUNJA_NN_DEVICE_UNAVAILABLE, executed, user);
  const munja_nn_execution_options options = ReadStruct(from_options);
  const Deadline deadline = RemoteDevice::DeadlineOf(
      options.deadline_ns, device_->options().execution_ns);
  Request request;
  const auto shipment = std::make_shared<Shipment>();
  Connection::Call call;
  int32_t status = Read(from, false, &request);
  if (status == MUNJA_NN_NONE)
    status = Ship(request, options, deadline, shipment.get());
  std::shared_ptr<Connection> connection;
  if (status == MUNJA_NN_NONE) connection = device_->Acquire(deadline, &status);
  if (status == MUNJA_NN_NONE)
    status = PrepareCall(connection, deadline, shipment, &call);
  if (status != MUNJA_NN_NONE) return ReportStatus(status, executed, user);
  shipment->CopyIn();
  ByteWriter to;
  to.Put<uint8_t>(1);
  AppendRequest(*shipment, std::move(to), call.message.payload);
  Begin();
  call.done = [this, weak = std::weak_ptr(connection), shipment,
               outputs = request.outputs.size(), measure = options.measure != 0,
               executed, user](int32_t lost, const Message* message) {
    Connection::Reply reply;
    reply.status = lost;
    const std::shared_ptr<Connection> on = weak.lock();
    if (message != nullptr && on != nullptr) {
      reply.is_answered = true;
      reply.answer.payload = message->payload;
    }
    const Execution answer = TakeAnswer(on.get(), reply, outputs, measure);
    if (answer.status == MUNJA_NN_NONE) shipment->CopyOut();
    ReportResult(answer, executed, user);
    End();
  };
  connection->Start(std::move(call));
  return MUNJA_NN_NONE;
}

int32_t RemoteModel::ExecuteFenced(
    const munja_nn_request* from,
    const munja_nn_execution_options* from_options, const int32_t* wait_for,
    uint32_t wait_count, uint64_t duration_ns, int32_t* fence,
    munja_nn_fence_info** info) {
  if (fence == nullptr || info == nullptr) return MUNJA_NN_INVALID_ARGUMENT;
  *fence = -1;
  *info = nullptr;
  if (device_->IsForeign()) return MUNJA_NN_DEVICE_UNAVAILABLE;
  const munja_nn_execution_options options = ReadStruct(from_options);
  const Deadline deadline = RemoteDevice::DeadlineOf(
      options.deadline_ns, device_->options().execution_ns);
  // State of a launch until its fences are signaled.
  struct Launch {
    Request request;
    std::shared_ptr<Shipment> shipment = std::make_shared<Shipment>();
    Connection::Call call;
    std::weak_ptr<Connection> connection;
    Deadline deadline;
    uint64_t duration_ns = 0;
    bool measure = false;
  };
  const auto launch = std::make_shared<Launch>();
  launch->deadline = deadline;
  launch->duration_ns = duration_ns;
  launch->measure = options.measure != 0;
  int32_t status = Read(from, true, &launch->request);
  std::vector<Descriptor> fences;
  for (uint32_t i = 0; i < wait_count && status == MUNJA_NN_NONE; ++i) {
    if (wait_for == nullptr || IsFailedFence(wait_for[i]))
      status = MUNJA_NN_INVALID_ARGUMENT;
    else
      fences.push_back(Duplicate(wait_for[i]));
    if (status == MUNJA_NN_NONE && fences.back().get() < 0)
      status = MUNJA_NN_INVALID_ARGUMENT;
  }
  if (status == MUNJA_NN_NONE)
    status = Ship(launch->request, options, deadline, launch->shipment.get());
  std::shared_ptr<Connection> connection;
  if (status == MUNJA_NN_NONE) connection = device_->Acquire(deadline, &status);
  if (status == MUNJA_NN_NONE)
    status = PrepareCall(connection, deadline, launch->shipment, &launch->call);
  if (status != MUNJA_NN_NONE) return status;
  auto fenced = std::make_shared<Fenced>();
  fenced->begun_ns = MonotonicNow();
  // Not to wait for room: who signals first is the one who counts.
  fenced->fence = Descriptor(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  Descriptor callers = Duplicate(fenced->fence.get());
  if (callers.get() < 0) return MUNJA_NN_RESOURCE_EXHAUSTED_TRANSIENT;
  launch->connection = connection;
  Begin();
  const auto finish = [this, launch, fenced](const Execution& answer) {
    if (answer.status == MUNJA_NN_NONE) launch->shipment->CopyOut();
    fenced->Finish(answer, launch->measure);
    End();
  };
  const auto go = [launch, finish](int32_t signalled) {
    const std::shared_ptr<Connection> on = launch->connection.lock();
    if (signalled != MUNJA_NN_NONE || on == nullptr) {
      Execution answer;
      answer.status =
          on == nullptr ? int32_t{MUNJA_NN_DEVICE_UNAVAILABLE} : signalled;
      return finish(answer);
    }
    Connection::Call& call = launch->call;
    call.message.type = MessageType::kExecuteFenced;
    if (launch->duration_ns != 0) {
      const uint64_t now = MonotonicNow();
      const uint64_t until = launch->duration_ns > UINT64_MAX - now
                                 ? UINT64_MAX
                                 : now + launch->duration_ns;
      if (until < call.deadline.at_ns) call.deadline = {until, false};
    }
    launch->shipment->wire.options.deadline_ns = DeadlineForHost(call.deadline);
    launch->shipment->CopyIn();
    ByteWriter to;
    to.Put(launch->duration_ns);
    AppendRequest(*launch->shipment, std::move(to), call.message.payload);
    call.done = [launch, finish](int32_t lost, const Message* message) {
      Connection::Reply reply;
      reply.status = lost;
      const std::shared_ptr<Connection> at = launch->connection.lock();
      if (message != nullptr && at != nullptr) {
        reply.is_answered = true;
        reply.answer.payload = message->payload;
      }
      finish(TakeAnswer(at.get(), reply, launch->request.outputs.size(),
                        launch->measure));
    };
    on->Start(std::move(call));
  };
  *fence = callers.Release();
  *info = FenceInfo::Make(fenced);
  if (fences.empty())
    go(MUNJA_NN_NONE);
  else
    connection->Watch(std::move(fences), deadline, go);
  return MUNJA_NN_NONE;
}

}  // namespace munja::hal
