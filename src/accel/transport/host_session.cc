#include "transport/host_session.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "hal/c_structs.h"
#include "hal/validate.h"
#include "transport/host_objects.h"

namespace munja::hal {
namespace {

constexpr size_t kMaxThreads = 256;

// The process at the other end: a child that it forked may keep its socket
// open. None where the system does not tell.
Descriptor PeerProcess(int socket) {
  ucred peer = {};
  socklen_t size = sizeof peer;
  if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0 ||
      peer.pid <= 0 || peer.pid == getpid())
    return Descriptor();
  return Descriptor(static_cast<int>(syscall(SYS_pidfd_open, peer.pid, 0)));
}

WireDevice Describe(const munja_nn_device& device) {
  WireDevice to;
  const auto text = [](const char* from) {
    return from == nullptr ? std::string() : std::string(from);
  };
  to.name = text(device.name);
  to.version_string = text(device.version_string);
  to.type = device.type;
  to.hal_version = device.hal_version;
  const munja_nn_capabilities capabilities = ReadStruct(device.capabilities);
  to.relaxed_scalar = capabilities.relaxed_scalar;
  to.relaxed_tensor = capabilities.relaxed_tensor;
  to.if_performance = capabilities.if_performance;
  to.while_performance = capabilities.while_performance;
  for (size_t i = 0;
       i < capabilities.operand_count && capabilities.operands != nullptr;
       ++i) {
    const auto operand = ReadElement(capabilities.operands, i);
    to.operands.push_back({operand.type, operand.performance});
  }
  for (size_t i = 0; i < device.extension_count && device.extensions != nullptr;
       ++i) {
    const auto from = ReadElement(device.extensions, i);
    WireDevice::Extension& extension = to.extensions.emplace_back();
    extension.name = text(from.name);
    for (size_t k = 0; k < from.type_count && from.types != nullptr; ++k) {
      const auto type = ReadElement(from.types, k);
      extension.types.push_back(
          {type.type, type.is_tensor, type.element_bytes});
    }
  }
  to.model_cache_files = device.model_cache_files;
  to.data_cache_files = device.data_cache_files;
  to.has_status = device.status != nullptr;
  to.has_cache = device.prepare_from_cache != nullptr;
  to.has_allocate = device.allocate != nullptr;
  to.has_idle = device.idle != nullptr;
  return to;
}

// Files of a cache, open as long as it lives.
struct Cache {
  std::vector<Descriptor> files;
  std::vector<int32_t> numbers;
  munja_nn_cache table = {};

  // Takes the files over.
  bool Take(ByteReader& from, std::vector<Descriptor>& taken) {
    table.struct_size = sizeof table;
    table.model_fd_count = from.Get<uint32_t>();
    table.data_fd_count = from.Get<uint32_t>();
    for (uint8_t& byte : table.token) byte = from.Get<uint8_t>();
    files = std::move(taken);
    if (!from.ok() ||
        uint64_t{table.model_fd_count} + table.data_fd_count != files.size())
      return false;
    for (const Descriptor& file : files) numbers.push_back(file.get());
    table.model_fds = numbers.data();
    table.data_fds = numbers.data() + table.model_fd_count;
    return true;
  }
};

}  // namespace

std::vector<uint8_t> RefusingHello(const std::string& why) {
  ByteWriter to;
  to.Put(kProtocolVersion);
  to.Put<uint8_t>(0);
  to.PutText(why);
  return to.Take();
}

void SendLog(int socket, int32_t severity, const char* line) {
  constexpr size_t kLongestLine = 2000;
  if (line == nullptr) return;
  ByteWriter to;
  to.Put(severity);
  to.PutBytes(line, strnlen(line, kLongestLine));
  Send(socket, {MessageType::kLog, 0, to.Take(), {}, nullptr}, true);
}

HostSession::HostSession(Descriptor socket, munja_nn_device* device,
                         std::string why)
    : socket_(std::move(socket)), why_(std::move(why)), workers_(kMaxThreads) {
  if (device == nullptr) return;
  device_ = ReadStruct(device);
  has_device_ = device_.supported_operations != nullptr &&
                device_.prepare != nullptr && device_.release != nullptr &&
                device_.capabilities != nullptr;
  if (!has_device_) why_ = "the device lacks a required function";
}

