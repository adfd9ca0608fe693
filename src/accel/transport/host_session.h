// The host's side: one device, one client. The client's messages are checked;
// the answer to a wrong one is MUNJA_NN_INVALID_ARGUMENT, and the session
// continues.
#ifndef MUNJA_TRANSPORT_HOST_SESSION_H_
#define MUNJA_TRANSPORT_HOST_SESSION_H_

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/descriptor.h"
#include "munja/driver.h"
#include "transport/channel.h"
#include "transport/shared_memory.h"
#include "transport/workers.h"

namespace munja::hal {

struct HostModel;
struct HostBuffer;
class HostBurst;
struct Bound;
struct Running;

class HostSession {
 public:
  // Takes the device over; null: the client gets the reason.
  HostSession(Descriptor socket, munja_nn_device* device, std::string why);
  // Waits for the driver to finish.
  ~HostSession();
  HostSession(const HostSession&) = delete;
  HostSession& operator=(const HostSession&) = delete;

  // Runs until the client or its process is gone, or breaks the protocol. True:
  // it said goodbye, and the driver may take long to let go.
  bool Run();
  // Executes one message.
  void Handle(Message message);

 private:
  friend class HostBurst;
  friend struct Running;

  // Orders everything before an answer before the client's next message in this
  // process, too, for tools that see only its threads.
  void KeepOrder() { const std::lock_guard lock(order_); }
  void Answer(uint64_t serial, std::vector<uint8_t> payload);
  void AnswerStatus(uint64_t serial, int32_t status);
  void AnswerExecution(uint64_t serial, const Execution& answer);
  void AnswerStatusOfExecution(uint64_t serial, int32_t status);

  void Hello(const Message& message);
  void AskStatus(uint64_t serial);
  void Supported(const Message& message);
  void Prepare(Message message, bool from_cache);
  void Allocate(const Message& message);
  void Copy(const Message& message, bool to_client);
  void Execute(const Message& message);
  void ExecuteFenced(const Message& message);
  void CreateBurst(Message message);
  void ForgetSlot(const Message& message);
  void AddMemory(Message message);
  void ForgetMemory(const Message& message);
  void Release(const Message& message);

  // The model with its pools mapped; false: the message is malformed.
  bool TakeModel(ByteReader& from, Model* model);
  std::shared_ptr<SharedMemory> MemoryOf(uint32_t id);
  std::shared_ptr<HostModel> ModelOf(uint32_t id);
  std::shared_ptr<HostBuffer> BufferOf(uint32_t id);
  // A driver was given a callback, and has called it.
  void Begin();
  void End();
  // Finds what a request names and checks it. A munja_nn_status.
  int32_t Bind(const HostModel& model, const WireRequest& request,
               bool outputs_known, Bound* bound);

  const Descriptor socket_;
  munja_nn_device device_ = {};  // As this side knows it.
  bool has_device_ = false;
  std::string why_;
  std::mutex tables_;
  std::map<uint32_t, std::shared_ptr<SharedMemory>> memories_;
  std::map<uint32_t, std::shared_ptr<HostModel>> models_;
  std::map<uint32_t, std::shared_ptr<HostBuffer>> buffers_;
  std::map<uint32_t, std::shared_ptr<HostBurst>> bursts_;
  std::mutex order_;
  std::mutex counting_;
  std::condition_variable counted_;
  size_t callbacks_ = 0;  // Callbacks still to come.
  Workers workers_;
};

// The payload of the answer to kHello of a host without a device.
std::vector<uint8_t> RefusingHello(const std::string& why);
// Lines of a driver for the client's log.
void SendLog(int socket, int32_t severity, const char* line);

}  // namespace munja::hal

#endif  // MUNJA_TRANSPORT_HOST_SESSION_H_
