// A client's objects in its host: objects of the driver, each kept as long as
// something in the host uses it.
#ifndef MUNJA_TRANSPORT_HOST_OBJECTS_H_
#define MUNJA_TRANSPORT_HOST_OBJECTS_H_

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "hal/c_structs.h"
#include "hal/model.h"
#include "transport/host_session.h"
#include "transport/queue.h"
#include "transport/shared_memory.h"
#include "transport/wire.h"

namespace munja::hal {

struct HostModel {
  munja_nn_prepared_model table = {};
  std::optional<Model> model;  // None where it came from a cache.

  HostModel() = default;
  ~HostModel() {
    if (table.release != nullptr) table.release(table.self);
  }
  HostModel(const HostModel&) = delete;
  HostModel& operator=(const HostModel&) = delete;
};

struct HostBuffer {
  munja_nn_buffer table = {};
  std::vector<std::shared_ptr<HostModel>> models;  // End after it.

  HostBuffer() = default;
  ~HostBuffer() {
    if (table.release != nullptr) table.release(table.self);
  }
  HostBuffer(const HostBuffer&) = delete;
  HostBuffer& operator=(const HostBuffer&) = delete;
};

// Everything a running request points to.
struct Bound {
  Request request;
  std::vector<int32_t> slots;
  std::vector<std::shared_ptr<HostBuffer>> buffers;
};

// A thread that answers one queue from another.
class HostBurst {
 public:
  // memory: room for both queues.
  HostBurst(HostSession* session, std::shared_ptr<HostModel> model,
            const munja_nn_burst& table, std::shared_ptr<SharedMemory> memory);
  ~HostBurst();
  HostBurst(const HostBurst&) = delete;
  HostBurst& operator=(const HostBurst&) = delete;
  void Forget(uint32_t memory);

 private:
  void Serve();
  Execution Execute(const WireRequest& request);

  HostSession* const session_;
  const std::shared_ptr<HostModel> model_;
  const munja_nn_burst table_;  // Without `execute`: the model's serves.
  const std::shared_ptr<SharedMemory> memory_;
  QueueReader requests_;
  QueueWriter results_;
  std::mutex mutex_;
  // Memory that the driver may have kept something of.
  std::map<uint32_t, std::shared_ptr<const void>> slots_;
  std::atomic<bool> is_over_{false};
  std::thread thread_;
};

munja_nn_execution_options ToOptions(const WireOptions& options);

}  // namespace munja::hal

#endif  // MUNJA_TRANSPORT_HOST_OBJECTS_H_