HostSession::~HostSession() {
  {
    std::unique_lock lock(counting_);
    counted_.wait(lock, [&] { return callbacks_ == 0; });
  }
  workers_.Finish();
  bursts_.clear();
  buffers_.clear();
  models_.clear();
  memories_.clear();
  if (device_.release != nullptr) device_.release(device_.self);
}

void HostSession::Begin() {
  const std::lock_guard lock(counting_);
  ++callbacks_;
}

void HostSession::End() {
  const std::lock_guard lock(counting_);
  --callbacks_;
  counted_.notify_all();
}

bool HostSession::Run() {
  const Descriptor peer = PeerProcess(socket_.get());
  for (;;) {
    std::array<pollfd, 2> waits = {};
    waits[0] = {socket_.get(), POLLIN, 0};
    waits[1] = {peer.get(), POLLIN, 0};  // -1 is passed over.
    if (poll(waits.data(), waits.size(), -1) < 0) {
      if (errno == EINTR) continue;
      return false;
    }
    if (waits[1].revents != 0) return false;
    Message message;
    switch (Receive(socket_.get(), kMaxToHost, false, &message)) {
      case Transfer::kDone:
        if (message.type == MessageType::kGoodbye) return true;
        KeepOrder();
        Handle(std::move(message));
        break;
      case Transfer::kLater:
        break;
      case Transfer::kClosed:
      case Transfer::kNonsense:
        return false;
    }
  }
}

void HostSession::Answer(uint64_t serial, std::vector<uint8_t> payload) {
  if (serial == 0) return;
  KeepOrder();
  Send(socket_.get(),
       {MessageType::kAnswer, serial, std::move(payload), {}, nullptr}, true);
}

void HostSession::AnswerStatus(uint64_t serial, int32_t status) {
  ByteWriter to;
  to.Put(status);
  Answer(serial, to.Take());
}

void HostSession::AnswerExecution(uint64_t serial, const Execution& answer) {
  ByteWriter to;
  PutAnswer(answer, to);
  Answer(serial, to.Take());
}

void HostSession::Handle(Message message) {
  if (message.type == MessageType::kHello) return Hello(message);
  if (!has_device_)
    return AnswerStatus(message.serial, MUNJA_NN_DEVICE_UNAVAILABLE);
  switch (message.type) {
    case MessageType::kStatus:
      return AskStatus(message.serial);
    case MessageType::kSupported:
      return Supported(message);
    case MessageType::kPrepare:
      return Prepare(std::move(message), false);
    case MessageType::kPrepareFromCache:
      return Prepare(std::move(message), true);
    case MessageType::kAllocate:
      return Allocate(message);
    case MessageType::kCopyTo:
      return Copy(message, true);
    case MessageType::kCopyFrom:
      return Copy(message, false);
    case MessageType::kIdle:
      if (device_.idle != nullptr)
        workers_.Submit([this] { device_.idle(device_.self); });
      return;
    case MessageType::kExecute:
      return Execute(message);
    case MessageType::kExecuteFenced:
      return ExecuteFenced(message);
    case MessageType::kCreateBurst:
      return CreateBurst(std::move(message));
    case MessageType::kForgetSlot:
      return ForgetSlot(message);
    case MessageType::kMemory:
      return AddMemory(std::move(message));
    case MessageType::kForgetMemory:
      return ForgetMemory(message);
    case MessageType::kRelease:
      return Release(message);
    case MessageType::kSync:
      return AnswerStatus(message.serial, MUNJA_NN_NONE);
    default:
      return AnswerStatus(message.serial, MUNJA_NN_INVALID_ARGUMENT);
  }
}

void HostSession::Hello(const Message& message) {
  ByteReader from(message.payload);
  const auto version = from.Get<uint32_t>();
  if (!from.IsDone() || version != kProtocolVersion)
    return Answer(message.serial,
                  RefusingHello("the host is of another version: install "
                                "program and host of one build"));
  if (!has_device_) return Answer(message.serial, RefusingHello(why_));
  ByteWriter to;
  to.Put(kProtocolVersion);
  to.Put<uint8_t>(1);
  PutDevice(Describe(device_), to);
  Answer(message.serial, to.Take());
}

