// The client's side of a burst: two queues, and the pools that both sides know.
#ifndef MUNJA_TRANSPORT_REMOTE_BURST_H_
#define MUNJA_TRANSPORT_REMOTE_BURST_H_

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>

#include "hal/model.h"
#include "munja/driver.h"
#include "transport/connection.h"
#include "transport/queue.h"
#include "transport/remote.h"

namespace munja::hal {

class RemoteBurst {
 public:
  // A munja_nn_status.
  static int32_t Create(RemoteModel* model, munja_nn_burst** burst);
  ~RemoteBurst();
  RemoteBurst(const RemoteBurst&) = delete;
  RemoteBurst& operator=(const RemoteBurst&) = delete;

 private:
  struct Tables;
  struct Slot {
    Memory memory;  // The memory it was made for.
    std::shared_ptr<Region> region;
    bool is_staged = false;
  };

  explicit RemoteBurst(RemoteModel* model);
  int32_t Execute(const munja_nn_request* request, const int32_t* slots,
                  const munja_nn_execution_options* options,
                  munja_nn_executed executed, void* user);
  void Forget(int32_t slot);
  // The burst in this host; created again if the host is another one than
  // before.
  int32_t Ensure(const std::shared_ptr<Connection>& connection,
                 const Deadline& deadline);
  int32_t Ship(const Request& request, const int32_t* slots,
               const munja_nn_execution_options& options,
               const Deadline& deadline, Shipment* to);
  int32_t Deliver(const std::shared_ptr<Connection>& connection,
                  const Deadline& deadline, const Shipment& shipment);
  Execution Exchange(const std::shared_ptr<Connection>& connection,
                     const Deadline& deadline, const Shipment& shipment);
  void Drop(const Slot& slot);

  RemoteModel* const model_;
  munja_nn_burst table_ = {};
  std::mutex mutex_;  // One request at a time.
  std::map<int32_t, Slot> slots_;
  std::weak_ptr<Connection> ready_on_;
  uint32_t id_ = 0;
  std::shared_ptr<SharedMemory> queues_;
  std::optional<QueueWriter> requests_;
  std::optional<QueueReader> results_;
  uint32_t number_ = 0;
};

}  // namespace munja::hal

#endif  // MUNJA_TRANSPORT_REMOTE_BURST_H_
