// The client's side of one host, from its start to its end: calls and their
// answers, exactly one for each call, whatever the host does.
#ifndef MUNJA_TRANSPORT_CONNECTION_H_
#define MUNJA_TRANSPORT_CONNECTION_H_

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/descriptor.h"
#include "base/status.h"
#include "transport/channel.h"
#include "transport/process.h"
#include "transport/shared_memory.h"

namespace munja::hal {

// When a call is over.
struct Deadline {
  uint64_t at_ns = UINT64_MAX;
  // A watchdog: calls that are not done by then count as hung.
  bool is_watchdog = false;
};

class Connection {
 public:
  // The answer, or null and the status of the failure.
  // Called by the connection's thread, or the one that made the call.
  using Done = std::function<void(int32_t status, const Message* answer)>;

  struct Call {
    Outgoing message;  // The serial number is given here.
    Deadline deadline;
    // How long the host may continue after the deadline before it counts as
    // hung.
    uint64_t grace_ns = 0;
    // The host may write to memory that the caller sees, so it is stopped at
    // the deadline.
    bool writes_shared = false;
    std::shared_ptr<const void> keep;  // As long as the host may use it.
    Done done;
    // An answer that came after the deadline.
    std::function<void(const Message& answer)> late;
  };

  // process: null where it is not ours.
  static std::shared_ptr<Connection> Open(std::string name, Descriptor socket,
                                          std::unique_ptr<HostProcess> process);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void Start(Call call);
  // Starts it and waits. Not by the connection's thread.
  struct Reply {
    int32_t status = 0;  // When there is no answer.
    bool is_answered = false;
    Message answer;
  };
  Reply Ask(Call call);
  void Post(Outgoing message);  // Without an answer.

  // Calls `done` when all fences are signaled (MUNJA_NN_NONE), one failed
  // (GENERAL_FAILURE) or at the deadline.
  void Watch(std::vector<Descriptor> fences, Deadline deadline,
             std::function<void(int32_t status)> done);

  // Set before calls fail because the host is lost; waiting readers are woken
  // then.
  const std::atomic<bool>& is_lost() const { return is_lost_; }
  void AddBell(const std::shared_ptr<SharedMemory>& queues);
  // Ends a host that broke the protocol. Returns when it has ended, unless
  // called by the connection's thread.
  void Abandon(const std::string& why);
  // The regular end. The host may finish its work.
  void Close();
  // Waits for the end of the connection's thread, which must not hold the last
  // reference: the creator calls this before it lets go.
  void Join();
  // All of it is over; Close() does not wait.
  bool is_over() const { return is_over_.load(); }

  bool IsThisThread() const {
    return std::this_thread::get_id() == thread_.get_id();
  }

  bool has_served() const { return has_served_.load(); }
  void SetServed() { has_served_.store(true); }
  int64_t process_id() const { return process_id_; }

  // For fuzzers: a received message.
  void Handle(Message message);

 private:
  struct Pending {
    Call call;
    bool is_late = false;
    int32_t status_when_lost = MUNJA_NN_DEVICE_UNAVAILABLE;
  };
  struct Watched {
    std::vector<Descriptor> fences;
    Deadline deadline;
    std::function<void(int32_t)> done;
  };

  Connection() = default;
  void Run();
  void SendNow(Outgoing message, uint64_t serial);
  void Flush();
  void Wake();
  // Handles calls past their deadline and returns when to look again.
  uint64_t CheckDeadlines();
  void CheckFences();
  void EndAll();
  void Lose(const std::string& why);
  void WaitForStranger();

  std::string name_;
  Descriptor socket_, wake_;
  std::unique_ptr<HostProcess> process_;
  int64_t process_id_ = 0;
  std::thread thread_;

  std::mutex sending_;
  std::deque<Outgoing> waiting_;  // The socket was full.

  std::mutex mutex_;
  std::condition_variable ended_;
  bool is_closed_ = false;  // No more calls.
  bool is_wanted_ = false;  // The end, by Close().
  std::string why_;         // Abandoned.
  uint64_t next_serial_ = 1;
  uint64_t next_look_ns_ = UINT64_MAX;
  std::map<uint64_t, Pending> calls_;
  std::vector<std::shared_ptr<Watched>> watched_;
  std::vector<std::weak_ptr<SharedMemory>> bells_;

  std::atomic<bool> is_lost_{false}, is_over_{false}, has_served_{false},
      must_end_{false};
};

}  // namespace munja::hal

#endif  // MUNJA_TRANSPORT_CONNECTION_H_
