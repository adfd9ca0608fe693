// The client's side of a driver in another process: the tables of
// munja/driver.h over a connection that is made anew when the host is lost.
// Models and buffers there are made again on their next use.
#ifndef MUNJA_TRANSPORT_REMOTE_H_
#define MUNJA_TRANSPORT_REMOTE_H_

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "hal/model.h"
#include "munja/driver.h"
#include "transport/connection.h"
#include "transport/driver_host.h"
#include "transport/queue.h"
#include "transport/remote_memory.h"
#include "transport/wire.h"

namespace munja::hal {

class RemoteBuffer;
class RemoteModel;
struct Shipment;

class RemoteDevice {
 public:
  static Result<munja_nn_device*> Start(const std::string& driver,
                                        const DriverHostOptions& options);
  static RemoteDevice* Of(const munja_nn_device* device);
  ~RemoteDevice();
  RemoteDevice(const RemoteDevice&) = delete;
  RemoteDevice& operator=(const RemoteDevice&) = delete;

  DriverHostReport Report();
  // The connection to a host that is ready; null, and a munja_nn_status.
  std::shared_ptr<Connection> Acquire(const Deadline& deadline,
                                      int32_t* status);
  // The deadline for a caller's deadline_ns; 0: none.
  static Deadline DeadlineOf(uint64_t deadline_ns, uint64_t watchdog_ns);
  // Forked off: nothing here works any more.
  bool IsForeign() const;

  const DriverHostOptions& options() const { return options_; }
  Staging& staging() { return staging_; }
  uint32_t NewId() { return next_id_.fetch_add(1, std::memory_order_relaxed); }
  RemoteBuffer* BufferOf(uint32_t token);
  void AddBuffer(uint32_t token, RemoteBuffer* buffer);
  void RemoveBuffer(uint32_t token);
  // Something is under way that release() waits for.
  void Begin();
  void End();
  // Null: none of this device's.
  RemoteModel* ModelOf(const munja_nn_prepared_model* table);
  void RemoveModel(const munja_nn_prepared_model* table);

  // A region for a request's pool: memory as it is where that can be shared, or
  // a staged copy. kOutOfMemory.
  Result<std::shared_ptr<Region>> RegionOf(const Memory& memory,
                                           bool* is_staged);

  int32_t Prepare(const munja_nn_model* model,
                  const munja_nn_compilation_options* options,
                  munja_nn_prepared prepared, void* user);
  int32_t PrepareFromCache(uint64_t deadline_ns, const munja_nn_cache* cache,
                           munja_nn_prepared prepared, void* user);
  int32_t Allocate(const munja_nn_buffer_description* description,
                   munja_nn_buffer** buffer);

 private:
  struct Tables;  // Functions of munja_nn_device.
  friend struct Tables;
  friend class RemoteModel;

  RemoteDevice(std::string driver, DriverHostOptions options);
  Result<std::shared_ptr<Connection>> Connect();
  // It is lost: when another one may be started.
  void Retire();
  void TakeHello(const std::shared_ptr<Connection>& connection,
                 uint64_t begun_ns, const Message* answer);
  void MakeTable();
  int32_t AskStatus();
  int32_t AskSupported(const munja_nn_model* model, uint8_t* supported);
  void Idle();
  int32_t ReadAndCheck(const munja_nn_model* from, Model* to) const;
  // The model's pools and the model, as a host receives them.
  Result<std::vector<std::shared_ptr<Region>>> ShareModel(const Model& model,
                                                          ByteWriter& to);
  int32_t StartPreparing(std::shared_ptr<RemoteModel> model, bool from_cache,
                         uint64_t deadline_ns, munja_nn_prepared prepared,
                         void* user);

  const std::string driver_;
  const DriverHostOptions options_;
  const unsigned generation_;
  std::atomic<uint32_t> next_id_{1};
  Staging staging_{&next_id_};

  std::mutex mutex_;
  std::condition_variable changed_;
  std::shared_ptr<Connection> connection_;
  enum class State { kNone, kStarting, kReady } state_ = State::kNone;
  std::vector<std::shared_ptr<Connection>> old_;  // To be joined.
  uint64_t pause_ns_ = 0, next_start_ns_ = 0;
  DriverHostReport report_;
  std::string why_;        // There is no device.
  bool is_other_ = false;  // The host came back with another device.
  std::optional<WireDevice> description_;
  std::vector<uint8_t> said_;  // As it came.
  std::map<uint32_t, RemoteBuffer*> buffers_;
  std::map<const munja_nn_prepared_model*, RemoteModel*> models_;
  size_t under_way_ = 0;

  munja_nn_device table_ = {};
  munja_nn_capabilities capabilities_ = {};
  std::vector<munja_nn_operand_performance> operands_;
  std::vector<munja_nn_extension> extensions_;
  std::vector<std::vector<munja_nn_extension_type>> extension_types_;
};

// A request as it is sent to the host, and the copies to make when it is over.
struct Shipment {
  struct Copy {
    void* to = nullptr;
    const void* from = nullptr;
    size_t bytes = 0;
  };
  WireRequest wire;
  std::vector<std::shared_ptr<Region>> regions;
  std::vector<std::shared_ptr<Region>> unnamed;  // Used once by a burst.
  std::vector<RemoteBuffer*> buffers;
  std::vector<Copy> in, out;
  bool writes_shared = false;

