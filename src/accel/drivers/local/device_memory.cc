#include "drivers/local/device_memory.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "hal/c_structs.h"
#include "hal/types.h"

namespace munja::drivers::local {
namespace {

// `more` filled in where `all` is not known; false: they contradict.
bool Merge(const hal::Dimensions& more, hal::Dimensions* all) {
  if (more.empty()) return true;
  if (all->empty()) *all = more;
  if (all->size() != more.size()) return false;
  for (size_t i = 0; i < more.size(); ++i) {
    if (more[i] == 0) continue;
    if ((*all)[i] != 0 && (*all)[i] != more[i]) return false;
    (*all)[i] = more[i];
  }
  return true;
}

bool IsSameKind(const hal::Operand& a, const hal::Operand& b) {
  return a.type == b.type && a.scale == b.scale &&
         a.zero_point == b.zero_point && a.channels == b.channels &&
         a.extension_data == b.extension_data;
}

}  // namespace

struct DeviceMemory::Buffer {
  munja_nn_buffer table = {};
  DeviceMemory* memory = nullptr;
  std::shared_ptr<BufferState> state;

  static int32_t CopyTo(void* self, const munja_nn_memory* memory) {
    const munja_nn_memory to = hal::ReadStruct(memory);
    BufferState& state = *static_cast<Buffer*>(self)->state;
    const std::lock_guard lock(state.mutex);
    if (!state.is_written) return MUNJA_NN_GENERAL_FAILURE;
    if (to.data == nullptr || to.bytes != state.bytes.size())
      return MUNJA_NN_INVALID_ARGUMENT;
    std::memcpy(to.data, state.bytes.data(), state.bytes.size());
    return MUNJA_NN_NONE;
  }
  static int32_t CopyFrom(void* self, const munja_nn_memory* memory,
                          const uint32_t* dimensions, uint32_t rank) {
    const munja_nn_memory from = hal::ReadStruct(memory);
    BufferState& state = *static_cast<Buffer*>(self)->state;
    const std::lock_guard lock(state.mutex);
    state.is_written = false;
    if (from.data == nullptr || from.bytes != state.bytes.size() ||
        (rank > 0 &&
         (dimensions == nullptr ||
          hal::Dimensions(dimensions, dimensions + rank) != state.dimensions)))
      return MUNJA_NN_INVALID_ARGUMENT;
    std::memcpy(state.bytes.data(), from.data, state.bytes.size());
    state.is_written = true;
    return MUNJA_NN_NONE;
  }
  static void Release(void* self) {
    auto* buffer = static_cast<Buffer*>(self);
    {
      const std::lock_guard lock(buffer->memory->mutex_);
      buffer->memory->buffers_.erase(buffer->table.token);
    }
    delete buffer;
  }
};

int32_t DeviceMemory::Allocate(const std::vector<Use>& uses,
                               const hal::Dimensions& dimensions,
                               munja_nn_buffer** buffer) {
  auto state = std::make_shared<BufferState>();
  if (uses.empty()) return MUNJA_NN_INVALID_ARGUMENT;
  const hal::Operand& first = *uses[0].operand;
  if (!hal::IsTensor(first.type) && !dimensions.empty())
    return MUNJA_NN_INVALID_ARGUMENT;
  state->dimensions = dimensions;
  for (const Use& use : uses)
    if (!IsSameKind(first, *use.operand) ||
        !Merge(use.operand->dimensions, &state->dimensions) ||
        !state->roles.insert(use.role).second)
      return MUNJA_NN_INVALID_ARGUMENT;
  // No memory is kept for dimensions that only a run determines.
  const auto size = hal::SizeOf(first.type, state->dimensions);
  if (!size || *size == 0) return MUNJA_NN_GENERAL_FAILURE;
  state->bytes.resize(*size);
  auto made = std::make_unique<Buffer>();
  made->memory = this;
  made->state = state;
  made->table = {sizeof(munja_nn_buffer), made.get(),       0,
                 Buffer::CopyTo,          Buffer::CopyFrom, Buffer::Release};
  const std::lock_guard lock(mutex_);
  do ++last_;
  while (last_ == 0 || buffers_.contains(last_));
  made->table.token = last_;
  buffers_.emplace(last_, std::move(state));
  *buffer = &made.release()->table;
  return MUNJA_NN_NONE;
}

std::shared_ptr<BufferState> DeviceMemory::Find(uint32_t token) const {
  const std::lock_guard lock(mutex_);
  const auto found = buffers_.find(token);
  return found == buffers_.end() ? nullptr : found->second;
}

BoundBuffers::~BoundBuffers() {
  for (const auto& state : held_) state->mutex.unlock();
}

int32_t BoundBuffers::Bind(const DeviceMemory& memory, const void* model,
                           hal::Request* request) {
  std::map<uint32_t, std::shared_ptr<BufferState>> by_pool;
  std::set<std::shared_ptr<BufferState>> all;  // In an order for all threads.
  for (uint32_t i = 0; i < request->pools.size(); ++i) {
    if (request->pools[i].token == 0) continue;
    auto state = memory.Find(request->pools[i].token);
    if (state == nullptr) return MUNJA_NN_INVALID_ARGUMENT;
    all.insert(state);
    by_pool.emplace(i, std::move(state));
  }
  std::set<const BufferState*> written;
  const auto bind = [&](std::vector<hal::Argument>& arguments, bool is_output) {
    for (uint32_t i = 0; i < arguments.size(); ++i) {
      hal::Argument& argument = arguments[i];
      const auto found = by_pool.find(argument.location.pool);
      if (argument.has_no_value || found == by_pool.end()) continue;
      BufferState& state = *found->second;
      hal::Dimensions together = state.dimensions;
      if (!state.roles.contains({model, is_output, i}) ||
          argument.location.offset != 0 || argument.location.length != 0 ||
          !Merge(argument.dimensions, &together))
        return false;
      if (is_output && !written.insert(&state).second) return false;
      if (!is_output && written.contains(&state)) return false;
      argument.location.length = static_cast<uint32_t>(state.bytes.size());
      if (!is_output) argument.dimensions = state.dimensions;
      if (is_output) outputs_.emplace_back(i, &state);
    }
    return true;
  };
  if (!bind(request->outputs, true) || !bind(request->inputs, false))
    return MUNJA_NN_INVALID_ARGUMENT;
  for (const auto& state : all) {
    state->mutex.lock();
    held_.push_back(state);
  }
  for (const auto& [pool, state] : by_pool) {
    if (!state->is_written && !written.contains(state.get()))
      return MUNJA_NN_GENERAL_FAILURE;
    hal::Memory& as_memory = request->pools[pool];
    as_memory.token = 0;
    as_memory.data = state->bytes.data();
    as_memory.bytes = state->bytes.size();
  }
  return MUNJA_NN_NONE;
}

int32_t BoundBuffers::Conclude(
    int32_t status, const std::vector<const hal::Dimensions*>& shapes) {
  if (status == MUNJA_NN_INVALID_ARGUMENT) return status;
  for (const auto& [i, state] : outputs_)
    if (status == MUNJA_NN_NONE && i < shapes.size() &&
        *shapes[i] != state->dimensions)
      status = MUNJA_NN_GENERAL_FAILURE;
  // Memory of the device does not grow.
  if (status == MUNJA_NN_OUTPUT_INSUFFICIENT_SIZE && !outputs_.empty())
    status = MUNJA_NN_GENERAL_FAILURE;
  for (const auto& [i, state] : outputs_)
    state->is_written = status == MUNJA_NN_NONE;
  return status;
}

}  // namespace munja::drivers::local