void HostSession::AskStatus(uint64_t serial) {
  workers_.Submit([this, serial] {
    AnswerStatus(serial, device_.status == nullptr
                             ? int32_t{MUNJA_NN_DEVICE_AVAILABLE}
                             : device_.status(device_.self));
  });
}

std::shared_ptr<SharedMemory> HostSession::MemoryOf(uint32_t id) {
  const std::lock_guard lock(tables_);
  const auto found = memories_.find(id);
  return found == memories_.end() ? nullptr : found->second;
}

std::shared_ptr<HostModel> HostSession::ModelOf(uint32_t id) {
  const std::lock_guard lock(tables_);
  const auto found = models_.find(id);
  return found == models_.end() ? nullptr : found->second;
}

std::shared_ptr<HostBuffer> HostSession::BufferOf(uint32_t id) {
  const std::lock_guard lock(tables_);
  const auto found = buffers_.find(id);
  return found == buffers_.end() ? nullptr : found->second;
}

bool HostSession::TakeModel(ByteReader& from, Model* model) {
  std::vector<uint32_t> pools;
  *model = GetModel(from, pools);
  if (!from.IsDone()) return false;
  for (size_t i = 0; i < pools.size(); ++i) {
    std::shared_ptr<SharedMemory> memory = MemoryOf(pools[i]);
    if (memory == nullptr) return false;
    Memory& pool = model->pools[i];
    pool.data = memory->data();
    pool.bytes = memory->bytes();
    pool.fd = memory->fd();
    pool.offset = memory->offset();
    pool.owner = std::move(memory);
  }
  const int32_t version = std::min<int32_t>(device_.hal_version, MUNJA_NN_1_3);
  return ValidateModel(*model, version).ok();
}

void HostSession::Supported(const Message& message) {
  ByteReader from(message.payload);
  auto model = std::make_shared<Model>();
  if (!TakeModel(from, model.get()))
    return AnswerStatus(message.serial, MUNJA_NN_INVALID_ARGUMENT);
  workers_.Submit([this, model, serial = message.serial] {
    std::vector<uint8_t> supported(model->main().operations.size());
    const ModelStruct structs(*model);
    const int32_t status = device_.supported_operations(
        device_.self, structs.get(), supported.data());
    ByteWriter to;
    to.Put(status);
    if (status == MUNJA_NN_NONE) to.PutList(supported);
    Answer(serial, to.Take());
  });
}

