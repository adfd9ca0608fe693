#include <algorithm>
#include <cstring>
#include <utility>

#include "base/fork.h"
#include "base/log.h"
#include "hal/c_structs.h"
#include "hal/fence.h"
#include "hal/validate.h"
#include "transport/remote.h"

namespace munja::hal {
namespace {

constexpr const char* kSocketPrefix = "unix:";

// Connections that are over; their threads end without a lock held.
struct Over {
  std::vector<std::shared_ptr<Connection>> connections;

  Over() = default;
  ~Over() {
    for (const auto& connection : connections) connection->Join();
  }
  Over(const Over&) = delete;
  Over& operator=(const Over&) = delete;
};

int32_t ReportPrepared(int32_t status, munja_nn_prepared prepared, void* user) {
  prepared(user, status, nullptr);
  return status;
}

}  // namespace

struct RemoteDevice::Tables {
  static RemoteDevice* Of(void* self) {
    return static_cast<RemoteDevice*>(self);
  }
  static int32_t Status(void* self) { return Of(self)->AskStatus(); }
  static int32_t Supported(void* self, const munja_nn_model* model,
                           uint8_t* supported) {
    return Of(self)->AskSupported(model, supported);
  }
  static int32_t Prepare(void* self, const munja_nn_model* model,
                         const munja_nn_compilation_options* options,
                         munja_nn_prepared prepared, void* user) {
    return Of(self)->Prepare(model, options, prepared, user);
  }
  static int32_t PrepareFromCache(void* self, uint64_t deadline_ns,
                                  const munja_nn_cache* cache,
                                  munja_nn_prepared prepared, void* user) {
    return Of(self)->PrepareFromCache(deadline_ns, cache, prepared, user);
  }
  static int32_t Allocate(void* self,
                          const munja_nn_buffer_description* description,
                          munja_nn_buffer** buffer) {
    return Of(self)->Allocate(description, buffer);
  }
  static void Idle(void* self) { Of(self)->Idle(); }
  static void Release(void* self) {
    // In a child there is neither a thread of it nor a host: nothing to end.
    if (!Of(self)->IsForeign()) delete Of(self);
  }
};

RemoteDevice::RemoteDevice(std::string driver, DriverHostOptions options)
    : driver_(std::move(driver)),
      options_(std::move(options)),
      generation_(ForkGeneration()) {}

RemoteDevice::~RemoteDevice() {
  std::vector<std::shared_ptr<Connection>> old;
  {
    std::unique_lock lock(mutex_);
    changed_.wait(
        lock, [&] { return under_way_ == 0 && state_ != State::kStarting; });
    old.swap(old_);
    if (connection_ != nullptr) old.push_back(std::move(connection_));
  }
  staging_.Clear();
  for (const auto& connection : old) connection->Close();
  for (const auto& connection : old) connection->Join();
}

bool RemoteDevice::IsForeign() const { return generation_ != ForkGeneration(); }

Deadline RemoteDevice::DeadlineOf(uint64_t deadline_ns, uint64_t watchdog_ns) {
  if (deadline_ns != 0) return {deadline_ns, false};
  const uint64_t now = MonotonicNow();
  return {watchdog_ns > UINT64_MAX - now ? UINT64_MAX : now + watchdog_ns,
          true};
}

Result<munja_nn_device*> RemoteDevice::Start(const std::string& driver,
                                             const DriverHostOptions& options) {
  auto device =
      std::unique_ptr<RemoteDevice>(new RemoteDevice(driver, options));
  int32_t status = MUNJA_NN_NONE;
  const auto connection =
      device->Acquire(DeadlineOf(0, options.other_ns), &status);
  if (connection == nullptr) {
    const std::lock_guard lock(device->mutex_);
    return Unavailable(
        driver + ": " +
        (device->why_.empty() ? "its host does not answer" : device->why_));
  }
  device->MakeTable();
  return &device.release()->table_;
}

RemoteDevice* RemoteDevice::Of(const munja_nn_device* device) {
  return device != nullptr && device->release == Tables::Release
             ? Tables::Of(device->self)
             : nullptr;
}

DriverHostReport RemoteDevice::Report() {
  const std::lock_guard lock(mutex_);
  DriverHostReport report = report_;
  if (connection_ != nullptr && !connection_->is_lost())
    report.process = connection_->process_id();
  return report;
}

Result<std::shared_ptr<Connection>> RemoteDevice::Connect() {
  if (driver_.starts_with(kSocketPrefix)) {
    MUNJA_ASSIGN_OR_RETURN(
        Descriptor socket,
        ConnectTo(driver_.substr(std::strlen(kSocketPrefix))));
    return Connection::Open(driver_, std::move(socket), nullptr);
  }
  const std::string program =
      options_.program.empty() ? DefaultHostProgram() : options_.program;
  MUNJA_ASSIGN_OR_RETURN(HostProcess::Started started,
                         HostProcess::Start({program, "--connected", driver_}));
  return Connection::Open(driver_, std::move(started.socket),
                          std::move(started.process));
}

void RemoteDevice::Retire() {
  const bool has_served = connection_ != nullptr && connection_->has_served();
  if (connection_ != nullptr) old_.push_back(std::move(connection_));
  connection_ = nullptr;
  state_ = State::kNone;
  pause_ns_ = has_served ? 0
              : pause_ns_ == 0
                  ? options_.first_pause_ns
                  : std::min(2 * pause_ns_, options_.longest_pause_ns);
  next_start_ns_ = MonotonicNow() + pause_ns_;
}

std::shared_ptr<Connection> RemoteDevice::Acquire(const Deadline& deadline,
                                                  int32_t* status) {
  Over over;
  std::unique_lock lock(mutex_);
  *status = MUNJA_NN_DEVICE_UNAVAILABLE;
  bool has_started = false;
  for (;;) {
    if (state_ == State::kReady && !connection_->is_lost()) {
      *status = MUNJA_NN_NONE;
      return connection_;
    }
    if (state_ == State::kReady) {
      ++report_.lost;
      Retire();
    }
    if (state_ == State::kNone) {
      if (is_other_ || has_started || MonotonicNow() < next_start_ns_)
        return nullptr;
      std::erase_if(old_, [&](std::shared_ptr<Connection>& connection) {
        if (!connection->is_over() || connection->IsThisThread()) return false;
        over.connections.push_back(std::move(connection));
        return true;
      });
      has_started = true;
      const uint64_t begun_ns = MonotonicNow();
      auto made = Connect();
      if (!made.ok()) {
        why_ = made.status().message();
        Retire();
        return nullptr;
      }
      state_ = State::kStarting;
      connection_ = std::move(made).value();
      const std::shared_ptr<Connection> connection = connection_;
      lock.unlock();
      ByteWriter to;
      to.Put(kProtocolVersion);
      Connection::Call call;
      call.message = {MessageType::kHello, 0, to.Take(), {}, nullptr};
      call.deadline = DeadlineOf(0, options_.other_ns);
      call.done = [this, connection = std::weak_ptr(connection), begun_ns](
                      int32_t, const Message* answer) {
        TakeHello(connection.lock(), begun_ns, answer);
      };
      connection->Start(std::move(call));
      lock.lock();
      continue;
    }
    const uint64_t now = MonotonicNow();
    if (now >= deadline.at_ns) {
      if (!deadline.is_watchdog) *status = MUNJA_NN_MISSED_DEADLINE_TRANSIENT;
      return nullptr;
    }
    has_started = true;  // Another thread did.
    constexpr uint64_t kLongestWait = 3'600'000'000'000;
    changed_.wait_for(lock, std::chrono::nanoseconds(
                                std::min(deadline.at_ns - now, kLongestWait)));
  }
}

void RemoteDevice::TakeHello(const std::shared_ptr<Connection>& connection,
                             uint64_t begun_ns, const Message* answer) {
  std::string why = "its host ended while it started, or hangs";
  WireDevice device;
  std::vector<uint8_t> said;
  bool is_good = false;
  if (answer != nullptr) {
    ByteReader from(answer->payload);
    const auto version = from.Get<uint32_t>();
    if (from.GetFlag() && version == kProtocolVersion) {
      device = GetDevice(from);
      const Status checked = CheckDevice(device);
      is_good = from.IsDone() && checked.ok();
      said = answer->payload;
      if (!checked.ok()) why = checked.message();
    } else {
      why = from.GetText();
      for (char& c : why)
        if (c < ' ') c = ' ';
    }
  }
  {
    const std::lock_guard lock(mutex_);
    if (is_good && description_.has_value() && said != said_) {
      // Its name and what it can do were promised not to change.
      is_good = false;
      is_other_ = true;
      why = "its host came back with another device";
    }
    if (is_good) {
      if (!description_.has_value()) description_ = device;
      said_ = std::move(said);
      ++report_.starts;
      report_.last_start_ns = MonotonicNow() - begun_ns;
      state_ = State::kReady;
    } else {
      why_ = why;
      Retire();
    }
    changed_.notify_all();
  }
  if (!is_good && connection != nullptr) connection->Abandon(why);
}

void RemoteDevice::MakeTable() {
  const WireDevice& from = *description_;
  table_.struct_size = sizeof table_;
  table_.self = this;
  table_.name = from.name.c_str();
  table_.version_string = from.version_string.c_str();
  table_.type = from.type;
  table_.hal_version = from.hal_version;
  table_.capabilities = &capabilities_;
  capabilities_.struct_size = sizeof capabilities_;
  capabilities_.relaxed_scalar = from.relaxed_scalar;
  capabilities_.relaxed_tensor = from.relaxed_tensor;
  capabilities_.if_performance = from.if_performance;
  capabilities_.while_performance = from.while_performance;
  for (const WireDevice::TypePerformance& operand : from.operands)
    operands_.push_back({sizeof(munja_nn_operand_performance), operand.type,
                         operand.performance});
  capabilities_.operands = operands_.data();
  capabilities_.operand_count = static_cast<uint32_t>(operands_.size());
  for (const WireDevice::Extension& extension : from.extensions) {
    std::vector<munja_nn_extension_type>& types =
        extension_types_.emplace_back();
    for (const WireDevice::ExtensionType& type : extension.types)
      types.push_back({sizeof(munja_nn_extension_type), type.type,
                       type.is_tensor, type.element_bytes});
  }
  for (size_t i = 0; i < from.extensions.size(); ++i)
    extensions_.push_back({sizeof(munja_nn_extension),
                           from.extensions[i].name.c_str(),
                           extension_types_[i].data(),
                           static_cast<uint32_t>(extension_types_[i].size())});
  table_.extensions = extensions_.data();
  table_.extension_count = static_cast<uint32_t>(extensions_.size());
  table_.model_cache_files = from.model_cache_files;
  table_.data_cache_files = from.data_cache_files;
  table_.status = Tables::Status;
  table_.supported_operations = Tables::Supported;
  table_.prepare = Tables::Prepare;
  if (from.has_cache) table_.prepare_from_cache = Tables::PrepareFromCache;
  if (from.has_allocate) table_.allocate = Tables::Allocate;
  table_.idle = Tables::Idle;
  table_.release = Tables::Release;
}

int32_t RemoteDevice::AskStatus() {
  if (IsForeign()) return MUNJA_NN_DEVICE_OFFLINE;
  const Deadline deadline = DeadlineOf(0, options_.other_ns);
  int32_t status = MUNJA_NN_NONE;
  const auto connection = Acquire(deadline, &status);
  if (connection == nullptr) return MUNJA_NN_DEVICE_OFFLINE;
  Connection::Call call;
  call.message.type = MessageType::kStatus;
  call.deadline = deadline;
  const Connection::Reply reply = connection->Ask(std::move(call));
  if (!reply.is_answered) return MUNJA_NN_DEVICE_OFFLINE;
  ByteReader from(reply.answer.payload);
  const auto said = from.Get<int32_t>();
  return from.IsDone() && said >= MUNJA_NN_DEVICE_AVAILABLE &&
                 said <= MUNJA_NN_DEVICE_UNKNOWN
             ? said
             : int32_t{MUNJA_NN_DEVICE_UNKNOWN};
}

void RemoteDevice::Idle() {
  if (IsForeign()) return;
  staging_.Clear();
  std::shared_ptr<Connection> connection;
  {
    const std::lock_guard lock(mutex_);
    if (state_ == State::kReady) connection = connection_;
  }
  if (connection != nullptr)
    connection->Post({MessageType::kIdle, 0, {}, {}, nullptr});
}

Result<std::shared_ptr<Region>> RemoteDevice::RegionOf(const Memory& memory,
                                                       bool* is_staged) {
  *is_staged = !IsSealedMemory(memory.fd, memory.offset, memory.bytes);
  if (*is_staged) return staging_.Take(memory.bytes);
  Descriptor file = Duplicate(memory.fd);
  if (file.get() < 0) return OutOfMemory("no more files can be open");
  return std::make_shared<Region>(NewId(), std::move(file), memory.offset,
                                  memory.bytes);
}

Result<std::vector<std::shared_ptr<Region>>> RemoteDevice::ShareModel(
    const Model& model, ByteWriter& to) {
  std::vector<std::shared_ptr<Region>> regions;
  std::vector<uint32_t> ids;
  for (const Memory& pool : model.pools) {
    std::shared_ptr<Region> region;
    if (IsSealedMemory(pool.fd, pool.offset, pool.bytes)) {
      bool is_staged = false;
      MUNJA_ASSIGN_OR_RETURN(region, RegionOf(pool, &is_staged));
    } else {
      MUNJA_ASSIGN_OR_RETURN(auto memory, SharedMemory::Create(pool.bytes));
      std::memcpy(memory->data(), pool.data, pool.bytes);
      region = std::make_shared<Region>(NewId(), std::move(memory));
    }
    ids.push_back(region->id());
    regions.push_back(std::move(region));
  }
  PutModel(model, ids, to);
  return regions;
}

int32_t RemoteDevice::ReadAndCheck(const munja_nn_model* from,
                                   Model* to) const {
  auto model = ReadModel(from);
  if (!model.ok() ||
      !ValidateModel(*model,
                     std::min<int32_t>(table_.hal_version, MUNJA_NN_1_3))
           .ok())
    return MUNJA_NN_INVALID_ARGUMENT;
  *to = std::move(model).value();
  return MUNJA_NN_NONE;
}

int32_t RemoteDevice::AskSupported(const munja_nn_model* from,
                                   uint8_t* supported) {
  if (IsForeign()) return MUNJA_NN_DEVICE_UNAVAILABLE;
  Model model;
  int32_t status = ReadAndCheck(from, &model);
  if (status != MUNJA_NN_NONE) return status;
  ByteWriter to;
  auto regions = ShareModel(model, to);
  if (!regions.ok()) return MUNJA_NN_RESOURCE_EXHAUSTED_TRANSIENT;
  const Deadline deadline = DeadlineOf(0, options_.preparation_ns);
  const auto connection = Acquire(deadline, &status);
  if (connection == nullptr) return status;
  for (const auto& region : *regions) Region::Tell(region, connection);
  Connection::Call call;
  call.message = {MessageType::kSupported, 0, to.Take(), {}, nullptr};
  call.deadline = deadline;
  const Connection::Reply reply = connection->Ask(std::move(call));
  if (!reply.is_answered) return reply.status;
  ByteReader answer(reply.answer.payload);
  status = answer.Get<int32_t>();
  if (!answer.ok() || !IsStatus(status)) return MUNJA_NN_GENERAL_FAILURE;
  if (status != MUNJA_NN_NONE) return status;
  const std::vector<uint8_t> list = answer.GetList<uint8_t>();
  if (!answer.IsDone() || list.size() != model.main().operations.size())
    return MUNJA_NN_GENERAL_FAILURE;
  for (size_t i = 0; i < list.size(); ++i) supported[i] = list[i] == 1 ? 1 : 0;
  connection->SetServed();
  return MUNJA_NN_NONE;
}

int32_t RemoteDevice::StartPreparing(std::shared_ptr<RemoteModel> model,
                                     bool from_cache, uint64_t deadline_ns,
                                     munja_nn_prepared prepared, void* user) {
  const Deadline deadline = DeadlineOf(deadline_ns, options_.preparation_ns);
  int32_t status = MUNJA_NN_NONE;
  const auto connection = Acquire(deadline, &status);
  if (connection == nullptr) return ReportPrepared(status, prepared, user);
  Begin();
  // The last one to hold the model, until it is the caller's.
  auto held = std::make_shared<std::shared_ptr<RemoteModel>>(std::move(model));
  RemoteModel* const raw = held->get();
  raw->StartBuilding(connection, deadline, from_cache,
                     [this, held, raw, prepared, user](int32_t result) {
                       if (result == MUNJA_NN_NONE) {
                         {
                           const std::lock_guard lock(mutex_);
                           models_.emplace(&raw->table_, raw);
                         }
                         raw->own_ = std::move(*held);
                         prepared(user, result, &raw->table_);
                       } else {
                         prepared(user, result, nullptr);
                       }
                       End();
                     });
  return MUNJA_NN_NONE;
}

int32_t RemoteDevice::Prepare(const munja_nn_model* from,
                              const munja_nn_compilation_options* from_options,
                              munja_nn_prepared prepared, void* user) {
  if (IsForeign())
    return ReportPrepared(MUNJA_NN_DEVICE_UNAVAILABLE, prepared, user);
  const munja_nn_compilation_options options = ReadStruct(from_options);
  auto made = std::make_shared<RemoteModel>(this);
  Model model;
  if (ReadAndCheck(from, &model) != MUNJA_NN_NONE ||
      options.preference < MUNJA_NN_PREFER_LOW_POWER ||
      options.preference > MUNJA_NN_PREFER_SUSTAINED_SPEED ||
      options.priority < MUNJA_NN_PRIORITY_LOW ||
      options.priority > MUNJA_NN_PRIORITY_HIGH)
    return ReportPrepared(MUNJA_NN_INVALID_ARGUMENT, prepared, user);
  ByteWriter to;
  auto regions = ShareModel(model, to);
  if (!regions.ok())
    return ReportPrepared(MUNJA_NN_RESOURCE_EXHAUSTED_TRANSIENT, prepared,
                          user);
  made->preference_ = options.preference;
  made->priority_ = options.priority;
  made->told_ = to.Take();
  made->regions_ = std::move(regions).value();
  // Errors with the cache do not make preparing fail.
  if (options.cache != nullptr) made->KeepCache(ReadStruct(options.cache));
  model.operand_values.clear();
  made->model_ = std::move(model);
  return StartPreparing(std::move(made), false, options.deadline_ns, prepared,
                        user);
}

int32_t RemoteDevice::PrepareFromCache(uint64_t deadline_ns,
                                       const munja_nn_cache* cache,
                                       munja_nn_prepared prepared, void* user) {
  if (IsForeign())
    return ReportPrepared(MUNJA_NN_DEVICE_UNAVAILABLE, prepared, user);
  auto made = std::make_shared<RemoteModel>(this);
  if (cache == nullptr || !made->KeepCache(ReadStruct(cache)))
    return ReportPrepared(MUNJA_NN_INVALID_ARGUMENT, prepared, user);
  return StartPreparing(std::move(made), true, deadline_ns, prepared, user);
}

RemoteModel* RemoteDevice::ModelOf(const munja_nn_prepared_model* table) {
  const std::lock_guard lock(mutex_);
  const auto found = models_.find(table);
  return found == models_.end() ? nullptr : found->second;
}

void RemoteDevice::RemoveModel(const munja_nn_prepared_model* table) {
  const std::lock_guard lock(mutex_);
  models_.erase(table);
}

RemoteBuffer* RemoteDevice::BufferOf(uint32_t token) {
  const std::lock_guard lock(mutex_);
  const auto found = buffers_.find(token);
  return found == buffers_.end() ? nullptr : found->second;
}

void RemoteDevice::AddBuffer(uint32_t token, RemoteBuffer* buffer) {
  const std::lock_guard lock(mutex_);
  buffers_.emplace(token, buffer);
}

void RemoteDevice::RemoveBuffer(uint32_t token) {
  const std::lock_guard lock(mutex_);
  buffers_.erase(token);
}

void RemoteDevice::Begin() {
  const std::lock_guard lock(mutex_);
  ++under_way_;
}

void RemoteDevice::End() {
  const std::lock_guard lock(mutex_);
  --under_way_;
  changed_.notify_all();
}

}  // namespace munja::hal
