// Fuzzes the messages of a client to a host: any messages in any order, with
// any payloads, with proper and improper files.
//
// The input is a row of messages: type, kind of file, two bytes of length, the
// payload.
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

#include "munja/driver.h"
#include "transport/channel.h"
#include "transport/host_session.h"
#include "transport/queue.h"
#include "transport/shared_memory.h"

namespace munja::hal {
namespace {

// A driver that reads and writes all that a request points to: what should not
// have come so far makes a sanitizer speak.
struct Device {
  munja_nn_device table = {};
};
struct Prepared {
  munja_nn_prepared_model table = {};
};
struct Buffer {
  munja_nn_buffer table = {};
};

void Touch(const munja_nn_request& request) {
  volatile uint8_t sum = 0;
  for (const bool is_output : {false, true}) {
    const uint32_t count =
        is_output ? request.output_count : request.input_count;
    for (uint32_t i = 0; i < count; ++i) {
      const munja_nn_argument& argument =
          is_output ? request.outputs[i] : request.inputs[i];
      for (uint32_t d = 0; d < argument.rank; ++d)
        sum = static_cast<uint8_t>(sum + argument.dimensions[d]);
      if (argument.has_no_value != 0) continue;
      const munja_nn_memory& pool = request.pools[argument.location.pool];
      if (pool.token != 0) continue;
      auto* const at =
          static_cast<uint8_t*>(pool.data) + argument.location.offset;
      for (uint32_t k = 0; k < argument.location.length; k += 64) {
        sum = static_cast<uint8_t>(sum + at[k]);
        if (is_output) at[k] = sum;
      }
    }
  }
}

int32_t Execute(void*, const munja_nn_request* request,
                const munja_nn_execution_options*, munja_nn_executed executed,
                void* user) {
  Touch(*request);
  munja_nn_result result = {};
  result.struct_size = sizeof result;
  result.timing = {MUNJA_NN_NO_TIME, MUNJA_NN_NO_TIME};
  executed(user, &result);
  return MUNJA_NN_NONE;
}

int32_t Give(munja_nn_prepared prepared, void* user) {
  auto* made = new Prepared();
  made->table.struct_size = sizeof made->table;
  made->table.self = made;
  made->table.execute = Execute;
  made->table.release = [](void* of) { delete static_cast<Prepared*>(of); };
  prepared(user, MUNJA_NN_NONE, &made->table);
  return MUNJA_NN_NONE;
}

int32_t Allocate(void*, const munja_nn_buffer_description* description,
                 munja_nn_buffer** buffer) {
  for (uint32_t i = 0; i < description->model_count; ++i)
    if (description->models[i]->self == nullptr) std::abort();
  auto* made = new Buffer();
  made->table.struct_size = sizeof made->table;
  made->table.self = made;
  made->table.token = 5;
  made->table.copy_to = [](void*, const munja_nn_memory* memory) {
    std::memset(memory->data, 1, memory->bytes);
    return int32_t{MUNJA_NN_NONE};
  };
  made->table.copy_from = [](void*, const munja_nn_memory* memory,
                             const uint32_t* dimensions, uint32_t rank) {
    volatile uint8_t last =
        static_cast<uint8_t*>(memory->data)[memory->bytes - 1];
    for (uint32_t i = 0; i < rank; ++i)
      last = static_cast<uint8_t>(last + dimensions[i]);
    return int32_t{MUNJA_NN_NONE};
  };
  made->table.release = [](void* of) { delete static_cast<Buffer*>(of); };
  *buffer = &made->table;
  return MUNJA_NN_NONE;
}

munja_nn_device* Open() {
  static constexpr munja_nn_capabilities kCapabilities = {
      sizeof(munja_nn_capabilities),
      {1, 1},
      {1, 1},
      nullptr,
      0,
      {1, 1},
      {1, 1}};
  auto* made = new Device();
  munja_nn_device& table = made->table;
  table.struct_size = sizeof table;
  table.self = made;
  table.name = "fuzz-device";
  table.version_string = "1";
  table.type = MUNJA_NN_DEVICE_CPU;
  table.hal_version = MUNJA_NN_1_3;
  table.capabilities = &kCapabilities;
  table.supported_operations = [](void*, const munja_nn_model* model,
                                  uint8_t* supported) {
    std::memset(supported, 1, model->subgraphs[0].operation_count);
    return int32_t{MUNJA_NN_NONE};
  };
  table.prepare = [](void*, const munja_nn_model*,
                     const munja_nn_compilation_options*,
                     munja_nn_prepared prepared,
                     void* user) { return Give(prepared, user); };
  table.prepare_from_cache = [](void*, uint64_t, const munja_nn_cache*,
                                munja_nn_prepared prepared,
                                void* user) { return Give(prepared, user); };
  table.allocate = Allocate;
  table.release = [](void* of) { delete static_cast<Device*>(of); };
  return &table;
}

// For queues: with a malformed packet in the first.
Descriptor File(uint8_t kind, const uint8_t* data, size_t size) {
  if (kind == 1) {
    auto made = SharedMemory::Create(4096);
    return made.ok() ? Descriptor(dup((*made)->fd())) : Descriptor();
  }
  if (kind == 2) {
    auto made = SharedMemory::Create(2 * kQueueBytes);
    if (!made.ok()) return Descriptor();
    const size_t count = std::min(size, kQueueBytes);
    std::memcpy((*made)->data(), data, count);
    return Descriptor(dup((*made)->fd()));
  }
  if (kind == 3) return Descriptor(memfd_create("x", MFD_CLOEXEC));
  return Descriptor();
}

void Feed(const uint8_t* data, size_t size) {
  std::array<int, 2> ends = {-1, -1};
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0)
    return;
  Descriptor client(ends[0]);
  HostSession session(Descriptor(ends[1]), Open(), "");
  uint64_t serial = 0;
  for (size_t at = 0; at + 4 <= size;) {
    Message message;
    message.type = static_cast<MessageType>(data[at] & 0x3f);
    message.serial = ++serial;
    const uint8_t kind = data[at + 1] & 3;
    const bool must_wait = (data[at + 1] & 4) != 0;
    const size_t length =
        std::min<size_t>(data[at + 2] | data[at + 3] << 8, size - at - 4);
    at += 4;
    message.payload.assign(data + at, data + at + length);
    if (kind != 0) message.files.push_back(File(kind, data + at, size - at));
    at += length;
    session.Handle(std::move(message));
    // Answers must not fill the socket; some are waited for, as clients do.
    Message answer;
    pollfd wait = {client.get(), POLLIN, 0};
    if (must_wait) poll(&wait, 1, 2);
    while (Receive(client.get(), kMaxToClient, false, &answer) ==
           Transfer::kDone)
      if (answer.type != MessageType::kAnswer) std::abort();
  }
  client.Close();  // Later answers have nowhere to go.
}

}  // namespace
}  // namespace munja::hal

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  munja::hal::Feed(data, size);
  return 0;
}