void HostSession::Prepare(Message message, bool from_cache) {
  struct Preparing {
    HostSession* session = nullptr;
    uint64_t serial = 0;
    uint32_t id = 0;
    munja_nn_compilation_options options = {};
    std::shared_ptr<HostModel> made = std::make_shared<HostModel>();
    Cache cache;
    std::unique_ptr<ModelStruct> structs;
    std::atomic<bool> is_answered{false};
    std::shared_ptr<Preparing> self;

    void Answer(int32_t status, const munja_nn_prepared_model* prepared) {
      if (is_answered.exchange(true)) return;
      const std::shared_ptr<Preparing> last = std::move(self);
      HostSession* const of = session;
      if (status == MUNJA_NN_NONE) {
        made->table = ReadStruct(prepared);
        if (made->table.execute == nullptr || made->table.release == nullptr)
          status = MUNJA_NN_GENERAL_FAILURE;
      }
      if (status == MUNJA_NN_NONE) {
        const std::lock_guard lock(session->tables_);
        if (!session->models_.emplace(id, made).second)
          status = MUNJA_NN_INVALID_ARGUMENT;
      }
      made = nullptr;
      of->AnswerStatus(serial, status);
      of->End();
    }
    static void Prepared(void* user, int32_t status,
                         munja_nn_prepared_model* prepared) {
      static_cast<Preparing*>(user)->Answer(status, prepared);
    }
  };
  auto preparing = std::make_shared<Preparing>();
  preparing->session = this;
  preparing->serial = message.serial;
  ByteReader from(message.payload);
  preparing->id = from.Get<uint32_t>();
  munja_nn_compilation_options& options = preparing->options;
  options.struct_size = sizeof options;
  options.preference = from.Get<int32_t>();
  options.priority = from.Get<int32_t>();
  options.deadline_ns = from.Get<uint64_t>();
  bool is_valid = true;
  if (from.GetFlag()) {
    is_valid = preparing->cache.Take(from, message.files);
    options.cache = &preparing->cache.table;
  }
  const std::shared_ptr<HostModel>& made = preparing->made;
  if (from_cache) {
    is_valid = is_valid && from.IsDone() && options.cache != nullptr &&
               device_.prepare_from_cache != nullptr;
  } else if (is_valid) {
    is_valid = TakeModel(from, &made->model.emplace());
    preparing->structs = std::make_unique<ModelStruct>(*made->model);
  }
  if (!is_valid || ModelOf(preparing->id) != nullptr)
    return AnswerStatus(message.serial, MUNJA_NN_INVALID_ARGUMENT);
  preparing->self = preparing;
  Begin();
  workers_.Submit([this, preparing, from_cache] {
    const int32_t status =
        from_cache
            ? device_.prepare_from_cache(
                  device_.self, preparing->options.deadline_ns,
                  &preparing->cache.table, Preparing::Prepared, preparing.get())
            : device_.prepare(device_.self, preparing->structs->get(),
                              &preparing->options, Preparing::Prepared,
                              preparing.get());
    if (status != MUNJA_NN_NONE) preparing->Answer(status, nullptr);
  });
}

void HostSession::Allocate(const Message& message) {
  struct Allocating {
    uint32_t id = 0;
    Dimensions dimensions;
    std::vector<munja_nn_buffer_role> roles;
    size_t input_roles = 0;
    std::shared_ptr<HostBuffer> made = std::make_shared<HostBuffer>();
  };
  auto allocating = std::make_shared<Allocating>();
  ByteReader from(message.payload);
  allocating->id = from.Get<uint32_t>();
  allocating->dimensions = from.GetList<uint32_t>();
  bool is_valid = device_.allocate != nullptr;
  for (const uint32_t id : from.GetList<uint32_t>()) {
    allocating->made->models.push_back(ModelOf(id));
    is_valid = is_valid && allocating->made->models.back() != nullptr;
  }
  for (const bool is_input : {true, false}) {
    const uint32_t count = from.GetCount(12);
    for (uint32_t i = 0; i < count; ++i) {
      munja_nn_buffer_role& role = allocating->roles.emplace_back();
      role.struct_size = sizeof role;
      role.model = from.Get<uint32_t>();
      role.index = from.Get<uint32_t>();
      role.frequency = from.Get<float>();
      is_valid = is_valid && role.model < allocating->made->models.size();
    }
    if (is_input) allocating->input_roles = count;
  }
  if (!is_valid || !from.IsDone() || BufferOf(allocating->id) != nullptr)
    return AnswerStatus(message.serial, MUNJA_NN_INVALID_ARGUMENT);
  workers_.Submit([this, allocating, serial = message.serial] {
    std::vector<munja_nn_prepared_model*> models;
    for (const auto& model : allocating->made->models)
      models.push_back(&model->table);
    munja_nn_buffer_description description = {};
    description.struct_size = sizeof description;
    description.rank = static_cast<uint32_t>(allocating->dimensions.size());
    description.dimensions = allocating->dimensions.data();
    description.models = models.data();
    description.model_count = static_cast<uint32_t>(models.size());
    description.input_roles = allocating->roles.data();
    description.input_role_count =
        static_cast<uint32_t>(allocating->input_roles);
    description.output_roles =
        allocating->roles.data() + allocating->input_roles;
    description.output_role_count = static_cast<uint32_t>(
        allocating->roles.size() - allocating->input_roles);
    munja_nn_buffer* buffer = nullptr;
    int32_t status = device_.allocate(device_.self, &description, &buffer);
    HostBuffer& made = *allocating->made;
    if (status == MUNJA_NN_NONE) {
      made.table = ReadStruct(buffer);
      if (made.table.token == 0 || made.table.copy_to == nullptr ||
          made.table.copy_from == nullptr)
        status = MUNJA_NN_GENERAL_FAILURE;
    }
    if (status == MUNJA_NN_NONE) {
      const std::lock_guard lock(tables_);
      if (!buffers_.emplace(allocating->id, allocating->made).second)
        status = MUNJA_NN_INVALID_ARGUMENT;
    }
    AnswerStatus(serial, status);
  });
}

