#include <cstring>
#include <utility>

#include "hal/c_structs.h"
#include "transport/remote.h"

namespace munja::hal {
namespace {

void PutRoles(const std::vector<munja_nn_buffer_role>& roles, ByteWriter& to) {
  to.Put(static_cast<uint32_t>(roles.size()));
  for (const munja_nn_buffer_role& role : roles) {
    to.Put(role.model);
    to.Put(role.index);
    to.Put(role.frequency);
  }
}

// The status of an answer that says nothing else.
int32_t StatusOf(const Connection::Reply& reply) {
  if (!reply.is_answered) return reply.status;
  ByteReader from(reply.answer.payload);
  const auto status = from.Get<int32_t>();
  return from.IsDone() && IsStatus(status) ? status
                                           : int32_t{MUNJA_NN_GENERAL_FAILURE};
}

}  // namespace

struct RemoteBuffer::Tables {
  static RemoteBuffer* Of(void* self) {
    return static_cast<RemoteBuffer*>(self);
  }
  static int32_t CopyTo(void* self, const munja_nn_memory* memory) {
    return Of(self)->Copy(true, memory, nullptr, 0);
  }
  static int32_t CopyFrom(void* self, const munja_nn_memory* memory,
                          const uint32_t* dimensions, uint32_t rank) {
    return Of(self)->Copy(false, memory, dimensions, rank);
  }
  static void Release(void* self) {
    if (!Of(self)->device_->IsForeign()) delete Of(self);
  }
};

RemoteBuffer::RemoteBuffer(RemoteDevice* device, uint32_t token)
    : device_(device) {
  table_.struct_size = sizeof table_;
  table_.self = this;
  table_.token = token;
  table_.copy_to = Tables::CopyTo;
  table_.copy_from = Tables::CopyFrom;
  table_.release = Tables::Release;
}

RemoteBuffer::~RemoteBuffer() {
  device_->RemoveBuffer(table_.token);
  const std::shared_ptr<Connection> connection = ready_on_.lock();
  if (connection != nullptr && !connection->is_lost())
    PostRelease(*connection, ObjectKind::kBuffer, table_.token);
}

int32_t RemoteDevice::Allocate(const munja_nn_buffer_description* from,
                               munja_nn_buffer** buffer) {
  if (buffer == nullptr) return MUNJA_NN_INVALID_ARGUMENT;
  *buffer = nullptr;
  if (IsForeign()) return MUNJA_NN_DEVICE_UNAVAILABLE;
  const munja_nn_buffer_description description = ReadStruct(from);
  auto made = std::make_unique<RemoteBuffer>(this, NewId());
  if (description.model_count == 0 || description.models == nullptr ||
      (description.rank > 0 && description.dimensions == nullptr))
    return MUNJA_NN_INVALID_ARGUMENT;
  made->dimensions_.assign(description.dimensions,
                           description.dimensions + description.rank);
  for (uint32_t i = 0; i < description.model_count; ++i) {
    made->models_.push_back(ModelOf(description.models[i]));
    if (made->models_.back() == nullptr) return MUNJA_NN_INVALID_ARGUMENT;
  }
  const auto read = [&](const munja_nn_buffer_role* roles, uint32_t count,
                        std::vector<munja_nn_buffer_role>* to) {
    if (count > 0 && roles == nullptr) return false;
    for (uint32_t i = 0; i < count; ++i) {
      to->push_back(ReadElement(roles, i));
      if (to->back().model >= description.model_count) return false;
    }
    return true;
  };
  if (!read(description.input_roles, description.input_role_count,
            &made->input_roles_) ||
      !read(description.output_roles, description.output_role_count,
            &made->output_roles_))
    return MUNJA_NN_INVALID_ARGUMENT;
  const Deadline deadline = DeadlineOf(0, options_.other_ns);
  int32_t status = MUNJA_NN_NONE;
  const auto connection = Acquire(deadline, &status);
  if (connection == nullptr) return status;
  status = made->Ensure(connection, deadline);
  if (status != MUNJA_NN_NONE) return status;
  AddBuffer(made->table_.token, made.get());
  *buffer = &made.release()->table_;
  return MUNJA_NN_NONE;
}

int32_t RemoteBuffer::Ensure(const std::shared_ptr<Connection>& connection,
                             const Deadline& deadline) {
  const std::lock_guard lock(mutex_);
  if (ready_on_.lock() == connection) return MUNJA_NN_NONE;
  std::vector<uint32_t> models;
  for (RemoteModel* model : models_)
    if (const int32_t status =
            model->Ensure(connection, deadline, &models.emplace_back());
        status != MUNJA_NN_NONE)
      return status;
  ByteWriter to;
  to.Put(table_.token);
  to.PutList(dimensions_);
  to.PutList(models);
  PutRoles(input_roles_, to);
  PutRoles(output_roles_, to);
  Connection::Call call;
  call.message = {MessageType::kAllocate, 0, to.Take(), {}, nullptr};
  call.deadline = deadline;
  call.grace_ns = device_->options().other_ns;
  call.late = [weak = std::weak_ptr(connection),
               token = table_.token](const Message&) {
    if (const auto on = weak.lock(); on != nullptr)
      PostRelease(*on, ObjectKind::kBuffer, token);
  };
  const int32_t status = StatusOf(connection->Ask(std::move(call)));
  if (status == MUNJA_NN_NONE) ready_on_ = connection;
  return status;
}

int32_t RemoteBuffer::Copy(bool to_client, const munja_nn_memory* from,
                           const uint32_t* dimensions, uint32_t rank) {
  if (device_->IsForeign()) return MUNJA_NN_DEVICE_UNAVAILABLE;
  const munja_nn_memory table = ReadStruct(from);
  if (table.data == nullptr || table.bytes == 0 || table.token != 0 ||
      (rank > 0 && dimensions == nullptr))
    return MUNJA_NN_INVALID_ARGUMENT;
  const Memory memory = {table.data, table.bytes,  table.fd,
                         0,          table.offset, nullptr};
  const Deadline deadline =
      RemoteDevice::DeadlineOf(0, device_->options().other_ns);
  int32_t status = MUNJA_NN_NONE;
  const auto connection = device_->Acquire(deadline, &status);
  if (connection == nullptr) return status;
  status = Ensure(connection, deadline);
  if (status != MUNJA_NN_NONE) return status;
  bool is_staged = false;
  auto region = device_->RegionOf(memory, &is_staged);
  if (!region.ok()) return MUNJA_NN_RESOURCE_EXHAUSTED_TRANSIENT;
  if (is_staged && !to_client)
    std::memcpy(region.value()->data(), memory.data, memory.bytes);
  Region::Tell(*region, connection);
  ByteWriter to;
  to.Put(table_.token);
  to.Put(region.value()->id());
  to.Put(memory.bytes);
  to.PutList(Dimensions(dimensions, dimensions + rank));
  Connection::Call call;
  call.message = {to_client ? MessageType::kCopyTo : MessageType::kCopyFrom,
                  0,
                  to.Take(),
                  {},
                  nullptr};
  call.deadline = deadline;
  call.keep = *region;
  status = StatusOf(connection->Ask(std::move(call)));
  if (status == MUNJA_NN_NONE && is_staged && to_client)
    std::memcpy(memory.data, region.value()->data(), memory.bytes);
  return status;
}

}  // namespace munja::hal