  // Tells a host of all that this refers to. A munja_nn_status.
  int32_t Deliver(const std::shared_ptr<Connection>& connection,
                  const Deadline& deadline) const;
  void CopyIn() const;
  void CopyOut() const;
};

class RemoteModel {
 public:
  explicit RemoteModel(RemoteDevice* device);
  ~RemoteModel();
  RemoteModel(const RemoteModel&) = delete;
  RemoteModel& operator=(const RemoteModel&) = delete;

  RemoteDevice* device() const { return device_; }
  // Its number in that host; prepares it again where that is another one than
  // before. A munja_nn_status.
  int32_t Ensure(const std::shared_ptr<Connection>& connection,
                 const Deadline& deadline, uint32_t* id);
  // Reads and checks a request. A munja_nn_status.
  int32_t Read(const munja_nn_request* request, bool outputs_known,
               Request* to) const;
  // With regions for all pools that have none in `kept`, if that is given. A
  // munja_nn_status.
  int32_t Ship(const Request& request,
               const munja_nn_execution_options& options,
               const Deadline& deadline, Shipment* to) const;
  // Adds pool `index` of the request, which lies in this region.
  static void AddPool(const Request& request, size_t index,
                      const std::shared_ptr<Region>& region, bool is_staged,
                      Shipment* to);
  static int32_t Describe(const Request& request,
                          const munja_nn_execution_options& options,
                          const Deadline& deadline, Shipment* to);
  int32_t AddBuffer(uint32_t token, Shipment* to) const;
  // Counts requests in flight; release() waits for them.
  void Begin();
  void End();
  void WaitUntilIdle();

  int32_t Execute(const munja_nn_request* request,
                  const munja_nn_execution_options* options,
                  munja_nn_executed executed, void* user);
  int32_t ExecuteAsync(const munja_nn_request* request,
                       const munja_nn_execution_options* options,
                       munja_nn_executed executed, void* user);
  int32_t ExecuteFenced(const munja_nn_request* request,
                        const munja_nn_execution_options* options,
                        const int32_t* wait_for, uint32_t wait_count,
                        uint64_t duration_ns, int32_t* fence,
                        munja_nn_fence_info** info);

 private:
  friend class RemoteDevice;
  struct Tables;

  // Duplicates the files. False: there are none, or too many.
  bool KeepCache(const munja_nn_cache& cache);
  // Prepares it in that host.
  void StartBuilding(const std::shared_ptr<Connection>& connection,
                     const Deadline& deadline, bool from_cache,
                     std::function<void(int32_t)> done);
  void Rebuild(const std::shared_ptr<Connection>& connection, bool from_cache);
  // All of a call but the request itself. A munja_nn_status.
  int32_t PrepareCall(const std::shared_ptr<Connection>& connection,
                      const Deadline& deadline,
                      const std::shared_ptr<Shipment>& shipment,
                      Connection::Call* call);

  RemoteDevice* const device_;
  munja_nn_prepared_model table_ = {};
  std::optional<Model> model_;  // For checks: without values.

  // How to prepare it again.
  int32_t preference_ = 0, priority_ = 0;
  std::vector<uint8_t> told_;
  std::vector<std::shared_ptr<Region>> regions_;
  std::vector<Descriptor> cache_files_;
  uint32_t model_files_ = 0, data_files_ = 0;
  std::vector<uint8_t> token_;

  std::shared_ptr<RemoteModel> own_;  // Until it is released.
  std::mutex mutex_;
  std::condition_variable changed_;
  std::weak_ptr<Connection> ready_on_;
  uint32_t id_ = 0;  // There.
  bool is_building_ = false;
  int32_t build_status_ = 0;
  size_t under_way_ = 0;
};

class RemoteBuffer {
 public:
  RemoteBuffer(RemoteDevice* device, uint32_t token);
  ~RemoteBuffer();
  RemoteBuffer(const RemoteBuffer&) = delete;
  RemoteBuffer& operator=(const RemoteBuffer&) = delete;

  int32_t Ensure(const std::shared_ptr<Connection>& connection,
                 const Deadline& deadline);
  int32_t Copy(bool to_client, const munja_nn_memory* memory,
               const uint32_t* dimensions, uint32_t rank);

 private:
  friend class RemoteDevice;
  struct Tables;

  RemoteDevice* const device_;
  munja_nn_buffer table_ = {};
  Dimensions dimensions_;
  std::vector<RemoteModel*> models_;
  std::vector<munja_nn_buffer_role> input_roles_, output_roles_;
  std::mutex mutex_;
  std::weak_ptr<Connection> ready_on_;
};

// The host's answer to an execution, or the failure in its place.
Execution TakeAnswer(Connection* connection, const Connection::Reply& reply,
                     size_t outputs, bool measure);
// A driver's answer that breaks the rules is a failure.
Execution WithRules(Execution answer, size_t outputs, bool measure);
void PostRelease(Connection& connection, ObjectKind kind, uint32_t id);
// Reports a failure without details.
int32_t ReportStatus(int32_t status, munja_nn_executed executed, void* user);
// The deadline to pass to a driver: a little earlier, so that its answer can
// still be in time.
uint64_t DeadlineForHost(const Deadline& deadline);

}  // namespace munja::hal

#endif  // MUNJA_TRANSPORT_REMOTE_H_