void HostSession::Copy(const Message& message, bool to_client) {
  ByteReader from(message.payload);
  const std::shared_ptr<HostBuffer> buffer = BufferOf(from.Get<uint32_t>());
  const std::shared_ptr<SharedMemory> memory = MemoryOf(from.Get<uint32_t>());
  const auto bytes = from.Get<uint64_t>();
  Dimensions dimensions = from.GetList<uint32_t>();
  if (!from.IsDone() || buffer == nullptr || memory == nullptr || bytes == 0 ||
      bytes > memory->bytes() || (to_client && !memory->is_writable()))
    return AnswerStatus(message.serial, MUNJA_NN_INVALID_ARGUMENT);
  workers_.Submit([this, buffer, memory, bytes, to_client,
                   dimensions = std::move(dimensions),
                   serial = message.serial] {
    munja_nn_memory whole = {};
    whole.struct_size = sizeof whole;
    whole.data = memory->data();
    whole.bytes = bytes;
    whole.fd = memory->fd();
    whole.offset = memory->offset();
    const munja_nn_buffer& table = buffer->table;
    AnswerStatus(
        serial,
        to_client ? table.copy_to(table.self, &whole)
                  : table.copy_from(table.self, &whole, dimensions.data(),
                                    static_cast<uint32_t>(dimensions.size())));
  });
}

void HostSession::ForgetSlot(const Message& message) {
  ByteReader from(message.payload);
  const auto burst_id = from.Get<uint32_t>();
  const auto memory = from.Get<uint32_t>();
  if (!from.IsDone()) return;
  const std::lock_guard lock(tables_);
  const auto found = bursts_.find(burst_id);
  if (found == bursts_.end()) return;
  workers_.Submit([burst = found->second, memory] { burst->Forget(memory); });
}

void HostSession::AddMemory(Message message) {
  ByteReader from(message.payload);
  const auto id = from.Get<uint32_t>();
  const auto offset = from.Get<uint64_t>();
  const auto bytes = from.Get<uint64_t>();
  if (!from.IsDone() || id > INT32_MAX || message.files.size() != 1) return;
  auto memory = SharedMemory::Map(std::move(message.files[0]), offset, bytes,
                                  SharedMemory::kReadWrite);
  if (!memory.ok()) return;  // Its users get an error.
  const std::lock_guard lock(tables_);
  memories_.emplace(id, std::move(memory).value());
}

void HostSession::ForgetMemory(const Message& message) {
  ByteReader from(message.payload);
  const auto id = from.Get<uint32_t>();
  if (!from.IsDone()) return;
  const std::lock_guard lock(tables_);
  memories_.erase(id);
}

void HostSession::Release(const Message& message) {
  ByteReader from(message.payload);
  const auto kind = static_cast<ObjectKind>(from.Get<uint32_t>());
  const auto id = from.Get<uint32_t>();
  if (!from.IsDone()) return;
  std::shared_ptr<void> last;
  const auto take = [&](auto& table) {
    if (const auto found = table.find(id); found != table.end()) {
      last = std::move(found->second);
      table.erase(found);
    }
  };
  {
    const std::lock_guard lock(tables_);
    if (kind == ObjectKind::kModel) take(models_);
    if (kind == ObjectKind::kBuffer) take(buffers_);
    if (kind == ObjectKind::kBurst) take(bursts_);
  }
  // A driver may take its time with it.
  if (last != nullptr)
    workers_.Submit([last = std::move(last)]() mutable { last = nullptr; });
}

}  // namespace munja::hal
